#include <doctest/doctest.h>

#include "tests/simulator/caller_support.h"

using namespace tmc;
using namespace tmc::sim;

TEST_CASE("Gateway: a signed call is answered, with the platform's Date") {
  Caller caller;
  const Parsed answer = caller.Call("taobao.time.get");
  CHECK(answer.response.status == 200);
  CHECK(answer.response.date == "Thu, 15 Jan 2026 00:30:00 GMT");
  CHECK(answer.root()["time_get_response"]["time"].Text() == "2026-01-15 08:30:00");
  CHECK(caller.heart.world().record.violations.empty());
}

TEST_CASE("Gateway: each broken public parameter has its own code, at HTTP 200") {
  const struct {
    const char* name;
    const char* value;
    int code;
  } kCases[] = {{"app_key", "-", 28},   {"app_key", "87654321", 29},
                {"method", "-", 21},    {"method", "taobao.tmc.messages.confirm ", 22},
                {"timestamp", "-", 30}, {"timestamp", "2026-01-15 08:41:00", 31},
                {"v", "-", 32},         {"v", "1.0", 33},
                {"format", "JSON", 23}, {"sign_method", "sha1", 51},
                {"sign", "-", 24},      {"sign", "66987CB115214E59E6EC978214934FB8", 25}};
  for (const auto& one : kCases) {
    CAPTURE(one.name);
    Caller caller;
    SimRequest request = caller.Request("taobao.time.get", {{one.name, one.value}});
    if (one.code == 24) request.body.erase(request.body.find("&sign="), 6 + 64);
    const Parsed answer = caller.Send(request);
    if (one.code == 23)
      CHECK(answer.response.body.find("<code>23</code>") != std::string::npos);
    else
      CHECK(answer.ErrorCode() == one.code);
    CHECK(answer.response.status == 200);
    CHECK(caller.heart.world().record.violations.size() >= 1);
  }
}

TEST_CASE("Gateway: a verb that is neither POST nor GET is error 9") {
  Caller caller;
  SimRequest request = caller.Request("taobao.time.get");
  request.method = "PUT";
  CHECK(caller.Send(request).ErrorCode() == 9);
}

TEST_CASE("Gateway: parameters may be split over query and body, blanks as plus or %20") {
  Caller caller;
  const SimRequest whole =
      caller.Request("taobao.tmc.user.get", {{"fields", "user_nick"}, {"nick", "测试店铺01"}});
  const size_t middle = whole.body.find("&format");
  SimRequest split;
  split.query = Replace(whole.body.substr(0, middle), "%20", "+");
  split.body = Replace(whole.body.substr(middle + 1), "%20", "+");
  CHECK(caller.Send(split).ErrorCode() == 0);
  split.method = "GET";
  split.query += "&" + split.body;
  split.body.clear();
  CHECK(caller.Send(split).root()["tmc_user_get_response"]["tmc_user"]["user_nick"].Text() == "测试店铺01");
}

TEST_CASE("Gateway: a timestamp ten minutes off is taken, one second more is not") {
  Caller caller;
  CHECK(caller.Call("taobao.time.get", {{"timestamp", "2026-01-15 08:40:00"}}).ErrorCode() == 0);
  CHECK(caller.Call("taobao.time.get", {{"timestamp", "2026-01-15 08:19:59"}}).ErrorCode() == 31);
  CHECK(caller.Wrongs("bad_timestamp") == 1);
}

TEST_CASE("Gateway: without format the answer is XML, errors too, and it is noted") {
  Caller caller;
  const Parsed good = caller.Call("taobao.time.get", {{"format", "-"}});
  CHECK(good.response.body.find("<time_get_response>") != std::string::npos);
  CHECK(good.response.body.find("<time>2026-01-15 08:30:00</time>") != std::string::npos);
  CHECK(caller.Wrongs("xml_asked_for") == 1);
  const Parsed bad = caller.Call("taobao.trade.fullinfo.get", {{"format", "-"}});
  CHECK(bad.response.body.find("<error_response><code>26</code>") != std::string::npos);
}

TEST_CASE("Gateway: XML repeats a list's items inside the list") {
  Caller caller;
  caller.Post("/messages", R"([{"content":"{\"a\":\"<&>\"}"},{"content":"2"}])");
  const std::string body = caller.Consume({{"format", "xml"}}).response.body;
  CHECK(body.find("<messages><tmc_message>") != std::string::npos);
  CHECK(body.find("</tmc_message><tmc_message>") != std::string::npos);
  CHECK(body.find("&lt;&amp;&gt;") != std::string::npos);
}

TEST_CASE("Gateway: a session is missing, unknown, dead, and alive again") {
  Caller caller;
  const auto code = [&](const char* session) {
    return caller.Call("taobao.trade.fullinfo.get", {{"tid", kTid}, {"fields", "tid"}, {"session", session}})
        .ErrorCode();
  };
  CHECK(code("-") == 26);
  CHECK(code("nobody") == 27);
  CHECK(code("session-1") == 15);  // it is alive; there is no such order
  caller.Post("/sessions", R"({"shop":"测试店铺01","dead":true})");
  CHECK(code("session-1") == 27);
  caller.Post("/sessions", R"({"shop":"123456789","dead":false,"session":"session-2"})");
  CHECK(code("session-1") == 27);
  CHECK(code("session-2") == 15);
}

