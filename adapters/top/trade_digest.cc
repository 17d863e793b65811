#include <algorithm>
#include <map>
#include <vector>

#include "adapters/top/answer.h"
#include "adapters/top/trade.h"
#include "agent/decimal.h"
#include "agent/digest.h"

namespace tmc::top {
namespace {

// What a line may say. Left out on purpose: oid_str (given only at times), timeout_action_time and addresses
// of pictures (they change while nothing happened).
constexpr std::string_view kLineFields[] = {"oid",
                                            "status",
                                            "refund_status",
                                            "refund_id",
                                            "payment",
                                            "total_fee",
                                            "price",
                                            "num",
                                            "num_iid",
                                            "sku_id",
                                            "outer_iid",
                                            "outer_sku_id",
                                            "title",
                                            "sku_properties_name",
                                            "adjust_fee",
                                            "discount_fee",
                                            "divide_order_fee",
                                            "part_mjz_discount",
                                            "consign_time",
                                            "end_time",
                                            "invoice_no",
                                            "logistics_company",
                                            "shipping_type",
                                            "store_code",
                                            "buyer_rate",
                                            "seller_rate"};

constexpr std::string_view kMoney[] = {
    "payment", "total_fee",  "post_fee",     "received_payment", "step_paid_fee",
    "price",   "adjust_fee", "discount_fee", "divide_order_fee", "part_mjz_discount"};

// A value as the same text however it is written; empty where there is none.
std::string Plain(std::string_view key, json::Node value) {
  if (const auto flag = value.Bool()) return *flag ? "true" : "false";
  const std::string_view text = value.Text().value_or("");
  const bool money = std::ranges::find(kMoney, key) != std::end(kMoney);
  const auto amount = money ? Decimal::Parse(text) : std::nullopt;
  return amount ? amount->Text() : std::string(text);
}

void WriteFields(json::Writer& writer, json::Node node, std::vector<std::string_view> fields) {
  std::ranges::sort(fields);
  for (std::string_view key : fields)
    if (const std::string text = Plain(key, node[key]); !text.empty()) writer.Member(key, text);
}

std::string Line(json::Node line) {
  json::Writer writer;
  writer.BeginObject();
  WriteFields(writer, line, {std::begin(kLineFields), std::end(kLineFields)});
  writer.EndObject();
  return writer.Take();
}

// The trade's own fields: kTradeFields without `orders`.
std::vector<std::string_view> OwnFields() {
  std::vector<std::string_view> fields;
  for (size_t begin = 0; begin < kTradeFields.size();) {
    const size_t end = std::min(kTradeFields.find(',', begin), kTradeFields.size());
    fields.push_back(kTradeFields.substr(begin, end - begin));
    begin = end + 1;
  }
  std::erase(fields, "orders");
  return fields;
}

}  // namespace

std::string TradeDigest(json::Node trade) {
  std::map<std::pair<std::string, std::string>, int> lines;  // by oid, then by content
  for (json::Node line : Items(trade["orders"], "order", "oid").value_or(std::vector<json::Node>{}))
    ++lines[{std::string(line["oid"].Text().value_or("")), Line(line)}];
  json::Writer writer;
  writer.BeginObject().Key("orders").BeginArray();
  for (const auto& [line, count] : lines)
    for (int i = 0; i < count; ++i) writer.Raw(line.second);
  writer.EndArray();
  WriteFields(writer, trade, OwnFields());
  writer.EndObject();
  return Sha256Hex(writer.text());
}

}  // namespace tmc::top
