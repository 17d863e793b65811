#include "agent/reconciler.h"

#include <doctest/doctest.h>

#include "tests/support/rig.h"

using namespace tmc;

namespace {
constexpr char kTid[] = "3012345678901234567";
constexpr char kOrders[] = "SELECT count(*) FROM order_snapshot";

std::string Tid(int n) {
  return std::to_string(3012345678901230000 + n);
}
void Backfill(Settings& settings) {
  settings.reconcile_backfill = 2h;
}
}  // namespace

TEST_CASE("Reconciler: an order of which no message ever came is found, applied and counted as missed") {
  Rig rig(Backfill);
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-20m","at":"-20m")");
  rig.Reconcile();
  CHECK(rig.Row("SELECT status, shop, source FROM order_snapshot") ==
        "WAIT_SELLER_SEND_GOODS|900001|reconcile");
  CHECK(rig.Row("SELECT msg_id, channel, state, confirm_owed, confirmed_at FROM inbound_message") ==
        std::string("reconcile:top:order:") + kTid + ":1768435800000|reconcile|applied|0|NULL");
  rig.Quiet(12min);
  CHECK(rig.Count("SELECT value FROM tally WHERE name='missed_by_messages'") == 1);
  CHECK(rig.heart.world().record.violations.empty());
}

TEST_CASE("Reconciler: a change that a message told of in time is not counted as missed") {
  Rig rig(Backfill);
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-5m","at":"-5m")");
  rig.Reconcile();
  rig.Message("TradeBuyerPay", kTid, R"("pub_time":"-5m")");
  rig.Settle();
  rig.Quiet(12min);
  CHECK(rig.Count("SELECT coalesce(sum(value), 0) FROM tally WHERE name='missed_by_messages'") == 0);
}

TEST_CASE("Reconciler: what is held already opens no row") {
  Rig rig(Backfill);
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-20m","at":"-20m")");
  rig.Message("TradeBuyerPay", kTid);
  rig.Settle();
  rig.Reconcile();
  CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE channel='reconcile'") == 0);
}

TEST_CASE("Reconciler: 250 orders of one second come each once, whatever their order in each call") {
  Rig rig(Backfill);
  rig.Post("/switches", R"({"shuffle_ties":true})");
  for (int i = 0; i < 256; ++i) {
    const std::string at = i < 3 ? "-1801s" : i < 253 ? "-1800s" : "-1799s";
    rig.Order(Tid(i), "WAIT_SELLER_SEND_GOODS", "\"modified\":\"" + at + "\",\"at\":\"" + at + "\"");
  }
  rig.Reconcile();
  CHECK(rig.Count(kOrders) == 256);
  CHECK(rig.Count("SELECT count(*) FROM order_history") == 256);
  CHECK(rig.Count("SELECT count(*) FROM short_slice") == 0);
  const size_t calls = rig.heart.world().record.windows.size();
  CHECK(calls < 150);
  rig.Reconcile();
  CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE channel='reconcile'") == 256);
  CHECK(rig.Count("SELECT count(*) FROM cursor") == 2);
}

TEST_CASE("Reconciler: rows that move while pages are read are not skipped") {
  Rig rig(Backfill);
  for (int i = 0; i < 350; ++i) {
    const std::string at = "-" + std::to_string(600 + i) + "s";
    rig.Order(Tid(i), "WAIT_SELLER_SEND_GOODS", "\"modified\":\"" + at + "\",\"at\":\"" + at + "\"");
  }
  rig.Post("/switches", R"({"move_rows":3})");
  rig.Reconcile();
  rig.Post("/switches", R"({"move_rows":0})");
  rig.Quiet(1min);
  rig.Reconcile();
  CHECK(rig.Count(kOrders) == 350);
}

TEST_CASE("Reconciler: after a week-end it starts where it stopped") {
  Rig rig(Backfill);
  rig.Reconcile();
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"+1h","at":"+1h")");
  rig.clock.Advance(62h);
  rig.Restart();
  rig.Reconcile();
  CHECK(rig.Count(kOrders) == 1);
}

