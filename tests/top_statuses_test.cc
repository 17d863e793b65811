#include <doctest/doctest.h>

#include "adapters/top/statuses.h"

using namespace tmc::top;

TEST_CASE("Statuses: each has its rank and its finality") {
  const struct {
    const char* status;
    int rank;
    bool final;
  } rows[] = {{"TRADE_NO_CREATE_PAY", 0, false},    {"WAIT_BUYER_PAY", 10, false},
              {"PAY_PENDING", 10, false},           {"WAIT_PRE_AUTH_CONFIRM", 15, false},
              {"PAID_FORBID_CONSIGN", 18, false},   {"WAIT_SELLER_SEND_GOODS", 20, false},
              {"SELLER_CONSIGNED_PART", 30, false}, {"WAIT_BUYER_CONFIRM_GOODS", 40, false},
              {"TRADE_BUYER_SIGNED", 50, false},    {"TRADE_FINISHED", 100, true},
              {"TRADE_CLOSED", 100, true},          {"TRADE_CLOSED_BY_TAOBAO", 100, true},
              {"SOMETHING_NEW", 0, false},          {"", 0, false},
              {"trade_finished", 0, false}};
  for (const auto& row : rows) {
    CAPTURE(row.status);
    CHECK(RankOf(row.status) == row.rank);
    CHECK(IsFinal(row.status) == row.final);
  }
}

TEST_CASE("Statuses: each topic announces its rank") {
  const struct {
    const char* topic;
    int rank;
  } rows[] = {{"taobao_trade_TradeCreate", 0},
              {"taobao_trade_TradeBuyerPay", 18},
              {"taobao_trade_TradePartlySellerShip", 30},
              {"taobao_trade_TradeSellerShip", 40},
              {"taobao_trade_TradeSuccess", 100},
              {"taobao_trade_TradeClose", 100},
              {"taobao_trade_TradeRated", 0},
              {"taobao_trade_TradeChanged", 0},
              {"taobao_refund_RefundSuccess", 0},
              {"TradeSuccess", 0}};
  for (const auto& row : rows) {
    CAPTURE(row.topic);
    CHECK(AnnouncedRank(row.topic) == row.rank);
  }
}

TEST_CASE("Statuses: open refunds stand in the order of their progress, the others are not open") {
  const char* order[] = {"WAIT_SELLER_AGREE", "SELLER_REFUSE_BUYER", "WAIT_BUYER_RETURN_GOODS",
                         "WAIT_SELLER_CONFIRM_GOODS", "WAIT_BUYER_CONFIRM_EXCHANGE_SELLER_SEND_GOODS"};
  for (int i = 0; i < 5; ++i) CHECK(RefundProgress(order[i]) == i);
  for (const char* closed : {"", "NO_REFUND", "CLOSED", "SUCCESS"}) CHECK(RefundProgress(closed) == -1);
}
