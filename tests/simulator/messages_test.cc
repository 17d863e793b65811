#include <doctest/doctest.h>

#include "tests/simulator/caller_support.h"

using namespace tmc;
using namespace tmc::sim;

namespace {

std::string Entry(Caller& caller, const std::string& message) {
  caller.Post("/messages", message);
  return caller.Consume().response.body;
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace

TEST_CASE("Messages: an entry has the documented members, its content is text") {
  Caller caller;
  caller.Post("/orders",
              std::string(R"({"tid":")") + kTid + R"(","status":"WAIT_BUYER_PAY","payment":"120.00"})");
  caller.Post("/messages", std::string(R"({"topic":"taobao_trade_TradeCreate","tid":")") + kTid + R"("})");
  const Parsed answer = caller.Consume();
  const auto entry = answer.root()["tmc_messages_consume_response"]["messages"]["tmc_message"].At(0);
  CHECK(entry["id"].Text() == "7104300007400000101");
  CHECK(entry["topic"].Text() == "taobao_trade_TradeCreate");
  CHECK(entry["user_id"].Text() == "123456789");
  CHECK(entry["user_nick"].Text() == "测试店铺01");
  CHECK(entry["pub_time"].Text() == "2026-01-15 08:30:00");
  CHECK(entry["pub_app_key"].Text() == "12497914");
  json::Document content;
  REQUIRE_FALSE(content.Parse(*entry["content"].Text()));
  CHECK(content.root()["tid"].Text() == kTid);
  CHECK(content.root()["status"].Text() == "WAIT_BUYER_PAY");
  CHECK(content.root()["payment"].Text() == "120.00");
  CHECK(Has(answer.response.body, R"("id":7104300007400000101)"));
}

TEST_CASE("Messages: content is what was posted, an object's bytes or a poison text") {
  Caller caller;
  CHECK(Has(Entry(caller, R"({"content":{"tid": 1, "x":1.10}})"), R"({\"tid\": 1, \"x\":1.10})"));
  CHECK(Has(Entry(caller, R"({"content":"{\"tid\":"})"), R"("content":"{\"tid\":")"));
  CHECK(Has(Entry(caller, R"({"content":""})"), R"("content":"")"));
}

TEST_CASE("Messages: every flaw of an entry is there, byte for byte") {
  const auto flawed = [](const char* flaw) {
    Caller caller;
    return Entry(caller, std::string(R"({"content":"c","flaw":")") + flaw + "\"}");
  };
  CHECK(Has(flawed("gbk_nick"), "\"user_nick\":\"\xD5\xC5\xC8\xFD\""));
  CHECK(Has(flawed("half_emoji"), "\xF0\x9F\x98\""));
  CHECK(Has(flawed("half_surrogate"), "\\ud83d\""));
  CHECK(Has(flawed("control_char"), "\x01\""));
  CHECK(Has(flawed("id_text"), R"("id":"7104300007400000101")"));
  CHECK_FALSE(Has(flawed("no_id"), R"("id":)"));
  CHECK_FALSE(Has(flawed("no_topic"), R"("topic":)"));
  CHECK_FALSE(Has(flawed("no_content"), R"("content":)"));
  CHECK_FALSE(Has(flawed("no_nick"), R"("user_nick":)"));
  CHECK(Has(flawed("null_content"), R"("content":null)"));
  Caller caller;
  CHECK(caller.Post("/messages", R"({"flaw":"rusty"})").response.status == 400);
}

TEST_CASE("Messages: an entry without id cannot be confirmed and comes again") {
  Caller caller;
  caller.Post("/switches", R"({"jitter":0})");
  Entry(caller, R"({"content":"c","flaw":"no_id"})");
  caller.Confirm("7104300007400000101");
  caller.clock.passed = 300s;
  CHECK(caller.Take() == "none");
}

TEST_CASE("Messages: raw bytes can stand in the place of an entry") {
  Caller caller;
  CHECK(Has(Entry(caller, R"({"id":"77","raw_entry":"{\"id\":77,,}"})"), R"([{"id":77,,}])"));
  CHECK(Has(Entry(caller, R"({"id":"78","raw_entry_hex":"7B22D5C57D"})"), "{\"\xD5\xC5}"));
  CHECK(caller.Post("/messages", R"({"raw_entry_hex":"7"})").response.status == 400);
  caller.Confirm("77,78");
  CHECK(caller.heart.world().queue.Count().confirmed == 2);
}

TEST_CASE("Messages: ids that are no numbers are texts, also with a NUL inside") {
  Caller caller;
  CHECK(Has(Entry(caller, R"({"id":"A\u0000B","content":"c"})"), R"("id":"A\u0000B")"));
}

TEST_CASE("Messages: escapes write slashes and Chinese as escapes") {
  Caller caller;
  const std::string body = Entry(caller, R"({"content":"a/b测😀","escapes":true})");
  CHECK(Has(body, R"("content":"a\/b\u6d4b\ud83d\ude00")"));
}

TEST_CASE("Messages: a shop that is nobody leaves its members out") {
  Caller caller;
  CHECK_FALSE(Has(Entry(caller, R"({"content":"c","shop":""})"), "user_id"));
  CHECK(caller.Post("/messages", R"({"content":"c","shop":"stranger"})").response.status == 400);
}
