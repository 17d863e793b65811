#include "tests/simulator/orders.h"

#include <algorithm>
#include <array>

namespace tmc::sim {
namespace {

using std::chrono::floor;
using std::chrono::seconds;

constexpr std::array kUnpaid{"TRADE_NO_CREATE_PAY", "WAIT_BUYER_PAY", "PAY_PENDING",
                             "TRADE_CLOSED_BY_TAOBAO"};

bool Paid(std::string_view status) {
  return std::find(kUnpaid.begin(), kUnpaid.end(), status) == kUnpaid.end();
}

void Default(Fields& fields, std::string_view name, const std::string& raw) {
  if (FindField(fields, name) == nullptr) SetField(fields, name, raw);
}

std::string Copy(const Fields& fields, std::string_view name, const char* otherwise) {
  const std::string* raw = FindField(fields, name);
  return raw == nullptr ? otherwise : *raw;
}

void FillTrade(Fields& fields, const World& world, const Order& order, Time from) {
  const std::string now = Quote(PlatformTime(from));
  Default(fields, "status", R"("WAIT_BUYER_PAY")");
  Default(fields, "tid", order.tid);
  Default(fields, "type", R"("fixed")");
  Default(fields, "payment", R"("110.00")");
  Default(fields, "total_fee", Copy(fields, "payment", ""));
  Default(fields, "post_fee", R"("0.00")");
  Default(fields, "received_payment", R"("0.00")");
  Default(fields, "num", "1");
  Default(fields, "created", now);
  Default(fields, "modified", now);
  Default(fields, "seller_nick", Quote(world.shops.at(order.shop).nick));
  Default(fields, "buyer_nick", R"("测试买家a1")");
  Default(fields, "buyer_open_uid", R"("AAEXAAAAAInventedOpenUid0000000000")");
  if (Paid(FieldText(fields, "status"))) Default(fields, "pay_time", now);
}

void FillLine(Fields& line, const Fields& trade, const Order& order, size_t index) {
  const std::string oid =
      index == 0 ? order.tid : order.tid.substr(0, order.tid.size() - 1) + std::to_string(index);
  Default(line, "oid", oid);
  Default(line, "oid_str", "\"" + FieldText(line, "oid") + "\"");
  Default(line, "status", Copy(trade, "status", "null"));
  Default(line, "refund_status", R"("NO_REFUND")");
  Default(line, "payment", Copy(trade, "payment", "null"));
  Default(line, "total_fee", Copy(line, "payment", "null"));
  Default(line, "price", Copy(line, "payment", "null"));
  Default(line, "num", "1");
  Default(line, "num_iid", "600000000001");
  Default(line, "sku_id", R"("4000000000001")");
  Default(line, "title", R"("测试商品")");
}

// What was taken away stays away, whatever is usually filled in.
void Remove(Fields& fields, const Fields& changes) {
  for (const auto& [name, raw] : changes)
    if (raw == "null") SetField(fields, name, raw);
}

// Lines follow the trade's status unless they were given one of their own.
void FollowStatus(Truth& truth, const Change& change) {
  const std::string* status = FindField(change.fields, "status");
  for (Fields& line : truth.lines)
    if (status != nullptr) SetField(line, "status", *status);
}

Time TimeOf(const Fields& fields, std::string_view name, Time otherwise) {
  return ParsePlatformTime(FieldText(fields, name)).value_or(otherwise);
}

}  // namespace

void ApplyChange(World& world, Order& order, Change change) {
  const Truth* before = Trades::At(order, change.from);
  Truth truth = before != nullptr ? *before : Truth{};
  truth.from = change.from;
  if (before != nullptr && !change.keep_modified)
    SetField(truth.fields, "modified", Quote(PlatformTime(change.from)));
  for (auto& [name, raw] : change.fields) SetField(truth.fields, name, raw);
  FillTrade(truth.fields, world, order, change.from);
  Remove(truth.fields, change.fields);
  FollowStatus(truth, change);
  truth.lines.resize(std::max({truth.lines.size(), change.lines.size(), size_t{1}}));
  for (size_t i = 0; i < change.lines.size(); ++i)
    for (auto& [name, raw] : change.lines[i]) SetField(truth.lines[i], name, raw);
  for (size_t i = 0; i < truth.lines.size(); ++i) FillLine(truth.lines[i], truth.fields, order, i);
  for (size_t i = 0; i < change.lines.size(); ++i) Remove(truth.lines[i], change.lines[i]);
  truth.modified = TimeOf(truth.fields, "modified", floor<seconds>(change.from));
  truth.created = TimeOf(truth.fields, "created", floor<seconds>(change.from));
  world.trades.Change(order, std::move(truth));
}

}  // namespace tmc::sim
