#include "agent/pump.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/rig.h"

using namespace tmc;

namespace {
constexpr char kTid[] = "3012345678901234567";
constexpr char kRows[] = "SELECT count(*) FROM inbound_message WHERE channel='tmc'";

std::string Tid(int n) {
  return std::to_string(3012345678901230000 + n);
}
int64_t Reads(const Rig& rig, const std::string& tid = "") {
  const auto& reads = rig.heart.world().record.reads;
  return std::count_if(reads.begin(), reads.end(),
                       [&](const auto& read) { return tid.empty() || read.tid == tid; });
}
}  // namespace

TEST_CASE("Pump: one message goes all the way, and is confirmed after its commit") {
  Rig rig;
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", "\"payment\":\"110.00\"");
  rig.Message("TradeBuyerPay", kTid);
  rig.Settle();
  CHECK(rig.Row("SELECT state, order_id, attempts, deliveries, confirmed_at > 0 FROM inbound_message WHERE "
                "channel='tmc'") == std::string("applied|") + kTid + "|0|1|1");
  CHECK(rig.Row("SELECT status, shop, source FROM order_snapshot") ==
        "WAIT_SELLER_SEND_GOODS|900001|message");
  CHECK(rig.Row("SELECT type, subject_id FROM outbox_event") == std::string("order.changed|") + kTid);
  CHECK(rig.heart.world().record.confirms.size() == 1);
  CHECK(rig.heart.world().record.violations.empty());
}

TEST_CASE("Pump: a message that comes again while it is open is handled again when due") {
  Rig rig;
  rig.Post("/switches", R"({"visibility":"2s","jitter":0})");
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  rig.Message("TradeBuyerPay", kTid);
  rig.Post("/faults", R"({"api":"taobao.trade.fullinfo.get","status":503,"body":"busy","times":3})");
  rig.Settle();
  CHECK(rig.Row("SELECT state, attempts, deliveries > 1 FROM inbound_message WHERE channel='tmc'") ==
        "applied|0|1");
  CHECK(rig.Count("SELECT count(*) FROM order_history") == 1);
}

TEST_CASE("Pump: a settled message that is handed out again owes its confirm again") {
  Rig rig;
  rig.Post("/switches", R"({"visibility":"2s","jitter":0})");
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  rig.Message("TradeBuyerPay", kTid);
  rig.Post("/faults", R"({"api":"confirm","drop":"before","times":3})");
  rig.Settle();
  CHECK(rig.Row("SELECT state, deliveries > 1, confirm_owed FROM inbound_message WHERE channel='tmc'") ==
        "applied|1|0");
  CHECK(rig.Count("SELECT count(*) FROM order_history") == 1);
  CHECK(Reads(rig, kTid) <= 2);  // the message's, and the second read of that second
}

TEST_CASE("Pump: several messages of one order that are due together cost one read") {
  Rig rig;
  rig.Order(kTid, "TRADE_FINISHED", R"("modified":"-60s")");
  for (const char* topic : {"TradeCreate", "TradeBuyerPay", "TradeSellerShip", "TradeSuccess"})
    rig.Message(topic, kTid);
  rig.Settle();
  CHECK(rig.Count(kRows) == 4);
  CHECK(Reads(rig, kTid) == 1);
}

TEST_CASE("Pump: a topic that names no order is kept, announced and confirmed") {
  Rig rig;
  rig.Post("/messages", R"({"topic":"taobao_item_ItemUpdate","shop":"900001","content":"{\"num_iid\":1}"})");
  rig.Settle();
  CHECK(rig.Row("SELECT state, confirmed_at > 0 FROM inbound_message") == "applied|1");
  CHECK(rig.Row("SELECT type FROM outbox_event") == "message.received");
  CHECK(Reads(rig) == 0);
}