TEST_CASE("Reconciler: an unexpected shape is a failed read and never moves the cursor") {
  Rig rig([](Settings& s) { s.reconcile_backfill = 20min; });
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-10m","at":"-10m")");
  rig.Post("/faults", R"([{"api":"taobao.trades.sold.increment.get","body":"[]","times":3},
                          {"api":"taobao.trades.sold.increment.get","body":"<html>","status":502,"times":2}])");
  rig.reconciler->AskRegular();
  for (int i = 0; i < 3; ++i) rig.reconciler->Step();
  CHECK(rig.Count("SELECT count(*) FROM cursor") == 0);
  for (int i = 0; i < 1000 && !rig.reconciler->Idle(); ++i) rig.reconciler->Step();
  rig.Settle();
  CHECK(rig.Count(kOrders) == 1);
  CHECK(rig.Count("SELECT count(*) FROM cursor") == 2);
}

TEST_CASE("Reconciler: a shop with a dead session is left out, the others are read") {
  Rig rig(Backfill);
  rig.Post("/sessions", R"({"shop":"900001","dead":true})");
  rig.Post("/orders",
           R"({"tid":"77","shop":"900002","status":"WAIT_BUYER_PAY","modified":"-20m","at":"-20m"})");
  rig.reconciler->AskRegular();
  for (int i = 0; i < 1000 && rig.reconciler->passes() == 0; ++i) rig.reconciler->Step();
  CHECK(rig.reconciler->report().shops_left_out == 1);
  CHECK(rig.Rows("SELECT shop FROM cursor") == std::vector<std::string>{"900002"});
}

TEST_CASE("Reconciler: a shop whose session works again is asked, also where the budget makes it wait") {
  Rig rig([](Settings& settings) { settings.rate = 5; });
  rig.Post("/sessions", R"({"shop":"900002","dead":true})");
  rig.Reconcile();
  rig.Post("/sessions", R"({"shop":"900002","dead":false})");
  rig.Post("/orders", R"({"tid":"3012345678901234567","shop":"900002"})");
  rig.clock.Advance(5min);
  rig.Reconcile();
  CHECK(rig.reconciler->report().shops_left_out == 0);
  CHECK(rig.Count("SELECT count(*) FROM order_snapshot") == 1);
}

TEST_CASE("Reconciler: a bare session finds its shop, and its cursor is named after it") {
  Rig rig(Backfill, "sess-A\n");
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-20m","at":"-20m")");
  rig.Reconcile();
  rig.Reconcile();
  CHECK(rig.Rows("SELECT shop FROM cursor") == std::vector<std::string>{"900001"});
  CHECK(rig.Row("SELECT status FROM order_snapshot") == "WAIT_SELLER_SEND_GOODS");
}

TEST_CASE("Reconciler: a nick in the session file is mapped by asking the platform once") {
  Rig rig(Backfill, "seller_b sess-B\n");
  rig.Post("/orders",
           R"({"tid":"77","shop":"900002","status":"WAIT_BUYER_PAY","modified":"-20m","at":"-20m"})");
  rig.Reconcile();
  rig.Reconcile();
  CHECK(rig.Row("SELECT shop FROM order_snapshot") == "900002");
  CHECK(rig.heart.world().record.counts["taobao.tmc.user.get"] == 1);
}

TEST_CASE("Reconciler: what was read by a wrong clock is no reason to skip what comes after") {
  Rig rig;
  rig.Reconcile();
  rig.clock.SetWall(rig.clock.Now() + 3h);
  rig.Post("/clock", R"({"offset":"-3h"})");
  rig.Reconcile();
  // This change is older than the overlap when the shop can be read again.
  rig.Order("3012345678901234567", "WAIT_SELLER_SEND_GOODS");
  rig.Post("/sessions", R"({"shop":"900001","dead":true})");
  rig.clock.Advance(20min);
  rig.Reconcile();
  rig.Post("/sessions", R"({"shop":"900001","dead":false})");
  rig.clock.Advance(20min);
  rig.Reconcile();
  CHECK(rig.Count("SELECT count(*) FROM order_snapshot") == 1);
}

