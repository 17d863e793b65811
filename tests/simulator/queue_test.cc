#include <doctest/doctest.h>

#include <algorithm>

#include "tests/simulator/caller_support.h"

using namespace tmc;
using namespace tmc::sim;

namespace {

constexpr char kFirst[] = "7104300007400000101";
constexpr char kSecond[] = "7104300007400000102";

// In order, exactly after 300 s: what these tests are about is changed by each.
void Calm(Caller& caller) {
  caller.Post("/switches", R"({"jitter":0,"shuffle_batch":false})");
}

void PostMany(Caller& caller, int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += std::string(list.empty() ? "" : ",") + R"({"content":"x"})";
  caller.Post("/messages", "[" + list + "]");
}

}  // namespace

TEST_CASE("Queue: an unconfirmed message is hidden, then comes again") {
  Caller caller;
  Calm(caller);
  PostMany(caller, 1);
  CHECK(caller.Take() == kFirst);
  CHECK(caller.Take() == "");
  caller.clock.passed = 299s;
  CHECK(caller.Take() == "");
  caller.clock.passed = 300s;
  CHECK(caller.Take() == kFirst);
}

TEST_CASE("Queue: the visibility varies within its jitter") {
  Caller caller;
  PostMany(caller, 200);
  caller.Consume({{"quantity", "200"}});
  caller.clock.passed = 239s;
  CHECK(caller.Take({{"quantity", "200"}}) == "");
  caller.clock.passed = 300s;
  const auto half = Split(caller.Take({{"quantity", "200"}}), ',').size();
  CHECK(half > 50);
  CHECK(half < 150);
  caller.clock.passed = 361s;
  CHECK(Split(caller.Take({{"quantity", "200"}}), ',').size() == 200 - half);
}

TEST_CASE("Queue: a confirm ends it, also a late one and one that is repeated") {
  Caller caller;
  Calm(caller);
  PostMany(caller, 2);
  caller.Take();
  CHECK(caller.Confirm(kFirst).root()["tmc_messages_confirm_response"]["is_success"].Bool() == true);
  CHECK(caller.Confirm(kFirst).root()["tmc_messages_confirm_response"]["is_success"].Bool() == true);
  CHECK(caller.heart.world().record.confirms[1].again == 1);
  caller.clock.passed = 301s;
  caller.Confirm(kSecond);
  CHECK(caller.Take() == "");
  CHECK(caller.heart.world().record.violations.empty());
}

TEST_CASE("Queue: what a confirm should never hold is noted") {
  Caller caller;
  Calm(caller);
  PostMany(caller, 1);
  caller.Take();
  CHECK(caller.Confirm("7104300007400009999").ErrorCode() == 0);
  CHECK(caller.Wrongs("id_never_handed_out") == 1);
  CHECK(caller.heart.world().record.confirms.back().unknown == 1);
  caller.Confirm(std::string(kFirst) + "," + kFirst);
  CHECK(caller.Wrongs("id_twice_in_one_call") == 1);
  caller.Confirm("7,x");
  CHECK(caller.Wrongs("malformed_id") == 1);
  CHECK(caller.Call("taobao.tmc.messages.confirm").SubCode() == "isv.missing-parameter:s_message_ids");
}

TEST_CASE("Queue: 200 ids are taken, 201 are refused and change nothing") {
  Caller caller;
  Calm(caller);
  PostMany(caller, 201);
  std::string ids = caller.Take({{"quantity", "200"}});
  ids += "," + caller.Take();
  CHECK(caller.Confirm(ids).ErrorCode() == 41);
  CHECK(caller.Wrongs("too_many_ids") == 1);
  CHECK(caller.heart.world().queue.Count().confirmed == 0);
  CHECK(caller.Confirm(ids.substr(0, ids.rfind(','))).ErrorCode() == 0);
  CHECK(caller.heart.world().queue.Count().confirmed == 200);
}

TEST_CASE("Queue: the quantity is 10 to 200, 100 without one") {
  Caller caller;
  PostMany(caller, 150);
  CHECK(caller.Consume({{"quantity", "9"}}).SubCode() == "isv.invalid-parameter:quantity");
  CHECK(caller.Consume({{"quantity", "201"}}).ErrorCode() == 41);
  CHECK(caller.Wrongs("bad_quantity") == 2);
  CHECK(Split(caller.Take(), ',').size() == 100);
  caller.Post("/switches", R"({"clamp_quantity":true})");
  CHECK(Split(caller.Take({{"quantity", "9"}}), ',').size() == 10);
}