TEST_CASE("Pump: bad contents become dead letters with their bytes, the rest of the batch goes on") {
  Rig rig;
  rig.Order(kTid, "WAIT_BUYER_PAY");
  rig.Message("TradeCreate", kTid);
  rig.Post("/messages", R"([{"topic":"taobao_trade_TradeCreate","content":""},
                            {"topic":"taobao_trade_TradeCreate","content":"{\"tid\":"},
                            {"topic":"taobao_trade_TradeCreate","content":"{\"oid\":1}"},
                            {"topic":"taobao_trade_TradeCreate","content":"{\"tid\":1,\"tid\":2}"}])");
  rig.Message("TradeCreate", kTid);
  rig.Settle();
  CHECK(rig.Rows("SELECT reason, count(*), sum(attempts) FROM dead_letter GROUP BY reason ORDER BY reason") ==
        std::vector<std::string>{"bad_json|3|3", "missing_order_id|1|1"});
  CHECK(rig.Count("SELECT count(*) FROM dead_letter WHERE CAST(body AS TEXT) = '{\"tid\":'") == 1);
  CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE state='applied' AND channel='tmc'") == 2);
  CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE channel='tmc' AND confirmed_at IS NULL") == 0);
}

TEST_CASE("Pump: an entry without an id is a dead letter once, and stops nothing") {
  Rig rig;
  rig.Post("/switches", R"({"visibility":"2s","jitter":0})");
  rig.Order(kTid, "WAIT_BUYER_PAY");
  rig.Post("/messages", R"({"raw_entry":"{\"topic\":\"taobao_trade_TradeCreate\",\"content\":\"{}\"}"})");
  rig.Message("TradeCreate", kTid);
  rig.Settle();
  rig.Quiet(30s);
  CHECK(rig.Row("SELECT msg_id, reason, repeats > 3 FROM dead_letter") == "NULL|missing_msg_id|1");
  CHECK(rig.Count("SELECT count(*) FROM order_snapshot") == 1);
}

TEST_CASE("Pump: an hour without the order API dead-letters nothing, and all is applied soon after") {
  Rig rig([](Settings& s) { s.batch = 200; });
  for (int i = 0; i < 500; ++i) {
    rig.Order(Tid(i), "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s")");
    rig.Message("TradeBuyerPay", Tid(i));
  }
  rig.Post("/faults",
           R"({"api":"taobao.trade.fullinfo.get","status":502,"body":"<html>","times":0,"for":"60m"})");
  const milliseconds began = rig.clock.Steady();
  rig.Until([&] { return rig.clock.Steady() - began > 61min; }, 2h);
  CHECK(rig.Count("SELECT count(*) FROM dead_letter") == 0);
  CHECK(rig.Count("SELECT max(attempts) FROM inbound_message") == 0);
  rig.Settle(13min);
  CHECK(rig.Count("SELECT count(*) FROM order_snapshot") == 500);
}

TEST_CASE("Pump: what fails for the outside's reasons for too long without a break expires") {
  Rig rig([](Settings& s) { s.give_up_after = 30min; });
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  rig.Message("TradeBuyerPay", kTid);
  rig.Post("/faults", R"({"api":"taobao.trade.fullinfo.get","status":502,"body":"x","times":0})");
  rig.Settle(2h);
  CHECK(rig.Row("SELECT reason, attempts FROM dead_letter") == "expired|0");
  CHECK(rig.Row("SELECT state, confirmed_at > 0 FROM inbound_message") == "dlq|1");
}

