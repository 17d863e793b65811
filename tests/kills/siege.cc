#include "tests/kills/siege.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <thread>

namespace tmc {
namespace {

using namespace std::chrono_literals;

constexpr const char* kLife[] = {"WAIT_BUYER_PAY", "WAIT_SELLER_SEND_GOODS", "WAIT_BUYER_CONFIRM_GOODS",
                                 "TRADE_FINISHED"};
constexpr const char* kTopics[] = {"taobao_trade_TradeCreate", "taobao_trade_TradeBuyerPay",
                                   "taobao_trade_TradeSellerShip", "taobao_trade_TradeSuccess"};

size_t Place(const std::string& status) {
  for (size_t i = 0; i < std::size(kLife); ++i)
    if (status == kLife[i]) return i;
  return 0;
}

}  // namespace

Siege::Siege(uint64_t seed) : random(seed) {
  scene.Post("/switches", R"({"visibility":"1s","jitter":20})");
}

std::chrono::milliseconds Siege::Moment(int most_ms) {
  return std::chrono::milliseconds(std::uniform_int_distribution<int>(0, most_ms)(random));
}

// The moment of an end is this test's input; nothing is waited for here.
void Siege::Pass(std::chrono::milliseconds time) {
  std::this_thread::sleep_for(time);
}

std::string Siege::NewOrder(bool told) {
  const std::string tid = std::to_string(3812000000000000193 + 1000 * orders_++);
  const std::string status = told ? kLife[0] : kLife[1];
  scene.Post("/orders", fmt::format(R"({{"tid":"{}","status":"{}","at":"-5s"}})", tid, status));
  truth_[tid] = status;
  if (told) good_.insert(scene.Message(tid, kTopics[0]));
  return tid;
}

void Siege::Bad(const std::string& json) {
  bad_.insert(scene.MessageOf(json));
}

void Siege::Load() {
  NewOrder(true);
  if (random() % 4 == 0) NewOrder(false);
  // Some order moves on, told of once, twice, or not at all.
  auto moving = std::next(truth_.begin(), static_cast<std::ptrdiff_t>(random() % truth_.size()));
  if (const size_t place = Place(moving->second); place + 1 < std::size(kLife)) {
    moving->second = kLife[place + 1];
    scene.Post("/orders", fmt::format(R"({{"tid":"{}","status":"{}"}})", moving->first, moving->second));
    for (uint64_t told = random() % 3; told > 0; --told)
      good_.insert(scene.Message(moving->first, kTopics[place + 1]));
  }
  if (random() % 8 == 0) Bad(R"({"topic":"taobao_trade_TradeCreate","content":"{\"tid\":"})");
  if (random() % 8 == 0) Bad(R"({"topic":"taobao_trade_TradeCreate","content":"{\"oid\":1}"})");
}

Child& Siege::Start(const Words& more) {
  Words words{"--reconcile-interval",
              "1s",
              "--reconcile-lag",
              "0",
              "--idle-min",
              "20ms",
              "--idle-max",
              "50ms",
              "--parallel",
              "4",
              "--rate",
              "2000",
              "--batch",
              "10",
              "--max-attempts",
              "1000"};
  words.insert(words.end(), more.begin(), more.end());
  return scene.Start(words);
}

void Siege::JudgeNow() {
  const std::set<std::string> confirmed = scene.Confirmed();
  confirmed_.insert(confirmed.begin(), confirmed.end());
  CHECK(scene.Violations() == "");
  scene.Delete("/record");
  if (confirmed.empty() && !std::filesystem::exists(scene.Db())) return;  // killed before it began
  std::string list;
  for (const std::string& id : confirmed) list += (list.empty() ? "'" : ",'") + id + "'";
  CHECK(scene.Rows("SELECT count(*) FROM inbound_message WHERE state IN ('applied', 'dlq') AND msg_id IN (" +
                   list + ")") == std::to_string(confirmed.size()));
  CHECK(scene.Rows("PRAGMA quick_check") == "ok");
}

void Siege::JudgeAtTheEnd() {
  Start();
  REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
  const auto all = std::to_string(good_.size() + bad_.size());
  REQUIRE(scene.RowsBecome("SELECT count(*) FROM inbound_message WHERE channel = 'tmc' AND settled_at IS NOT "
                           "NULL AND confirmed_at IS NOT NULL",
                           all, 60s) == all);
  const std::string orders = std::to_string(truth_.size());
  REQUIRE(scene.RowsBecome("SELECT count(*) FROM order_snapshot", orders, 60s) == orders);
  // What no message told of is found by a pass, and there may be one more change in the same second.
  for (const auto& [tid, status] : truth_)
    REQUIRE(scene.RowsBecome("SELECT status FROM order_snapshot WHERE order_id = '" + tid + "'", status,
                             60s) == status);
  REQUIRE(scene.RowsBecome(
              "SELECT count(*) FROM inbound_message WHERE settled_at IS NULL AND channel <> 'reread'", "0",
              60s) == "0");
  CHECK(scene.Stop().status == 0);
  JudgeNow();
  std::set<std::string> posted = good_;
  posted.insert(bad_.begin(), bad_.end());
  CHECK(confirmed_ == posted);
  CHECK(scene.Rows("SELECT count(*) FROM dead_letter") == std::to_string(bad_.size()));
  CHECK(
      scene.Rows("SELECT count(DISTINCT msg_id) FROM dead_letter JOIN inbound_message USING (msg_id) WHERE "
                 "state = 'dlq' AND dead_letter.body <> '' AND reason IN ('bad_json', 'missing_order_id')") ==
      std::to_string(bad_.size()));
  CHECK(
      scene.Rows("SELECT count(*) FROM (SELECT 1 FROM order_history GROUP BY order_id, status_version HAVING "
                 "count(*) > 1)") == "0");
  CHECK(
      scene.Rows("SELECT count(*) FROM order_history h LEFT JOIN outbox_event e ON e.subject_id = h.order_id "
                 "AND e.status_version = h.status_version WHERE e.id IS NULL") == "0");
  CHECK(scene.Rows(
            "SELECT (SELECT count(*) FROM order_history) = (SELECT count(*) FROM outbox_event WHERE type "
            "= 'order.changed')") == "1");
  // Versions only rise, in the order in which they were written.
  CHECK(
      scene.Rows("SELECT count(*) FROM outbox_event a JOIN outbox_event b ON a.subject_id = b.subject_id AND "
                 "a.id < b.id AND a.status_version >= b.status_version") == "0");
  for (const auto& [tally, count] :
       {std::pair{"messages_new", "(SELECT count(*) FROM inbound_message WHERE channel = 'tmc')"},
        std::pair{"dead_letters", "(SELECT count(*) FROM dead_letter)"},
        std::pair{"orders_changed", "(SELECT count(*) FROM order_history)"}})
    CHECK_MESSAGE(
        scene.Rows(fmt::format("SELECT value = {} FROM tally WHERE name = '{}'", count, tally)) == "1",
        tally);
  CHECK(scene.Rows("PRAGMA integrity_check") == "ok");
}

}  // namespace tmc
