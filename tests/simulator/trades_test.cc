#include <doctest/doctest.h>

#include <set>

#include "tests/simulator/caller_support.h"

using namespace tmc;
using namespace tmc::sim;

namespace {

std::string Told(const std::string& tid, const std::string& rest) {
  return "{\"tid\":\"" + tid + "\"," + rest + "}";
}

struct Page {
  std::vector<std::string> tids;
  std::optional<int64_t> total;
  std::optional<bool> has_next;
};

Page List(Caller& caller, Params params) {
  params.emplace("fields", "tid,modified");
  params.emplace("session", "session-1");
  const Parsed answer = caller.Call("taobao.trades.sold.increment.get", std::move(params));
  const auto root = answer.root()["trades_sold_increment_get_response"];
  Page page{{}, root["total_results"].Int(), root["has_next"].Bool()};
  const auto rows = root["trades"]["trade"];
  for (size_t i = 0; i < rows.Size(); ++i) page.tids.emplace_back(*rows.At(i)["tid"].Text());
  return page;
}

Params Window(const char* from, const char* to) {
  return {{"start_modified", from}, {"end_modified", to}};
}

Params Morning() {
  return Window("2026-01-15 08:00:00", "2026-01-15 08:30:00");
}

void MakeOrders(Caller& caller, int count, const char* at) {
  for (int i = 0; i < count; ++i)
    caller.Post("/orders", Told(std::to_string(1000 + i), std::string(R"("at":")") + at + '"'));
}

}  // namespace

TEST_CASE("Trades: only what is asked for comes back, numbers and texts as they were given") {
  Caller caller;
  caller.Post(
      "/orders",
      Told(kTid, R"("status":"WAIT_SELLER_SEND_GOODS","payment":1.10,"lines":[{"oid":5},{"num":3}])"));
  const std::string body = caller.ReadTrade(kTid, "tid,payment,orders").response.body;
  CHECK(body.find(std::string(R"("tid":)") + kTid) != body.npos);
  CHECK(body.find(R"("payment":1.10)") != body.npos);
  CHECK(body.find(R"("orders":{"order":[{)") != body.npos);
  CHECK(body.find(R"("oid_str":"5")") != body.npos);
  CHECK(body.find("modified") == body.npos);
  const std::string narrow = caller.ReadTrade(kTid, "orders.oid").response.body;
  CHECK(narrow.find(R"({"oid":5})") != narrow.npos);
  CHECK(narrow.find("payment") == narrow.npos);
}

TEST_CASE("Trades: a change keeps what it does not name, and bumps modified") {
  Caller caller;
  caller.Post("/orders", Told(kTid, R"("status":"WAIT_BUYER_PAY","payment":"120.00","at":"-10m")"));
  caller.Post("/orders", Told(kTid, R"("status":"WAIT_SELLER_SEND_GOODS")"));
  const Parsed read = caller.ReadTrade(kTid, "payment,status,modified,created,pay_time,orders.status");
  const auto trade = read.root()["trade_fullinfo_get_response"]["trade"];
  CHECK(trade["payment"].Text() == "120.00");
  CHECK(trade["status"].Text() == "WAIT_SELLER_SEND_GOODS");
  CHECK(trade["created"].Text() == "2026-01-15 08:20:00");
  CHECK(trade["modified"].Text() == "2026-01-15 08:30:00");
  CHECK(trade["pay_time"].Text() == "2026-01-15 08:30:00");
  CHECK(trade["orders"]["order"].At(0)["status"].Text() == "WAIT_SELLER_SEND_GOODS");
  caller.clock.passed = 5s;
  caller.Post("/orders", Told(kTid, R"("pay_time":null,"keep_modified":true)"));
  CHECK(caller.ReadTrade(kTid, "pay_time").response.body.find("pay_time") == std::string::npos);
  CHECK(caller.ReadTrade(kTid).response.body.find("2026-01-15 08:30:00") != std::string::npos);
}

TEST_CASE("Trades: several truths within one second have one modified") {
  Caller caller;
  caller.Post("/orders", Told(kTid, R"("truths":[{"at":"+100ms","status":"WAIT_BUYER_PAY"},
      {"at":"+400ms","status":"WAIT_SELLER_SEND_GOODS"},{"at":"+900ms","status":"WAIT_BUYER_CONFIRM_GOODS"}])"));
  CHECK(caller.StatusOf(kTid) == "isv.trade-not-exist");
  caller.clock.passed = 100ms;
  CHECK(caller.StatusOf(kTid) == "WAIT_BUYER_PAY");
  caller.clock.passed = 400ms;
  CHECK(caller.StatusOf(kTid) == "WAIT_SELLER_SEND_GOODS");
  caller.clock.passed = 900ms;
  CHECK(caller.StatusOf(kTid) == "WAIT_BUYER_CONFIRM_GOODS");
  for (const auto& read : caller.heart.world().record.reads)
    if (read.outcome == "ok") CHECK(read.modified == "2026-01-15 08:30:00");
}

TEST_CASE("Trades: reads lag behind, for an order or for all") {
  Caller caller;
  caller.Post("/orders", Told(kTid, R"("truths":[{"at":"-1m","status":"WAIT_BUYER_PAY"},
      {"at":"-5s","status":"WAIT_SELLER_SEND_GOODS"}],"lag":"20s")"));
  CHECK(caller.StatusOf(kTid) == "WAIT_BUYER_PAY");
  caller.clock.passed = 15s;
  CHECK(caller.StatusOf(kTid) == "WAIT_SELLER_SEND_GOODS");
  caller.Post("/orders", Told("77", R"("at":"-5s")"));
  caller.Post("/switches", R"({"read_lag":"6s"})");
  CHECK(caller.StatusOf("77") == "isv.trade-not-exist");
  CHECK(caller.StatusOf(kTid) == "WAIT_SELLER_SEND_GOODS");
}

TEST_CASE("Trades: the next reads see the truth before the present one") {
  Caller caller;
  caller.Post("/orders", Told(kTid, R"("truths":[{"at":"-1m","status":"WAIT_BUYER_PAY"},
      {"at":"-5s","status":"WAIT_SELLER_SEND_GOODS"}],"stale_reads":2)"));
  CHECK(caller.StatusOf(kTid) == "WAIT_BUYER_PAY");
  CHECK(caller.StatusOf(kTid) == "WAIT_BUYER_PAY");
  CHECK(caller.StatusOf(kTid) == "WAIT_SELLER_SEND_GOODS");
}

TEST_CASE("Trades: an order appears only after some reads, and then in lists") {
  Caller caller;
  caller.Post("/orders", Told(kTid, R"("at":"-1m","hidden_reads":2)"));
  CHECK(List(caller, Morning()).total == 0);
  CHECK(caller.StatusOf(kTid) == "isv.trade-not-exist");
  CHECK(caller.StatusOf(kTid) == "isv.trade-not-exist");
  CHECK(caller.StatusOf(kTid) == "WAIT_BUYER_PAY");
  CHECK(List(caller, Morning()).total == 1);
}

TEST_CASE("Trades: lists follow changes that were announced for later") {
  Caller caller;
  caller.Post("/orders",
              Told("1", R"("truths":[{"at":"-10m"},{"at":"+5s","status":"TRADE_CLOSED_BY_TAOBAO"}])"));
  CHECK(List(caller, Morning()).total == 1);
  caller.clock.passed = 5s;
  CHECK(List(caller, Morning()).total == 0);
  CHECK(List(caller, Window("2026-01-15 08:30:05", "2026-01-15 08:31:00")).total == 1);
}

TEST_CASE("Trades: another shop's order does not exist") {
  Caller caller;
  caller.Post("/shops", R"({"user_id":"2","nick":"b","session":"session-b"})");
  caller.Post("/orders", Told(kTid, R"("shop":"b")"));
  CHECK(caller.StatusOf(kTid) == "isv.trade-not-exist");
  CHECK(List(caller, Morning()).total == 0);
}

TEST_CASE("Trades: a read needs fields and a tid that is a number") {
  Caller caller;
  CHECK(caller.ReadTrade("", "tid").SubCode() == "isv.missing-parameter:tid");
  CHECK(caller.ReadTrade("12a", "tid").SubCode() == "isv.invalid-parameter:tid");
  CHECK(caller.ReadTrade(kTid, "").SubCode() == "isv.missing-parameter:fields");
}

TEST_CASE("Trades: a window lists the newest first, both ends inside") {
  Caller caller;
  caller.Post("/orders", Told("1", R"("at":"-31m")"));
  caller.Post("/orders", Told("2", R"("at":"-30m")"));
  caller.Post("/orders", Told("3", R"("at":"-10m")"));
  caller.Post("/orders", Told("4", R"("at":"-0s")"));
  const Page page = List(caller, Morning());
  CHECK(page.tids == std::vector<std::string>{"4", "3", "2"});
  CHECK(page.total == 3);
  CHECK_FALSE(page.has_next);
  caller.Post("/switches", R"({"window_end_open":true})");
  CHECK(List(caller, Morning()).tids == std::vector<std::string>{"3", "2"});
}

TEST_CASE("Trades: pages, their total or has_next, and the page beyond") {
  Caller caller;
  MakeOrders(caller, 45, "-5m");
  const auto page = [&](const char* number, const char* next) {
    Params params = Morning();
    params["page_no"] = number;
    params["use_has_next"] = next;
    return List(caller, params);
  };
  CHECK(page("1", "false").tids.size() == 40);
  CHECK(page("2", "false").tids.size() == 5);
  CHECK(page("2", "false").total == 45);
  CHECK(page("1", "true").has_next == true);
  CHECK(page("2", "true").has_next == false);
  CHECK_FALSE(page("2", "true").total);
  CHECK(page("3", "false").tids.empty());
}

TEST_CASE("Trades: a window has limits") {
  Caller caller;
  const auto code = [&](Params params, const char* name, const char* value) {
    params[name] = value;
    params.emplace("fields", "tid");
    params.emplace("session", "session-1");
    return caller.Call("taobao.trades.sold.increment.get", params).SubCode();
  };
  CHECK(code(Morning(), "page_size", "101") == "isv.invalid-parameter:page_size");
  CHECK(code(Morning(), "page_size", "100") == "");
  CHECK(code(Morning(), "page_no", "0") == "isv.invalid-parameter:page_no");
  CHECK(code(Morning(), "end_modified", "2026-01-15 08:00:00") == "isv.invalid-parameter:end_modified");
  CHECK(code(Morning(), "end_modified", "2026-01-16 08:00:01") == "isv.invalid-parameter:end_modified");
  CHECK(code(Morning(), "end_modified", "2026-01-16 08:00:00") == "");
  CHECK(code(Morning(), "start_modified", "-") == "isv.missing-parameter:start_modified");
  CHECK(caller.Wrongs("bad_window") == 5);
}

TEST_CASE("Trades: orders older than three months are gone") {
  Caller caller;
  caller.Post("/orders", Told("1", R"("at":"-1m","created":"2025-10-01 00:00:00")"));
  caller.Post("/orders", Told("2", R"("at":"-1m","created":"2025-11-01 00:00:00")"));
  CHECK(List(caller, Morning()).tids == std::vector<std::string>{"2"});
}

TEST_CASE("Trades: rows of one second change places, and none is lost in one call") {
  Caller caller;
  MakeOrders(caller, 30, "-5m");
  CHECK(List(caller, Morning()).tids == List(caller, Morning()).tids);
  caller.Post("/switches", R"({"shuffle_ties":true})");
  const Page first = List(caller, Morning()), second = List(caller, Morning());
  CHECK(first.tids != second.tids);
  CHECK(std::set(first.tids.begin(), first.tids.end()) == std::set(second.tids.begin(), second.tids.end()));
}

TEST_CASE("Trades: orders change while somebody pages") {
  Caller caller;
  MakeOrders(caller, 30, "-5m");
  caller.Post("/switches", R"({"move_rows":3})");
  caller.clock.passed = 10s;
  CHECK(List(caller, Morning()).total == 30);
  const auto left = List(caller, Morning()).total;
  CHECK(*left < 30);
  CHECK(*left >= 27);
}

TEST_CASE("Trades: lists lag on their own, and unlisted orders stay out") {
  Caller caller;
  caller.Post("/orders", Told("1", R"("at":"-5s")"));
  caller.Post("/orders", Told("2", R"("at":"-1m","listed":false)"));
  CHECK(List(caller, Morning()).tids == std::vector<std::string>{"1"});
  caller.Post("/switches", R"({"list_lag":"10s"})");
  CHECK(List(caller, Morning()).tids.empty());
  CHECK(caller.StatusOf("2") == "WAIT_BUYER_PAY");
}

TEST_CASE("Trades: a list of one comes bare by a switch") {
  Caller caller;
  caller.Post("/orders", Told("1", R"("at":"-5s")"));
  caller.Post("/switches", R"({"bare_single":true})");
  const Parsed answer =
      caller.Call("taobao.trades.sold.increment.get", {{"fields", "tid,orders.oid"},
                                                       {"session", "session-1"},
                                                       {"start_modified", "2026-01-15 08:00:00"},
                                                       {"end_modified", "2026-01-15 08:30:00"}});
  const auto trade = answer.root()["trades_sold_increment_get_response"]["trades"]["trade"];
  CHECK(trade.IsObject());
  CHECK(trade["orders"]["order"].IsObject());
}
