#include "agent/order.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/rig.h"

using namespace tmc;

namespace {
constexpr char kTid[] = "3012345678901234567";

OrderTruth Truth(int64_t modified, const std::string& status, const std::string& digest, bool final = false) {
  OrderTruth truth;
  truth.order_id = kTid;
  truth.modified = FromMillis(modified);
  truth.status = status;
  truth.digest = digest;
  truth.final = final;
  return truth;
}

OrderSnapshot Held(int64_t modified, int64_t version, const std::string& status, const std::string& digest,
                   bool final = false) {
  OrderSnapshot held;
  held.order_id = kTid;
  held.modified_at = FromMillis(modified);
  held.status_version = version;
  held.status = status;
  held.digest = digest;
  held.final = final;
  return held;
}
}  // namespace

TEST_CASE("Order: versions only rise, whatever is read") {
  const auto held = Held(5000, 5001, "PAID", "d1");
  CHECK(Decide(std::nullopt, Truth(5000, "PAID", "d"), false).status_version == 5000);
  CHECK(Decide(held, Truth(4000, "MADE", "d0"), false).judgement == Judgement::kOlder);
  CHECK(Decide(held, Truth(5000, "PAID", "d1"), false).judgement == Judgement::kSame);
  const Decision revision = Decide(held, Truth(5000, "SENT", "d2"), false);
  CHECK(revision.judgement == Judgement::kApply);
  CHECK(revision.status_version == 5002);
  CHECK(Decide(held, Truth(6000, "SENT", "d2"), false).status_version == 6000);
  CHECK(Decide(Held(5000, 5001, "PAID", "d1"), Truth(5001, "SENT", "d2"), false).status_version == 5002);
}

TEST_CASE("Order: a final state is not left by itself, but may change within itself") {
  const auto held = Held(5000, 5000, "DONE", "d1", true);
  CHECK(Decide(held, Truth(6000, "PAID", "d2"), false).judgement == Judgement::kIllegal);
  CHECK(Decide(held, Truth(6000, "PAID", "d2"), true).judgement == Judgement::kApply);
  CHECK(Decide(held, Truth(6000, "DONE", "d2", true), false).judgement == Judgement::kApply);
  CHECK(Decide(held, Truth(4000, "PAID", "d2"), false).judgement == Judgement::kOlder);
}

TEST_CASE("Order: every order of arrival ends in the same state, with versions that never fall") {
  std::vector<std::string> topics = {"TradeCreate", "TradeBuyerPay", "TradeSellerShip", "TradeSuccess"};
  std::sort(topics.begin(), topics.end());
  int permutation = 0;
  do {
    CAPTURE(permutation++);
    Rig rig;
    rig.Order(kTid, "WAIT_BUYER_PAY");
    const std::vector<std::string> states = {"WAIT_SELLER_SEND_GOODS", "WAIT_BUYER_CONFIRM_GOODS",
                                             "TRADE_FINISHED"};
    for (size_t i = 0; i < topics.size(); ++i) {
      rig.Message(topics[i], kTid);
      if (permutation % 2) rig.Turns(3);
      if (i < states.size()) rig.Order(kTid, states[i]);
    }
    rig.Message("TradeBuyerPay", kTid);
    rig.Settle();
    CHECK(rig.Row("SELECT status FROM order_snapshot") == "TRADE_FINISHED");
    CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE confirmed_at IS NULL AND channel='tmc'") ==
          0);
    const auto versions =
        rig.Rows("SELECT status_version FROM order_history ORDER BY applied_at, status_version");
    CHECK(std::is_sorted(versions.begin(), versions.end()));
  } while (std::next_permutation(topics.begin(), topics.end()));
}

TEST_CASE(
    "Order: different truths of one second are told apart, and the second is read again when it is over") {
  Rig rig;
  rig.Order(kTid, "WAIT_BUYER_PAY");
  rig.Message("TradeCreate", kTid);
  rig.Until([&] { return rig.Count("SELECT count(*) FROM order_snapshot") == 1; });
  CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE channel='reread'") == 1);
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("keep_modified":true)");
  rig.Settle();
  CHECK(rig.Row("SELECT status, status_version - modified_at, source FROM order_snapshot") ==
        "WAIT_SELLER_SEND_GOODS|1|reconcile");
}

TEST_CASE("Order: leaving a final state is one open letter an order, until a person accepts") {
  Rig rig;
  rig.Order(kTid, "TRADE_FINISHED", R"("modified":"-60s","at":"-60s")");
  rig.Message("TradeSuccess", kTid);
  rig.Settle();
  rig.Order(kTid, "WAIT_SELLER_SEND_GOODS", R"("modified":"-30s")");
  rig.Message("TradeChanged", kTid);
  rig.Settle();
  rig.Message("TradeChanged", kTid);
  rig.Settle();
  CHECK(rig.Row("SELECT reason, repeats FROM dead_letter") == "illegal_transition|1");
  CHECK(rig.Row("SELECT status FROM order_snapshot") == "TRADE_FINISHED");
  CHECK(rig.Count("SELECT count(*) FROM inbound_message WHERE state='dlq' AND letter_id=1") == 2);
  rig.Order(kTid, "TRADE_FINISHED", R"("modified":"-10s","seller_memo":"x")");
  rig.Message("TradeRated", kTid);
  rig.Settle();
  CHECK(rig.Count("SELECT count(*) FROM order_history") == 2);
}
