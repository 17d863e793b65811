#include "adapters/top/trade.h"

#include <algorithm>
#include <optional>

#include "adapters/top/answer.h"
#include "adapters/top/china_time.h"
#include "adapters/top/statuses.h"
#include "agent/decimal.h"

namespace tmc::top {
namespace {

std::string TextOf(json::Node node, std::string_view key) {
  return std::string(node[key].Text().value_or(""));
}

// Missing, null and "" are no value; anything else must be an amount.
bool IsAmountOrNothing(json::Node trade, std::string_view key) {
  const json::Node node = trade[key];
  if (!node.Exists() || node.IsNull() || node.Text() == "") return true;
  return node.Text() && Decimal::Parse(*node.Text());
}

// The sum of what was paid for the lines that were paid back; empty when a line does not tell.
std::optional<std::string> RefundAmount(const std::vector<json::Node>& lines) {
  const Decimal most = *Decimal::Parse("999999999999");
  const Decimal least = *Decimal::Parse("-999999999999");
  Decimal sum;
  for (json::Node line : lines) {
    if (TextOf(line, "refund_status") != "SUCCESS") continue;
    if (TextOf(line, "payment").empty()) return "";
    sum = sum + *Decimal::Parse(TextOf(line, "payment"));
    if (sum > most || sum < least) return std::nullopt;  // before it could overflow
  }
  return sum.Text();
}

// That of the least advanced open line; SUCCESS when every line is paid back.
std::string RefundStatus(const std::vector<json::Node>& lines) {
  std::optional<std::pair<int, std::string>> least;
  size_t paid_back = 0;
  for (json::Node line : lines) {
    const std::string status = TextOf(line, "refund_status");
    const int progress = RefundProgress(status);
    if (status == "SUCCESS") ++paid_back;
    if (progress >= 0 && (!least || std::pair(progress, status) < *least)) least = {progress, status};
  }
  if (least) return least->second;
  return !lines.empty() && paid_back == lines.size() ? "SUCCESS" : "NO_REFUND";
}

std::string FlawOf(json::Node trade, const std::vector<json::Node>& lines) {
  for (std::string_view key : {"tid", "status", "modified"})
    if (TextOf(trade, key).empty() || trade.Count(key) > 1)
      return "the trade has no usable " + std::string(key);
  for (std::string_view key : {"payment", "total_fee", "post_fee"})
    if (!IsAmountOrNothing(trade, key)) return "the trade's " + std::string(key) + " is no amount";
  for (json::Node line : lines)
    if (!line.IsObject() || !IsAmountOrNothing(line, "payment")) return "a line's payment is no amount";
  return "";
}

std::string OrZero(std::string amount) {
  return amount.empty() ? "0.00" : amount;
}

}  // namespace

std::variant<OrderTruth, std::string> ReadTrade(json::Node trade) {
  if (!trade.IsObject()) return "the trade is no object";
  const auto lines = Items(trade["orders"], "order", "oid");
  if (!lines) return "the trade's orders are of no known shape";
  if (std::string flaw = FlawOf(trade, *lines); !flaw.empty()) return flaw;
  const auto modified = ReadChinaTime(TextOf(trade, "modified"));
  if (!modified) return "the trade's modified is no time";
  const auto refund_amount = RefundAmount(*lines);
  if (!refund_amount) return "the sum of the lines paid back is too large";
  OrderTruth truth;
  truth.order_id = TextOf(trade, "tid");
  truth.shop_nick = TextOf(trade, "seller_nick");
  truth.status = TextOf(trade, "status");
  truth.rank = RankOf(truth.status);
  truth.final = IsFinal(truth.status);
  truth.modified = *modified;
  truth.paid_amount = TextOf(trade, "pay_time").empty() ? "0.00" : TextOf(trade, "payment");
  truth.total_amount = TextOf(trade, "total_fee");
  truth.post_fee = OrZero(TextOf(trade, "post_fee"));
  truth.refund_amount = *refund_amount;
  truth.currency = "CNY";
  truth.refund_status = RefundStatus(*lines);
  return truth;
}

}  // namespace tmc::top