TEST_CASE("Pump: an order that does not exist is asked for again, then a dead letter") {
  Rig rig([](Settings& s) { s.max_attempts = 2; });
  rig.Message("TradeBuyerPay", kTid, R"("content":"{\"tid\":3012345678901234567}")");
  rig.Turns(5);
  CHECK(rig.Count("SELECT count(*) FROM dead_letter") == 0);
  rig.Settle(5min);
  CHECK(rig.Row("SELECT reason, attempts > 2, dead_at - first_seen_at >= 60000 FROM dead_letter") ==
        "unknown_order|1|1");
}

TEST_CASE("Pump: a message that comes before its order exists is applied when it does") {
  Rig rig;
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("hidden_reads":2)");
  rig.Message("TradeBuyerPay", kTid);
  rig.Message("TradeCreate", kTid, R"("at":"+30s")");
  rig.Until([&] {
    return rig.Count("SELECT count(*) FROM inbound_message WHERE channel='tmc' AND state='applied'") == 2;
  });
  CHECK(rig.Row("SELECT status FROM order_snapshot") == "WAIT_SELLER_SEND_GOODS");
  CHECK(rig.Count("SELECT count(*) FROM order_history") == 1);
}

TEST_CASE("Pump: a truth that lags behind its topic is asked for again") {
  Rig rig;
  rig.Order(kTid, "WAIT_BUYER_PAY", R"("modified":"-60s","at":"-60s")");
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("stale_reads":2)");
  rig.Message("TradeBuyerPay", kTid);
  rig.Settle();
  CHECK(rig.Row("SELECT status FROM order_snapshot") == "WAIT_SELLER_SEND_GOODS");
  CHECK(rig.Row("SELECT attempts, last_error FROM inbound_message WHERE channel='tmc'") == "2|NULL");
}

TEST_CASE("Pump: a truth that never catches up is taken as it is, with a note") {
  Rig rig([](Settings& s) { s.max_attempts = 3; });
  rig.Order(kTid, "WAIT_BUYER_PAY");
  rig.Message("TradeBuyerPay", kTid);
  rig.Settle();
  CHECK(rig.Row("SELECT state, substr(last_error, 1, 10) FROM inbound_message WHERE channel='tmc'") ==
        "applied|truth_lags");
  CHECK(rig.Count("SELECT value FROM tally WHERE name='truth_lags'") == 1);
  CHECK(rig.Count("SELECT count(*) FROM dead_letter") == 0);
}

TEST_CASE("Pump: no call to an interface before its ban is over") {
  Rig rig;
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  rig.Message("TradeBuyerPay", kTid);
  rig.Post("/faults", R"({"api":"taobao.trade.fullinfo.get","ban":"90s"})");
  const milliseconds began = rig.clock.Steady();
  rig.Settle();
  CHECK(rig.clock.Steady() - began >= 90s);
  CHECK(rig.heart.world().record.violations.empty());
  CHECK(rig.Row("SELECT state, attempts FROM inbound_message WHERE channel='tmc'") == "applied|0");
}

TEST_CASE("Pump: a ban survives a restart") {
  Rig rig;
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  rig.Message("TradeBuyerPay", kTid);
  rig.Post("/faults", R"({"api":"taobao.trade.fullinfo.get","ban":"1h","whole_app":true})");
  rig.Until([&] { return rig.Count("SELECT count(*) FROM closure WHERE ban = 1") == 1; });
  rig.Restart();
  rig.Settle(2h);
  CHECK(rig.heart.world().record.violations.empty());
}

TEST_CASE("Pump: a wrong secret counts nothing, and work goes on by itself once it is right") {
  Rig rig;
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  rig.Message("TradeBuyerPay", kTid);
  rig.Until([&] { return rig.Count(kRows) == 1; });
  rig.folder.File("secret", "wrong\n");
  rig.Until([&] { return rig.Count("SELECT count(*) FROM closure WHERE scope = 'agent'") == 1; });
  rig.Until([&] { return rig.clock.Steady() > 3h; }, 4h);
  CHECK(rig.Count("SELECT count(*) FROM dead_letter") == 0);
  rig.folder.File("secret", "helloworld\n");
  rig.Message("TradeBuyerPay", kTid);
  rig.Settle(1min);
  CHECK(rig.Count(
            "SELECT count(*) FROM inbound_message WHERE state='applied' AND attempts=0 AND channel='tmc'") ==
        2);
}

TEST_CASE("Pump: one shop's dead session holds back that shop alone") {
  Rig rig;
  rig.Order(Tid(1), "WAIT_SELLER_SEND_GOODS");
  rig.Post("/orders", R"({"tid":")" + Tid(2) + R"(","shop":"900002","status":"WAIT_SELLER_SEND_GOODS"})");
  rig.Post("/sessions", R"({"shop":"900002","dead":true})");
  for (int i = 0; i < 20; ++i) {
    rig.Message("TradeBuyerPay", Tid(1));
    rig.Post("/messages",
             R"({"topic":"taobao_trade_TradeBuyerPay","shop":"900002","tid":")" + Tid(2) + "\"}");
  }
  rig.Until([&] { return rig.clock.Steady() > 24h; }, 25h);
  CHECK(
      rig.Count(
          "SELECT count(*) FROM inbound_message WHERE shop='900001' AND state='applied' AND channel='tmc'") ==
      20);
  CHECK(rig.Row("SELECT count(*), max(attempts), min(waits_for) FROM inbound_message WHERE shop='900002' AND "
                "state='failed'") == "20|0|shop:900002");
  CHECK(rig.Count("SELECT count(*) FROM dead_letter") == 0);
  CHECK(Reads(rig, Tid(2)) < 24 * 60 / 9);  // probes, at most every ten minutes
  rig.Post("/sessions", R"({"shop":"900002","dead":false})");
  rig.Settle(11min);
  CHECK(rig.Count("SELECT count(*) FROM order_snapshot") == 2);
}

