#include "agent/views.h"

#include <doctest/doctest.h>

#include "tests/support/rig.h"

using namespace tmc;

namespace {

constexpr char kTid[] = "3012345678901234567";

// What people saw of a scene that the real loops played.
struct Seen {
  Rig rig;
  Views views{*rig.store, "top"};
};

}  // namespace

TEST_CASE("Views: an empty database is all noughts") {
  Seen seen;
  const StatusView status = seen.views.Status(seen.rig.clock.Now());
  CHECK(status.open.empty());
  CHECK(status.waiting.empty());
  CHECK_FALSE(status.oldest);
  CHECK(status.settled_last_hour == 0);
  CHECK(status.owed_confirms == 0);
  CHECK(status.letters.empty());
  CHECK(status.closures.empty());
  CHECK_FALSE(seen.views.Message("7104"));
  CHECK_FALSE(seen.views.Order(kTid));
  CHECK(seen.views.Orders({}, nullptr, 10).empty());
}

TEST_CASE("Views: one message and its order, the whole life") {
  Seen seen;
  seen.rig.Order(kTid, "WAIT_BUYER_PAY", R"("modified":"-60s","payment":"1.10")");
  seen.rig.Message("TradeCreate", kTid);
  seen.rig.Settle();
  const auto messages = seen.views.MessagesOf(kTid);
  REQUIRE(messages.size() == 1);
  const auto message = seen.views.Message(messages[0].msg_id);
  REQUIRE(message);
  CHECK(message->state == "applied");
  CHECK(message->channel == "tmc");
  CHECK(message->shop == "900001");
  CHECK(message->order_id == kTid);
  CHECK(message->deliveries == 1);
  CHECK(message->settled_at);
  CHECK(message->confirmed_at >= message->settled_at);
  CHECK(message->body.find(kTid) != std::string::npos);
  const auto history = seen.views.HistoryOf(kTid);
  REQUIRE(history.size() == 1);
  CHECK(history[0].msg_id == message->msg_id);
  const auto events = seen.views.EventsOf(kTid);
  REQUIRE(events.size() == 1);
  CHECK(events[0].type == "order.changed");
  CHECK(events[0].status_version == history[0].status_version);
  const auto order = seen.views.Order(kTid);
  REQUIRE(order);
  CHECK(order->status == "WAIT_BUYER_PAY");
  CHECK(order->total_amount == "1.10");
  CHECK(order->paid_amount == "0.00");
  CHECK(order->raw.find("WAIT_BUYER_PAY") != std::string::npos);
  CHECK(seen.views.Status(seen.rig.clock.Now()).settled_last_minute >= 1);
}

TEST_CASE("Views: the status tells what is open, what waits for whom, and the oldest with its error") {
  Seen seen;
  seen.rig.Post("/sessions", R"({"shop":"900001","dead":true})");
  seen.rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  seen.rig.Message("TradeBuyerPay", kTid);
  seen.rig.Until([&] {
    return seen.rig.Count("SELECT count(*) FROM inbound_message WHERE waits_for IS NOT NULL") == 1;
  });
  seen.rig.Turns(2);
  const StatusView status = seen.views.Status(seen.rig.clock.Now());
  CHECK(status.open == std::map<std::string, int64_t>{{"failed", 1}});
  CHECK(status.waiting == std::vector<std::pair<std::string, int64_t>>{{"shop:900001", 1}});
  REQUIRE(status.oldest);
  CHECK(status.oldest->last_error.starts_with("27 "));
  CHECK(status.last_error == status.oldest->last_error);
  REQUIRE(status.closures.size() == 1);
  CHECK(status.closures[0].scope == "shop:900001");
  CHECK_FALSE(status.closures[0].ban);
}

TEST_CASE("Views: a ban is shown until it is over, what waits for a person until it is mended") {
  Seen seen;
  const Time now = seen.rig.clock.Now();
  seen.rig.Exec("INSERT INTO closure (scope, ban, until, since, detail) VALUES ('app', 1, " +
                std::to_string(ToMillis(now + 1s)) + ", 0, ''), ('agent', 0, " +
                std::to_string(ToMillis(now + 1s)) + ", 0, '')");
  CHECK(seen.views.Status(now).closures.size() == 2);
  const auto later = seen.views.Status(now + 1s).closures;
  REQUIRE(later.size() == 1);
  CHECK(later[0].scope == "agent");
}

TEST_CASE("Views: what a reconciliation found is perhaps missed until the messages had their time") {
  Seen seen;
  seen.rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s","at":"-60s")");
  seen.rig.Reconcile();
  StatusView status = seen.views.Status(seen.rig.clock.Now());
  CHECK(status.maybe_missed == 1);
  CHECK(status.tallies["missed_by_messages"] == 0);
  seen.rig.Quiet(15min);
  status = seen.views.Status(seen.rig.clock.Now());
  CHECK(status.maybe_missed == 0);
  CHECK(status.tallies["missed_by_messages"] == 1);
}

TEST_CASE("Views: every dead letter is counted, also of an entry that never was a message") {
  Seen seen;
  seen.rig.Post("/messages", R"([{"topic":"taobao_trade_TradeCreate","content":"{"},
                                 {"topic":"taobao_trade_TradeCreate","tid":"1","flaw":"gbk_nick"},
                                 {"topic":"taobao_trade_TradeCreate","tid":"1","flaw":"no_id"}])");
  seen.rig.Turns(20);
  StatusView status = seen.views.Status(seen.rig.clock.Now());
  CHECK(status.tallies["dead_letters"] == 3);
  CHECK(seen.rig.Count("SELECT count(*) FROM dead_letter") == 3);
}

TEST_CASE("Views: dead letters by reason, the resolved ones left out") {
  Seen seen;
  for (int i = 0; i < 3; ++i)
    seen.rig.Post("/messages", R"({"topic":"taobao_trade_TradeCreate","content":""})");
  seen.rig.Settle();
  seen.rig.Exec("UPDATE dead_letter SET resolution = 'discarded', resolved_at = 1 WHERE id = 1");
  CHECK(seen.views.Status(seen.rig.clock.Now()).letters ==
        std::vector<std::pair<std::string, int64_t>>{{"bad_json", 2}});
}

TEST_CASE("Views: orders come in pages by id, none twice and none left out") {
  Seen seen;
  for (int i = 0; i < 7; ++i) {
    const std::string tid = std::to_string(3012345678901230000 + i);
    // Three of one second among them, so that a page ends inside it.
    seen.rig.Order(tid, i % 2 ? "TRADE_CLOSED" : "WAIT_SELLER_SEND_GOODS",
                   R"("modified":"-)" + std::to_string(i < 4 ? 90 : 60 + i) + R"(s")");
    seen.rig.Message("TradeChanged", tid);
  }
  seen.rig.Settle();
  std::vector<std::string> ids;
  std::optional<OrderView> last;
  while (true) {
    const auto page = seen.views.Orders({}, last ? &*last : nullptr, 2);
    if (page.empty()) break;
    for (const OrderView& order : page) {
      if (last) CHECK(last->order_id < order.order_id);
      last = order;
      ids.push_back(order.order_id);
    }
  }
  CHECK(ids.size() == 7);
  CHECK(seen.views.Orders({.status = "TRADE_CLOSED"}, nullptr, 10).size() == 3);
  const Time since = seen.rig.clock.Now() - 80s;
  size_t young = 0;
  for (const OrderView& order : seen.views.Orders({}, nullptr, 10)) young += order.modified_at >= since;
  CHECK(young > 0);
  CHECK(young < 7);
  CHECK(seen.views.Orders({.since = since}, nullptr, 10).size() == young);
}
