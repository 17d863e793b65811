// What a person sets going again: dead letters, windows, permissions.
#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>

#include <algorithm>

#include "agent/commands/print.h"
#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

constexpr char kTid[] = "3812000000000210193";
constexpr char kLetters[] = "SELECT id, reason, resolution FROM dead_letter ORDER BY id";
constexpr char kOrder[] = "SELECT status, source FROM order_snapshot WHERE order_id = '3812000000000210193'";

const Words kOnce = {"--reconcile-interval", "0", "--unknown-order-grace", "1ms"};

std::string HourAgo() {
  return commands::ChinaTime(SystemClock().Now() - 1h);
}

struct Desk : Scene {
  Ended Dlq(Words words) {
    words.insert(words.begin(), "dlq");
    words.insert(words.end(), {"--db", Db()});
    return Agent(words);
  }
  // A command that calls the platform.
  Ended Call(Words words) {
    for (const std::string flag : {"--db", "--gateway", "--app-key", "--app-secret-file", "--session-file"}) {
      const Words run = RunWords();
      const auto found = std::find(run.begin(), run.end(), flag);
      REQUIRE(found != run.end());
      words.insert(words.end(), {flag, *(found + 1)});
    }
    return Agent(words);
  }
  // A bare session must have read an order before "does not exist" proves anything.
  void Unknown() {
    Order("77");
    Message("77");
    REQUIRE(Once(kOnce).status == 0);
    MessageOf(std::string(R"({"topic":"taobao_trade_TradeBuyerPay","content":"{\"tid\":)") + kTid + "}\"}");
    REQUIRE(Once(kOnce).status == 65);
    REQUIRE(Rows(kLetters) == "1|unknown_order|null");
  }
};

}  // namespace

TEST_CASE("Replay: a letter goes the same way again, and is resolved by it") {
  Desk desk;
  desk.Unknown();
  desk.Order(kTid);
  CHECK(desk.Dlq({"replay", "1"}).status == 0);
  CHECK(desk.Once(kOnce).status == 0);
  CHECK(desk.Rows(kOrder) == "WAIT_SELLER_SEND_GOODS|replay");
  CHECK(desk.Rows(kLetters) == "1|unknown_order|replayed");
  CHECK(desk.Rows("SELECT state, attempts FROM inbound_message WHERE order_id <> '77'") == "applied|0");
  CHECK(desk.Dlq({"replay", "1"}).status == 65);
}

TEST_CASE("Replay: a new failure is a new letter") {
  Desk desk;
  desk.Unknown();
  CHECK(desk.Dlq({"replay", "--reason", "unknown_order"}).status == 0);
  CHECK(desk.Once(kOnce).status == 65);
  CHECK(desk.Rows(kLetters) == "1|unknown_order|replayed\n2|unknown_order|null");
}

TEST_CASE("Replay: a letter is still there to be replayed after housekeeping") {
  Desk desk;
  desk.Unknown();
  desk.MessageOf(R"({"topic":"taobao_item_ItemUpdate","content":"{}"})");
  REQUIRE(desk.Once(kOnce).status == 0);
  {
    SQLite::Database database(desk.Db(), SQLite::OPEN_READWRITE, 5000);
    database.exec("UPDATE inbound_message SET settled_at = settled_at - 40 * 86400000");
  }
  desk.Start();
  CHECK(desk.RowsBecome("SELECT state FROM inbound_message", "dlq") == "dlq");
  desk.Order(kTid);
  CHECK(desk.Dlq({"replay", "1"}).status == 0);
  CHECK(desk.RowsBecome(kOrder, "WAIT_SELLER_SEND_GOODS|replay") == "WAIT_SELLER_SEND_GOODS|replay");
  CHECK(desk.Stop().status == 0);
}

TEST_CASE("Replay: only a person's word lets an order leave a final state") {
  Desk desk;
  desk.Order(kTid, "TRADE_FINISHED");
  desk.Message(kTid, "taobao_trade_TradeSuccess");
  REQUIRE(desk.Once(kOnce).status == 0);
  desk.Order(kTid, "WAIT_SELLER_SEND_GOODS");
  // Of another second than the final truth, whatever the machine's pace.
  desk.Post("/orders",
            std::string("{\"tid\":\"") + kTid + R"(","status":"WAIT_SELLER_SEND_GOODS","modified":"+5s"})");
  desk.Message(kTid, "taobao_trade_TradeChanged");
  REQUIRE(desk.Once(kOnce).status == 65);
  CHECK(desk.Rows(kOrder) == "TRADE_FINISHED|message");
  CHECK(desk.Dlq({"replay", "1", "--accept-truth", "--why", "reopened by the platform"}).status == 0);
  CHECK(desk.Once(kOnce).status == 0);
  CHECK(desk.Rows(kOrder) == "WAIT_SELLER_SEND_GOODS|operator");
}

TEST_CASE("Replay: accepting the truth is for a letter about a final state") {
  Desk desk;
  desk.Unknown();
  CHECK(desk.Dlq({"replay", "1", "--accept-truth", "--why", "x"}).status == 65);
  CHECK(desk.Rows(kLetters) == "1|unknown_order|null");
}

TEST_CASE("Replay: letters are listed by message and by order") {
  Desk desk;
  desk.Unknown();
  const std::string id = desk.Rows("SELECT msg_id FROM dead_letter");
  CHECK(desk.Dlq({"list", "--msg-id", id}).out.find(id) != std::string::npos);
  CHECK(desk.Dlq({"list", "--msg-id", "88"}).out == "");
  CHECK(desk.Dlq({"list", "--order-id", "88"}).out == "");
}

TEST_CASE("Window: with nobody running, what it finds is read and applied") {
  Desk desk;
  desk.Post("/orders", std::string("{\"tid\":\"") + kTid + R"(","status":"WAIT_BUYER_PAY","at":"-20m"})");
  const Ended ended = desk.Call({"reconcile", "--from", HourAgo(), "--to", "2099-01-01"});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(desk.Rows(kOrder) == "WAIT_BUYER_PAY|reconcile");
}

TEST_CASE("Window: the running agent does it, and the command tells") {
  Desk desk;
  desk.Start({"--reconcile-interval", "0"});
  desk.RowsBecome("SELECT count(*) FROM tally WHERE name = 'last_consume_at'", "1");
  desk.Post("/orders", std::string("{\"tid\":\"") + kTid + R"(","status":"WAIT_BUYER_PAY","at":"-20m"})");
  const Ended ended = desk.Call({"reconcile", "--from", HourAgo(), "--to", "2099-01-01", "--json"});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(ended.out.find("\"orders_opened\":1") != std::string::npos);
  CHECK(desk.RowsBecome(kOrder, "WAIT_BUYER_PAY|reconcile") == "WAIT_BUYER_PAY|reconcile");
  CHECK(desk.Stop().status == 0);
}

TEST_CASE("Permit: replaces a shop's topics, and shows both sets") {
  Desk desk;
  desk.Order("77");
  desk.Message("77");
  REQUIRE(desk.Once(kOnce).status == 0);  // now the bare session's shop and its nick are known
  const Ended text = desk.Call({"permit", "--yes", "--topics", "taobao_trade_TradeCreate"});
  CHECK_MESSAGE(text.status == 0, text.err);
  CHECK(text.out.find("old topics: ") != std::string::npos);
  CHECK(text.out.find("not known") == std::string::npos);
  CHECK(text.out.find("\nnew topics: taobao_trade_TradeCreate\n") != std::string::npos);
}