TEST_CASE("Queue: groups have queues of their own") {
  Caller caller;
  Calm(caller);
  caller.Post("/messages", R"({"content":"d"})");
  CHECK(caller.Consume({{"group_name", "east"}}).ErrorCode() == 41);
  caller.Post("/scenario", R"({"app":{"groups":["east","west"]}})");
  caller.Post("/messages", R"([{"content":"e"},{"content":"w","group":"west"}])");
  CHECK(caller.Take() == kFirst);
  CHECK(caller.Take({{"group_name", "west"}}) == "7104300007400000103");
  CHECK(caller.Take({{"group_name", "east"}}) == kSecond);
  caller.Confirm(kSecond);  // from the default group: foreign, changes nothing
  CHECK(caller.heart.world().record.confirms.back().foreign == 1);
  CHECK_FALSE(caller.heart.world().queue.at(1).confirmed);
}

TEST_CASE("Queue: a duplicate comes in the same batch, or after the confirm") {
  Caller caller;
  Calm(caller);
  caller.Post("/messages", R"({"content":"x","duplicates":1})");
  CHECK(caller.Take() == std::string(kFirst) + "," + kFirst);
  caller.Post("/messages", R"({"content":"y","duplicates":1,"duplicate_gap":"5s"})");
  CHECK(caller.Take() == kSecond);
  caller.Confirm(std::string(kFirst) + "," + kSecond);
  CHECK(caller.Take() == "");
  caller.clock.passed = 5s;
  CHECK(caller.Take() == kSecond);
  CHECK(caller.heart.world().record.handed.back().after_confirm);
}

TEST_CASE("Queue: by a switch confirmed messages come once more") {
  Caller caller;
  caller.Post("/switches", R"({"duplicates":1,"duplicate_gap":"2s"})");
  PostMany(caller, 1);
  caller.Confirm(caller.Take());
  CHECK(caller.Take() == "");
  caller.clock.passed = 2s;
  CHECK(caller.Take() == kFirst);
  caller.clock.passed = 1h;
  CHECK(caller.Take() == "");
}

TEST_CASE("Queue: messages are kept 24 hours") {
  Caller caller;
  Calm(caller);
  caller.Post("/messages", R"([{"content":"old","at":"-24h"},{"content":"too old","at":"-1441m"}])");
  CHECK(caller.Take() == kFirst);
  CHECK(caller.heart.world().queue.Count().lost == 1);
}

TEST_CASE("Queue: a message that is due later comes later") {
  Caller caller;
  caller.Post("/messages", R"({"content":"x","at":"+5s"})");
  CHECK(caller.Take() == "");
  caller.clock.passed = 5s;
  CHECK(caller.Take() == kFirst);
}

TEST_CASE("Queue: redeliver hands everything unconfirmed out at once") {
  Caller caller;
  PostMany(caller, 3);
  caller.Take();
  caller.Confirm(kFirst);
  caller.Post("/redeliver", "{}");
  CHECK(Split(caller.Take(), ',').size() == 2);
}

TEST_CASE("Queue: order within a batch and across batches by chance") {
  Caller caller;
  caller.Post("/switches", R"({"reorder":100})");
  PostMany(caller, 100);
  const std::string first = caller.Take({{"quantity", "10"}});
  auto ids = Split(first, ',');
  CHECK_FALSE(std::is_sorted(ids.begin(), ids.end()));
  CHECK(std::any_of(ids.begin(), ids.end(), [](auto id) { return id > "7104300007400000110"; }));
}

TEST_CASE("Queue: partial batches hold at least one message") {
  Caller caller;
  caller.Post("/switches", R"({"partial":true})");
  PostMany(caller, 100);
  size_t taken = 0, calls = 0;
  for (; taken < 100 && calls < 100; ++calls) taken += Split(caller.Take(), ',').size();
  CHECK(taken == 100);
  CHECK(calls > 1);
}