TEST_CASE("Gateway: simplify drops the wrapper levels and keeps error_response") {
  Caller caller;
  caller.Post("/messages", R"({"content":"x"})");
  const Parsed answer = caller.Consume({{"simplify", "true"}});
  CHECK(answer.root()["messages"].IsArray());
  CHECK(answer.root()["messages"].Size() == 1);
  CHECK(caller.Consume({{"simplify", "true"}, {"quantity", "5"}}).ErrorCode() == 41);
  caller.Post("/switches", R"({"simplify":true})");
  CHECK(caller.Call("taobao.time.get").root()["time"].Text() == "2026-01-15 08:30:00");
}

TEST_CASE("Gateway: the platform's clock can be wrong, and shows it everywhere") {
  Caller caller;
  caller.Post("/clock", R"({"offset":"-3m"})");
  const Parsed answer = caller.Call("taobao.time.get");
  CHECK(answer.root()["time_get_response"]["time"].Text() == "2026-01-15 08:27:00");
  CHECK(answer.response.date == "Thu, 15 Jan 2026 00:27:00 GMT");
  caller.Post("/clock", R"({"advance":"-8m"})");
  const Parsed refused = caller.Call("taobao.time.get");
  CHECK(refused.ErrorCode() == 31);
  CHECK(refused.response.date == "Thu, 15 Jan 2026 00:19:00 GMT");
}

TEST_CASE("Gateway: another path is 404, an empty parameter is noted") {
  Caller caller;
  SimRequest request = caller.Request("taobao.time.get");
  request.body += "&extra=";
  CHECK(caller.Send(request).ErrorCode() == 0);
  CHECK(caller.Wrongs("empty_parameter") == 1);
  request.path = "/";
  CHECK(caller.Send(request).response.status == 404);
}

TEST_CASE("Gateway: field order varies from answer to answer, and one seed repeats it") {
  const auto orders = [](uint64_t seed) {
    Caller caller(seed);
    caller.Post("/orders", std::string(R"({"tid":")") + kTid + R"(","status":"WAIT_BUYER_PAY"})");
    std::string all;
    for (int i = 0; i < 5; ++i) all += caller.ReadTrade(kTid).response.body;
    return all;
  };
  CHECK(orders(1) == orders(1));
  CHECK(orders(1) != orders(2));
}

TEST_CASE("Gateway: fields nobody has heard of appear by a switch") {
  Caller caller;
  CHECK(caller.Call("taobao.time.get").response.body.find("x_unheard_of") == std::string::npos);
  caller.Post("/switches", R"({"unknown_fields":true})");
  CHECK(caller.Call("taobao.time.get").response.body.find("x_unheard_of") != std::string::npos);
}

TEST_CASE("Gateway: users, groups and queue answer as documented") {
  Caller caller;
  caller.Post("/scenario",
              R"({"app":{"groups":["orders_east"],"topics":["taobao_trade_TradeCreate","b_c_D"]}})");
  const Parsed user =
      caller.Call("taobao.tmc.user.get", {{"fields", "user_nick,topics,group_name"}, {"nick", "测试店铺01"}});
  const auto told = user.root()["tmc_user_get_response"]["tmc_user"];
  CHECK(told["topics"]["string"].Size() == 2);
  CHECK(told["group_name"].Text() == "orders_east");
  CHECK_FALSE(told["user_id"].Exists());
  CHECK(caller.Call("taobao.tmc.user.get", {{"fields", "topics"}, {"nick", "nobody"}}).ErrorCode() == 15);
  CHECK(caller.Call("taobao.tmc.user.permit", {{"topics", "b_c_D"}, {"session", "session-1"}})
            .root()["tmc_user_permit_response"]["is_success"]
            .Bool() == true);
  CHECK(caller.heart.world().shops.at(0).topics == std::vector<std::string>{"b_c_D"});
  caller.Call("taobao.tmc.user.permit", {{"session", "session-1"}});
  CHECK(caller.heart.world().shops.at(0).topics.size() == 2);
  const Parsed groups = caller.Call("taobao.tmc.groups.get");
  CHECK(groups.root()["tmc_groups_get_response"]["groups"]["tmc_group"].At(0)["name"].Text() ==
        "orders_east");
  caller.Post("/messages", R"([{"content":"1"},{"content":"2"}])");
  const Parsed queue = caller.Call("taobao.tmc.queue.get", {{"group_name", "orders_east"}});
  const auto row = queue.root()["tmc_queue_get_response"]["datas"]["tmc_queue_info"].At(0);
  CHECK(row["put_toal"].Int() == 2);
  CHECK(row["get_total"].Int() == 0);
}