TEST_CASE("Reconciler: a banned lookup of a shop is waited for, not asked about every millisecond") {
  Rig rig({}, "seller_a sess-A\n");
  rig.pacer->Ban("api:taobao.tmc.user.get", 10min, "limited");
  const milliseconds begin = rig.clock.Steady();
  for (int i = 0; i < 20; ++i) rig.reconciler->Step();
  CHECK(rig.clock.Steady() - begin >= 15s);
}

TEST_CASE(
    "Reconciler: no hour is missing or double where the machine's zone changes to or from summer time") {
  // B27: 2026-03-29 and 2026-10-25 in Berlin, 2026-03-08 and 2026-11-01 in New York, an hour before each.
  const std::pair<const char*, int64_t> changes[] = {{"Europe/Berlin", 1774742400},
                                                     {"Europe/Berlin", 1792886400},
                                                     {"America/New_York", 1772949600},
                                                     {"America/New_York", 1793509200}};
  for (const auto& [zone, begin] : changes) {
    CAPTURE(zone);
    setenv("TZ", zone, 1);
    tzset();
    Rig rig([](Settings& s) { s.reconcile_interval = 10min; });
    rig.clock.SetWall(FromMillis(begin * 1000));
    rig.Reconcile();
    for (int i = 0; i < 120; ++i) {
      rig.Order(Tid(i), "WAIT_SELLER_SEND_GOODS");
      rig.Quiet(1min);
    }
    rig.Quiet(11min);
    CHECK(rig.Count(kOrders) == 120);
    CHECK(rig.Count("SELECT count(*) FROM order_history") == 120);
    std::string end;  // as the platform writes times: they compare as texts
    int windows = 0;
    for (const auto& window : rig.heart.world().record.windows) {
      if (window.shop != "seller_a") continue;
      if (!end.empty()) CHECK(window.from <= end);
      end = std::max(end, window.to);
      ++windows;
    }
    CHECK(windows > 12);
  }
  unsetenv("TZ");
  tzset();
}

TEST_CASE("Reconciler: a pass that is due waits for the clock check without looking all the time") {
  Rig rig;
  rig.platform_clock->Refused(std::nullopt);
  rig.pacer->Ban("api:taobao.time.get", 10min, "limited");
  const milliseconds begin = rig.clock.Steady();
  for (int i = 0; i < 20; ++i) rig.reconciler->Step();
  CHECK(rig.clock.Steady() - begin >= 15s);
}

TEST_CASE("Reconciler: a local clock three minutes off skips nothing") {
  for (const char* offset : {"180s", "-180s"}) {
    Rig rig([](Settings& s) { s.reconcile_backfill = 10min; });
    rig.Post("/clock", std::string("{\"offset\":\"") + offset + "\"}");
    rig.Reconcile();
    rig.Quiet(20s);
    rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
    rig.Quiet(15min);
    CHECK(rig.Count(kOrders) == 1);
  }
}

TEST_CASE(
    "Reconciler: housekeeping deletes settled rows after their time, and keeps what waits for a person") {
  Rig rig([](Settings& s) { s.retain = 24h; });
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s")");
  rig.Message("TradeBuyerPay", kTid);
  rig.Post("/messages", R"({"topic":"taobao_trade_TradeCreate","content":"{"})");
  rig.Settle();
  rig.clock.Advance(25h);
  rig.Quiet(3min);
  CHECK(rig.Rows("SELECT state FROM inbound_message WHERE channel='tmc'") == std::vector<std::string>{"dlq"});
  CHECK(rig.Count("SELECT count(*) FROM outbox_event") == 0);
  CHECK(rig.Count(kOrders) == 1);
}