TEST_CASE("Queue: six forms of nothing") {
  Caller caller;
  const auto body = [&](const char* form) {
    caller.Post("/switches", std::string(R"({"shuffle_fields":false,"empty":")") + form + "\"}");
    const std::string text = caller.Consume().response.body;
    return text.substr(0, text.find("\"request_id\""));
  };
  CHECK(body("object") == R"({"tmc_messages_consume_response":{"messages":{},)");
  CHECK(body("missing") == R"({"tmc_messages_consume_response":{)");
  CHECK(body("null") == R"({"tmc_messages_consume_response":{"messages":null,)");
  CHECK(body("text") == R"({"tmc_messages_consume_response":{"messages":"",)");
  CHECK(body("array") == R"({"tmc_messages_consume_response":{"messages":[],)");
  CHECK(body("list") == R"({"tmc_messages_consume_response":{"messages":{"tmc_message":[]},)");
  CHECK(caller.Post("/switches", R"({"empty":"nothing"})").response.status == 400);
}

TEST_CASE("Queue: refused ids fail the whole confirm, every time") {
  Caller caller;
  Calm(caller);
  PostMany(caller, 2);
  const std::string both = caller.Take();
  caller.Post("/refuse", std::string(R"({"ids":[")") + kSecond + "\"]}");
  CHECK(caller.Confirm(both).root()["tmc_messages_confirm_response"]["is_success"].Bool() == false);
  CHECK(caller.heart.world().queue.Count().confirmed == 0);
  CHECK(caller.Confirm(kFirst).root()["tmc_messages_confirm_response"]["is_success"].Bool() == true);
  caller.Post("/switches", R"({"refuse_with_error":true})");
  CHECK(caller.Confirm(kSecond).ErrorCode() == 41);
  caller.Tell("DELETE", "/refuse", "");
  CHECK(caller.Confirm(kSecond).ErrorCode() == 0);
}

TEST_CASE("Queue: a held consume answers when a message comes, or when its time is over") {
  Caller caller;
  caller.Post("/switches", R"({"hold":"10s"})");
  const auto first = caller.Consume().response.hold;
  REQUIRE(first);
  CHECK_FALSE(caller.heart.Held(*first));
  CHECK(caller.heart.Patience(*first) == 10s);
  PostMany(caller, 1);
  const auto answer = caller.heart.Held(*first);
  REQUIRE(answer);
  CHECK(answer->body.find(kFirst) != std::string::npos);
  CHECK_FALSE(caller.heart.Held(*first));

  const auto second = caller.Consume().response.hold;
  caller.clock.passed = 10s;
  const auto nothing = caller.heart.Held(*second);
  REQUIRE(nothing);
  CHECK(nothing->body.find(R"("messages":{})") != std::string::npos);
}

TEST_CASE("Queue: a held consume of a caller who left takes nothing") {
  Caller caller;
  caller.Post("/switches", R"({"hold":"10s"})");
  const auto ticket = caller.Consume().response.hold;
  REQUIRE(ticket);
  caller.heart.Abandon(*ticket);
  PostMany(caller, 1);
  CHECK_FALSE(caller.heart.Held(*ticket));
  CHECK(caller.Take() == kFirst);
}

TEST_CASE("Queue: a fault is answered at once, although the call could be held") {
  Caller caller;
  caller.Post("/switches", R"({"hold":"10s"})");
  caller.Post("/faults", R"({"empty":"missing"})");
  const Parsed answer = caller.Consume();
  CHECK_FALSE(answer.response.hold);
  CHECK(answer.root()["tmc_messages_consume_response"]["request_id"].Exists());
  CHECK(caller.Consume().response.hold);
}

TEST_CASE("Queue: a fault that comes while a call is held concerns its answer") {
  Caller caller;
  caller.Post("/switches", R"({"hold":"10s"})");
  const auto ticket = caller.Consume().response.hold;
  REQUIRE(ticket);
  caller.Post("/faults", R"({"api":"consume","drop":"after"})");
  PostMany(caller, 1);
  const auto answer = caller.heart.Held(*ticket);
  REQUIRE(answer);
  CHECK(answer->ending == Ending::kDrop);
  CHECK(caller.heart.world().queue.at(0).handed == 1);
}
