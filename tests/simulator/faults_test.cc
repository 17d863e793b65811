#include <doctest/doctest.h>

#include "tests/simulator/caller_support.h"

using namespace tmc;
using namespace tmc::sim;

namespace {

int64_t TimeCode(Caller& caller) {
  return caller.Call("taobao.time.get").ErrorCode();
}

}  // namespace

TEST_CASE("Faults: an error for the next two calls of one interface") {
  Caller caller;
  caller.Post("/faults", R"({"api":"taobao.time.get","times":2,
      "error":{"code":15,"msg":"Remote service error","sub_code":"isp.remote-service-timeout","sub_msg":"忙"}})");
  CHECK(caller.Call("taobao.tmc.groups.get").ErrorCode() == 0);
  const Parsed first = caller.Call("taobao.time.get");
  CHECK(first.SubCode() == "isp.remote-service-timeout");
  CHECK(first.root()["error_response"]["sub_msg"].Text() == "忙");
  CHECK(TimeCode(caller) == 15);
  CHECK(TimeCode(caller) == 0);
}

TEST_CASE("Faults: skip lets calls pass, match picks them, for ends them") {
  Caller caller;
  caller.Post("/faults", R"({"api":"time.get","skip":1,"error":{"code":10}})");
  CHECK(TimeCode(caller) == 0);
  CHECK(TimeCode(caller) == 10);
  caller.Post("/faults", R"({"api":"fullinfo.get","match":{"tid":"2"},"times":0,"error":{"code":10}})");
  CHECK(caller.ReadTrade("1").ErrorCode() == 15);
  CHECK(caller.ReadTrade("2").ErrorCode() == 10);
  CHECK(caller.ReadTrade("2").ErrorCode() == 10);
  caller.Tell("DELETE", "/faults", "");
  CHECK(caller.ReadTrade("2").ErrorCode() == 15);
  caller.Post("/faults", R"({"for":"5s","error":{"code":11}})");
  CHECK(TimeCode(caller) == 11);
  caller.clock.passed = 5s;
  CHECK(TimeCode(caller) == 0);
}

TEST_CASE("Faults: several come one after the other") {
  Caller caller;
  caller.Post(
      "/faults",
      R"([{"status":502},{"body":"[]"},{"status":204},{"body":{"a":1}},{"body":""},{"body_hex":"FF00"}])");
  const SimResponse first = caller.Call("taobao.time.get").response;
  CHECK(first.status == 502);
  CHECK(first.content_type == "text/html");
  CHECK(first.body.find("<html>") == 0);
  CHECK(caller.Call("taobao.time.get").response.body == "[]");
  CHECK(caller.Call("taobao.time.get").response.status == 204);
  CHECK(caller.Call("taobao.time.get").response.body == R"({"a":1})");
  CHECK(caller.Call("taobao.time.get").response.body == "");
  CHECK(caller.Call("taobao.time.get").response.body == std::string("\xFF\0", 2));
  CHECK(TimeCode(caller) == 0);
  CHECK(caller.heart.world().record.calls.front().outcome == "http 502");
}

TEST_CASE("Faults: a ban names the seconds that are left, and calls during it are noted") {
  Caller caller;
  caller.Post("/faults", R"({"api":"time.get","ban":"10s"})");
  const Parsed first = caller.Call("taobao.time.get");
  CHECK(first.ErrorCode() == 7);
  CHECK(first.SubCode() == "accesscontrol.limited-by-app-api-access-count");
  CHECK(first.root()["error_response"]["sub_msg"].Text() == "This ban will last for 10 more seconds");
  CHECK(caller.Wrongs("call_during_ban") == 0);
  caller.clock.passed = 7500ms;
  CHECK(caller.Call("taobao.tmc.groups.get").ErrorCode() == 0);
  CHECK(caller.Call("taobao.time.get").root()["error_response"]["sub_msg"].Text() ==
        "This ban will last for 3 more seconds");
  CHECK(caller.Wrongs("call_during_ban") == 1);
  caller.clock.passed = 10s;
  CHECK(TimeCode(caller) == 0);
}

TEST_CASE("Faults: a daily quota ends at midnight of UTC+8") {
  Caller caller;
  caller.Post("/limits", R"({"daily_quota":2})");
  CHECK(TimeCode(caller) == 0);
  CHECK(caller.Call("taobao.tmc.groups.get").ErrorCode() == 0);
  const Parsed over = caller.Call("taobao.time.get");
  CHECK(over.SubCode() == "accesscontrol.limited-by-app-access-count");
  CHECK(over.root()["error_response"]["sub_msg"].Text() == "This ban will last for 55800 more seconds");
  CHECK(caller.Wrongs("call_after_quota") == 0);
  CHECK(caller.Call("taobao.tmc.groups.get").ErrorCode() == 7);
  CHECK(caller.Wrongs("call_after_quota") == 1);
  caller.clock.passed = 55800s;
  CHECK(TimeCode(caller) == 0);
}

TEST_CASE("Faults: too many calls in a second are banned for one") {
  Caller caller;
  caller.Post("/limits", R"({"per_second":{"taobao.time.get":3}})");
  for (int i = 0; i < 3; ++i) CHECK(TimeCode(caller) == 0);
  CHECK(TimeCode(caller) == 7);
  caller.clock.passed = 1s;
  CHECK(TimeCode(caller) == 0);
}

