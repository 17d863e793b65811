#include "adapters/top/statuses.h"

#include <algorithm>
#include <iterator>

namespace tmc::top {
namespace {

struct StatusRow {
  std::string_view status;
  int rank;
  bool final;
};

constexpr StatusRow kStatuses[] = {
    {"TRADE_NO_CREATE_PAY", 0, false},        // no payment record yet
    {"WAIT_BUYER_PAY", 10, false},            //
    {"PAY_PENDING", 10, false},               //
    {"WAIT_PRE_AUTH_CONFIRM", 15, false},     //
    {"PAID_FORBID_CONSIGN", 18, false},       // paid, but must not be shipped yet
    {"WAIT_SELLER_SEND_GOODS", 20, false},    //
    {"SELLER_CONSIGNED_PART", 30, false},     //
    {"WAIT_BUYER_CONFIRM_GOODS", 40, false},  //
    {"TRADE_BUYER_SIGNED", 50, false},        // cash on delivery
    {"TRADE_FINISHED", 100, true},            //
    {"TRADE_CLOSED", 100, true},              // after payment, refunded
    {"TRADE_CLOSED_BY_TAOBAO", 100, true},    // before payment
};

struct TopicRow {
  std::string_view topic;
  int announces;
};

// Every other topic announces nothing: a trade that was created, rated, changed may be at any status.
constexpr TopicRow kTopics[] = {
    {"taobao_trade_TradeCreate", 0},
    {"taobao_trade_TradeBuyerPay", 18},
    {"taobao_trade_TradePartlySellerShip", 30},
    {"taobao_trade_TradeSellerShip", 40},
    {"taobao_trade_TradeSuccess", 100},
    {"taobao_trade_TradeClose", 100},
    {"taobao_trade_TradeRated", 0},
};

constexpr std::string_view kOpenRefunds[] = {"WAIT_SELLER_AGREE", "SELLER_REFUSE_BUYER",
                                             "WAIT_BUYER_RETURN_GOODS", "WAIT_SELLER_CONFIRM_GOODS"};
constexpr std::string_view kNoOpenRefund[] = {"", "NO_REFUND", "CLOSED", "SUCCESS"};

}  // namespace

int RankOf(std::string_view status) {
  const auto row = std::ranges::find(kStatuses, status, &StatusRow::status);
  return row == std::end(kStatuses) ? 0 : row->rank;
}

bool IsFinal(std::string_view status) {
  const auto row = std::ranges::find(kStatuses, status, &StatusRow::status);
  return row != std::end(kStatuses) && row->final;
}

int AnnouncedRank(std::string_view topic) {
  const auto row = std::ranges::find(kTopics, topic, &TopicRow::topic);
  return row == std::end(kTopics) ? 0 : row->announces;
}

int RefundProgress(std::string_view refund_status) {
  if (std::ranges::find(kNoOpenRefund, refund_status) != std::end(kNoOpenRefund)) return -1;
  // One that the table lacks (an exchange, say) counts as further than all that it has.
  return static_cast<int>(std::ranges::find(kOpenRefunds, refund_status) - std::begin(kOpenRefunds));
}

}  // namespace tmc::top