TEST_CASE("Pump: a refused confirm is halved until the one bad id stands alone") {
  Rig rig;
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s")");
  for (int i = 0; i < 50; ++i)
    rig.Message("TradeBuyerPay", kTid, "\"id\":\"" + std::to_string(7104300007405429000 + i) + "\"");
  rig.Post("/refuse", R"({"ids":["7104300007405429023"]})");
  rig.Until([&] { return rig.Count("SELECT count(*) FROM inbound_message WHERE confirm_owed = 2") == 1; });
  CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE confirmed_at IS NULL") == 1);
  CHECK(rig.Count("SELECT confirm_refusals FROM inbound_message WHERE confirm_owed = 2") == 5);
  const size_t calls = rig.heart.world().record.confirms.size();
  rig.Until([&] { return rig.clock.Steady() > 21min; }, 22min);
  CHECK(rig.heart.world().record.confirms.size() <= calls + 1);
}

TEST_CASE("Pump: a turn whose commit is refused by a lock keeps its answers and starts nothing") {
  Rig rig;
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  rig.Message("TradeBuyerPay", kTid);
  {
    StoreOptions options{.path = rig.folder.Path("tmc.db")};
    Store other(options);
    Transaction lock(other);
    for (int i = 0; i < 5; ++i) CHECK_THROWS_AS(rig.pump->Step(), StoreError);
    CHECK(rig.heart.world().record.counts["taobao.tmc.messages.consume"] == 1);
  }
  rig.Settle();
  CHECK(rig.Row("SELECT state, deliveries FROM inbound_message WHERE channel='tmc'") == "applied|1");
}

TEST_CASE("Pump: the end of the process at any turn loses nothing and applies nothing twice") {
  for (int turns = 1; turns <= 12; ++turns) {
    CAPTURE(turns);
    Rig rig([](Settings& s) { s.batch = 10; });
    rig.Post("/switches", R"({"visibility":"60s"})");
    for (int i = 0; i < 25; ++i) {
      rig.Order(Tid(i), "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s")");
      rig.Message("TradeBuyerPay", Tid(i));
    }
    for (int life = 0; life < 3; ++life) {
      rig.Turns(turns);
      rig.Restart();
    }
    rig.Until([&] { return rig.Count("SELECT count(*) FROM order_snapshot") == 25; });
    rig.Settle();
    CHECK(rig.Count("SELECT count(*) FROM order_history") == 25);
    CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE confirmed_at IS NULL") == 0);
    CHECK(rig.Count("SELECT count(*) FROM dead_letter") == 0);
  }
}

TEST_CASE("Pump: a message in whose handling the process dies each time is parked at the cap") {
  Rig rig([](Settings& s) { s.max_attempts = 4; });
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  rig.Message("TradeBuyerPay", kTid);
  rig.http.latency = 1s;
  for (int life = 0; life < 4; ++life) {
    rig.Until([&] { return rig.Count("SELECT count(*) FROM inbound_message WHERE state='enriching'") == 1; });
    rig.Restart();
  }
  rig.Settle();
  CHECK(rig.Row("SELECT reason, attempts FROM dead_letter") == "retry_exhausted|4");
  CHECK(rig.Row("SELECT state, confirmed_at > 0 FROM inbound_message") == "dlq|1");
}

