#include "tests/simulator/scenario.h"

#include <doctest/doctest.h>

#include "tests/simulator/caller_support.h"

using namespace tmc;
using namespace tmc::sim;

TEST_CASE("Scenario: a whole platform from one text") {
  Caller caller;
  const Complaint complaint = LoadScenario(caller.heart.world(), R"({
    "about": "two shops",
    "app": {"app_key": "12345678", "app_secret": "helloworld", "groups": ["east"]},
    "clock_offset": "30s",
    "switches": {"visibility": "5s", "hold": "0s"},
    "limits": {"daily_quota": 1000},
    "shops": [{"user_id": "1", "nick": "a", "session": "sa"}, {"user_id": "2", "nick": "b", "session": "sb", "dead": true}],
    "orders": [{"tid": "10", "shop": "a", "truths": [{"at": "-90s"}, {"at": "-30s", "status": "TRADE_FINISHED"}]}],
    "messages": [{"topic": "taobao_trade_TradeSuccess", "tid": "10"}, {"topic": "x_y_Z", "content": "?", "shop": "b"}],
    "refused_ids": ["99"],
    "faults": [{"api": "consume", "status": 502}]})");
  CHECK_FALSE(complaint);
  World& world = caller.heart.world();
  CHECK(world.offset == 30s);
  CHECK(world.queue.rules.visibility == 5s);
  CHECK(world.shops.at(2).dead);
  CHECK(world.trades.FindOrder("10")->truths.size() == 2);
  CHECK(world.queue.at(0).group == "east");
  CHECK(world.queue.at(0).shop == "a");
  CHECK(world.queue.at(0).published == world.Now());
  CHECK(world.refused_ids.contains("99"));
  CHECK(world.faults.all().size() == 1);
}

TEST_CASE("Scenario: a mistake is named with its place") {
  Caller caller;
  World& world = caller.heart.world();
  CHECK(LoadScenario(world, R"({"ordres":[]})").value_or("").find("unknown member \"ordres\"") == 0);
  CHECK(LoadScenario(world, R"({"orders":[{"tid":"1"},{"status":"x"}]})").value_or("").find("orders[1]:") ==
        0);
  CHECK(LoadScenario(world, R"({"shops":[{"user_id":"x","nick":"n"}]})").value_or("").find("shops[0]:") == 0);
  CHECK(LoadScenario(world, R"({"messages":[{"at":"whenever"}]})").value_or("").find("\"at\"") !=
        std::string::npos);
  CHECK(LoadScenario(world, "{").has_value());
}

TEST_CASE("Scenario: generated orders and messages belong together, one seed repeats them") {
  const auto make = [](const char* seed) {
    Caller caller;
    caller.Post("/generate", std::string(R"({"orders":40,"messages":100,"seed":)") + seed + "}");
    World& world = caller.heart.world();
    CHECK(world.trades.orders().size() == 40);
    CHECK(world.queue.messages().size() == 100);
    std::string topics;
    for (const Message& message : world.queue.messages())
      topics += message.topic + message.entry.substr(0, 20);
    const auto window = world.trades.Window(0, world.Now() - 31min, world.Now(), world.Now());
    CHECK(window.size() == 40);
    return topics;
  };
  CHECK(make("1") == make("1"));
  CHECK(make("1") != make("2"));
}

TEST_CASE("Control: the record tells what was handed out, confirmed, read, listed and wrong") {
  Caller caller;
  caller.Post("/orders", std::string(R"({"tid":")") + kTid + R"(","at":"-1m"})");
  caller.Post("/messages", std::string(R"({"tid":")") + kTid + "\"}");
  const std::string id = caller.Take();
  caller.ReadTrade(kTid);
  caller.Call("taobao.trades.sold.increment.get", {{"fields", "tid"},
                                                   {"session", "session-1"},
                                                   {"start_modified", "2026-01-15 08:00:00"},
                                                   {"end_modified", "2026-01-15 08:30:00"}});
  caller.Confirm(id);
  caller.Call("taobao.time.get", {{"sign", "AB"}});
  const Parsed record = caller.Tell("GET", "/record", "");
  const auto root = record.root();
  CHECK(root["handed"].At(0)["id"].Text() == id);
  CHECK(root["handed"].At(0)["nth"].Int() == 1);
  CHECK(root["confirms"].At(0)["ids"].At(0).Text() == id);
  CHECK(root["confirms"].At(0)["fresh"].Int() == 1);
  CHECK(root["reads"].At(0)["tid"].Text() == kTid);
  CHECK(root["reads"].At(0)["status"].Text() == "WAIT_BUYER_PAY");
  CHECK(root["windows"].At(0)["total"].Int() == 1);
  CHECK(root["violations"].At(0)["what"].Text() == "bad_signature");
  CHECK(root["calls_by_api"]["taobao.time.get"].Int() == 1);
  CHECK(root["call_list"].Size() == 5);
  CHECK(root["call_list"].At(4)["outcome"].Text() == "error 25");
  const Parsed summary = caller.Tell("GET", "/record?summary", "");
  CHECK(summary.root()["ids_confirmed"].Int() == 1);
  CHECK_FALSE(summary.root()["handed"].Exists());
  caller.Tell("DELETE", "/record", "");
  CHECK(caller.Tell("GET", "/record", "").root()["calls"].Int() == 0);
}

TEST_CASE("Control: queue and state tell what is left") {
  Caller caller;
  caller.Post("/messages", R"([{"content":"1"},{"content":"2"}])");
  caller.Confirm(caller.Take({{"quantity", "10"}}).substr(0, 19));
  const Parsed queue = caller.Tell("GET", "/queue", "");
  CHECK(queue.root()["unconfirmed"].Int() == 1);
  CHECK(queue.root()["open"].Size() == 1);
  CHECK(queue.root()["open"].At(0)["handed"].Int() == 1);
  caller.Post("/faults", R"({"times":3,"status":500})");
  caller.Call("taobao.time.get");
  const Parsed state = caller.Tell("GET", "/state", "");
  CHECK(state.root()["now"].Text() == "2026-01-15 08:30:00");
  CHECK(state.root()["faults"].At(0)["hits"].Int() == 1);
  CHECK(state.root()["shops"].At(0)["nick"].Text() == "测试店铺01");
}

TEST_CASE("Control: an unknown call lists those there are") {
  Caller caller;
  const Parsed answer = caller.Tell("GET", "/help", "");
  CHECK(answer.response.status == 404);
  CHECK(answer.root()["error"].Text().value_or("").find("POST /messages") != std::string::npos);
}