TEST_CASE("Faults: dropped before, nothing has changed - dropped after, everything has") {
  Caller caller;
  caller.Post("/switches", R"({"jitter":0})");
  caller.Post("/messages", R"([{"content":"1"},{"content":"2"}])");
  caller.Post("/faults", R"({"api":"consume","drop":"before"})");
  CHECK(caller.Consume().response.ending == Ending::kDrop);
  CHECK(caller.heart.world().queue.Count().handed == 0);
  caller.Post("/faults", R"([{"api":"consume","drop":"after"},{"api":"confirm","drop":"after"}])");
  CHECK(caller.Consume().response.ending == Ending::kDrop);
  CHECK(caller.heart.world().queue.Count().handed == 2);
  CHECK(caller.Take() == "");
  CHECK(caller.Confirm("7104300007400000101").response.ending == Ending::kDrop);
  CHECK(caller.heart.world().queue.Count().confirmed == 1);
  CHECK(caller.heart.world().record.calls.back().outcome == "ok, drop");
}

TEST_CASE("Faults: cut, stall, hang, reset, delay and trickle are told to the wire") {
  Caller caller;
  caller.Post(
      "/faults",
      R"([{"cut":10},{"hang":true},{"hang":"headers"},{"stall":7},{"reset":true},{"delay":"2s"},{"trickle":"5s"}])");
  const SimResponse cut = caller.Call("taobao.time.get").response;
  CHECK(cut.ending == Ending::kCut);
  CHECK(cut.bytes == 10);
  CHECK(cut.body.size() > 10);
  CHECK(caller.Call("taobao.time.get").response.ending == Ending::kHang);
  CHECK(caller.Call("taobao.time.get").response.ending == Ending::kStall);
  CHECK(caller.Call("taobao.time.get").response.bytes == 7);
  CHECK(caller.Call("taobao.time.get").response.ending == Ending::kReset);
  CHECK(caller.Call("taobao.time.get").response.delay == 2s);
  CHECK(caller.Call("taobao.time.get").response.trickle == 5s);
}

TEST_CASE("Faults: a confirm answers is_success false and does nothing") {
  Caller caller;
  caller.Post("/messages", R"({"content":"1"})");
  const std::string id = caller.Take();
  caller.Post("/faults", R"({"api":"confirm","is_success":false})");
  CHECK(caller.Confirm(id).root()["tmc_messages_confirm_response"]["is_success"].Bool() == false);
  CHECK(caller.heart.world().queue.Count().confirmed == 0);
  CHECK(caller.Confirm(id).root()["tmc_messages_confirm_response"]["is_success"].Bool() == true);
}

TEST_CASE("Faults: an error after the state has changed") {
  Caller caller;
  caller.Post("/messages", R"({"content":"1"})");
  const std::string id = caller.Take();
  caller.Post("/faults", R"({"api":"confirm","after":true,"status":500})");
  CHECK(caller.Confirm(id).response.status == 500);
  CHECK(caller.heart.world().queue.Count().confirmed == 1);
}

TEST_CASE("Faults: GBK with and without a header that says so, and a BOM") {
  Caller caller;
  caller.Post("/messages", R"([{"content":"张三昞"},{"content":"张三"},{"content":"x"}])");
  caller.Post("/faults", R"([{"charset":"GBK"},{"charset":"GBK","charset_named":false},{"bom":true}])");
  const SimResponse named = caller.Consume().response;
  CHECK(named.content_type == "application/json;charset=GBK");
  CHECK(named.body.find("\xD5\xC5\xC8\xFD\x95\x5C") != std::string::npos);
  caller.Post("/redeliver", "{}");
  const SimResponse bare = caller.Consume().response;
  CHECK(bare.content_type == "application/json");
  CHECK(bare.body.find("\xD5\xC5\xC8\xFD") != std::string::npos);
  CHECK(caller.Consume().response.body.starts_with("\xEF\xBB\xBF{"));
}

TEST_CASE("Faults: one call's empty form, one call's bare list") {
  Caller caller;
  caller.Post("/faults", R"([{"empty":"null"},{"api":"consume","bare_single":true}])");
  CHECK(caller.Consume().response.body.find(R"("messages":null)") != std::string::npos);
  caller.Post("/messages", R"({"content":"1"})");
  CHECK(caller.Consume().root()["tmc_messages_consume_response"]["messages"]["tmc_message"].IsObject());
}

TEST_CASE("Faults: a broken signature is told before any fault of the interface") {
  Caller caller;
  caller.Post("/faults", R"({"error":{"code":10}})");
  CHECK(caller.Call("taobao.time.get", {{"sign", "AB"}}).ErrorCode() == 25);
}

TEST_CASE("Faults: a chance of one half hits about every other call") {
  Caller caller;
  caller.Post("/faults", R"({"times":0,"chance":0.5,"error":{"code":10}})");
  int hits = 0;
  for (int i = 0; i < 200; ++i) hits += TimeCode(caller) == 10;
  CHECK(hits > 60);
  CHECK(hits < 140);
}

TEST_CASE("Faults: what cannot be understood is refused with the member's name") {
  Caller caller;
  for (const char* bad : {R"({"apj":"x"})", R"({"delay":"soon"})", R"({"times":"many"})", R"({"chance":2})",
                          R"({"error":{"kode":1}})", R"({"body_hex":"0"})", "[", "7"}) {
    CAPTURE(bad);
    const Parsed answer = caller.Post("/faults", bad);
    CHECK(answer.response.status == 400);
    CHECK(answer.root()["error"].Text().value_or("").size() > 5);
  }
  CHECK(caller.heart.world().faults.all().empty());
}