TEST_CASE("Pump: of the rows found in hand, one at a time is taken up again while others flow") {
  Rig rig;
  for (int i = 0; i < 5; ++i) {
    rig.Order(Tid(i), "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s")");
    rig.Message("TradeBuyerPay", Tid(i));
  }
  rig.http.latency = 500ms;
  rig.Until([&] { return rig.Count("SELECT count(*) FROM inbound_message WHERE state='enriching'") == 5; });
  rig.Restart();
  rig.Order(Tid(9), "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s")");
  rig.Message("TradeBuyerPay", Tid(9));
  for (int i = 0; i < 200 && rig.pump->Busy(); ++i) {
    rig.Turns(1);
    CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE state='enriching' AND suspect=1") <= 1);
  }
  CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE state='applied'") == 6);
}

TEST_CASE("Pump: one read that hangs holds back nobody") {
  Rig rig;
  for (int i = 0; i < 20; ++i) {
    rig.Order(Tid(i), "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s")");
    rig.Message("TradeBuyerPay", Tid(i));
  }
  rig.Post("/faults", R"({"api":"taobao.trade.fullinfo.get","hang":true})");
  const milliseconds began = rig.clock.Steady();
  rig.Until([&] { return rig.Count("SELECT count(*) FROM inbound_message WHERE state='applied'") == 19; });
  CHECK(rig.clock.Steady() - began < 10s);
  rig.Settle();
  CHECK(rig.Count("SELECT count(*) FROM order_snapshot") == 20);
}

TEST_CASE("Pump: consuming pauses while more than ten batches can be worked on") {
  Rig rig([](Settings& s) {
    s.batch = 10;
    s.parallel = 1;
  });
  rig.http.latency = 200ms;
  for (int i = 0; i < 300; ++i) {
    rig.Order(Tid(i), "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s")");
    rig.Message("TradeBuyerPay", Tid(i));
  }
  int64_t most = 0;
  rig.Until([&] {
    most = std::max(
        most, rig.Count("SELECT count(*) FROM inbound_message WHERE state IN ('received','enriching')"));
    return rig.Count("SELECT count(*) FROM inbound_message WHERE state='applied'") == 300;
  });
  CHECK(most > 100);
  CHECK(most < 170);
}

TEST_CASE("Pump: a clock three hours wrong is corrected by asking the platform, once") {
  for (const char* offset : {"3h", "-3h"}) {
    Rig rig;
    rig.Post("/clock", std::string("{\"offset\":\"") + offset + "\"}");
    rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-60s")");
    rig.Message("TradeBuyerPay", kTid);
    rig.Settle(2min);
    CHECK(rig.Row("SELECT state, attempts FROM inbound_message") == "applied|0");
    CHECK(rig.heart.world().record.counts["taobao.time.get"] == 1);
  }
}

TEST_CASE("Pump: an interface that is banned and not permitted at once is kept as its ban") {
  Rig rig;
  rig.Message("TradeBuyerPay", "3012345678901234567");
  rig.pacer->Close("api:taobao.trade.fullinfo.get", "11: no permission");
  rig.pacer->Ban("api:taobao.trade.fullinfo.get", 1min, "7: limited");
  rig.Turns(3);
  CHECK(rig.Row("SELECT scope, ban FROM closure") == "api:taobao.trade.fullinfo.get|1");
}

TEST_CASE("Pump: a quiet queue is written about every ten seconds at most") {
  Rig rig;
  rig.Until([&] { return rig.pump->quiet_answers() > 20; });
  const int64_t before = rig.store->DataVersion();
  Store other({.path = rig.folder.Path("tmc.db")});
  const int64_t seen = other.DataVersion();
  const int quiet = rig.pump->quiet_answers();
  const milliseconds began = rig.clock.Steady();
  int64_t changes = 0, last = seen;
  while (rig.clock.Steady() - began < 60s) {
    rig.Turns(1);
    const int64_t version = other.DataVersion();
    changes += version != last;
    last = version;
  }
  CHECK(rig.pump->quiet_answers() > quiet + 10);
  CHECK(changes > 0);
  CHECK(changes <= 7);
  CHECK(rig.store->DataVersion() == before);  // nobody else wrote
}
