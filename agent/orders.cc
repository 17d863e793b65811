#include "agent/orders.h"

#include <vector>

#include "agent/decimal.h"
#include "schema/orders.sql.h"

namespace tmc {
namespace {

namespace q = sql::orders;

std::optional<int64_t> MinorUnits(const std::string& amount) {
  const auto exact = Decimal::Parse(amount);
  return exact ? exact->MinorUnits() : std::nullopt;
}

}  // namespace

std::optional<OrderSnapshot> Orders::Find(std::string_view order_id) {
  auto query = store_.Use(q::kFind);
  if (!query.Bind(":platform", platform_).Bind(":order_id", order_id).Step()) return std::nullopt;
  OrderSnapshot held;
  held.order_id = query.Text(0);
  held.shop = query.Text(1);
  held.status = query.Text(2);
  held.status_version = query.Int(3);
  held.modified_at = query.TimeAt(4);
  held.paid_amount = query.Text(5);
  held.total_amount = query.Text(6);
  held.refund_amount = query.Text(7);
  held.refund_status = query.Text(8);
  held.digest = query.Text(9);
  held.rank = static_cast<int>(query.Int(10));
  held.final = query.Int(11) != 0;
  return held;
}

void Orders::Apply(const OrderTruth& truth, int64_t version, std::string_view shop, const Cause& cause,
                   Time now) {
  auto put = store_.Use(q::kPut);
  put.Bind(":platform", platform_).Bind(":order_id", truth.order_id).Bind(":shop", shop);
  put.Bind(":status", truth.status).Bind(":status_version", version).Bind(":paid_amount", truth.paid_amount);
  put.Bind(":total_amount", truth.total_amount).Bind(":post_fee", truth.post_fee);
  put.Bind(":refund_amount", truth.refund_amount).Bind(":currency", truth.currency);
  put.Bind(":refund_status", truth.refund_status).Bind(":modified_at", truth.modified);
  put.Bind(":digest", truth.digest).Blob(":raw", truth.raw).Bind(":source", cause.source).Bind(":now", now);
  put.Bind(":paid_minor", MinorUnits(truth.paid_amount)).Bind(":total_minor", MinorUnits(truth.total_amount));
  put.Bind(":refund_minor", MinorUnits(truth.refund_amount))
      .Bind(":rank", truth.rank)
      .Bind(":final", truth.final);
  put.Run();
  auto record = store_.Use(q::kRecord);
  record.Bind(":platform", platform_).Bind(":order_id", truth.order_id).Bind(":status", truth.status);
  record.Bind(":status_version", version).Bind(":source", cause.source).Bind(":msg_id", cause.msg_id);
  record.Bind(":now", now).Run();
}

int64_t Orders::Purge(Time before, int64_t most) {
  std::vector<std::string> old;
  int64_t seen = 0;
  {
    auto query = store_.Use(q::kOldest);
    query.Bind(":after", purged_to_).Bind(":most", most);
    for (; query.Step(); ++seen) {
      purged_to_ = query.Int(0);
      if (query.TimeAt(2) < before) old.push_back(query.Text(1));
    }
  }
  if (seen < most) purged_to_ = 0;
  for (const std::string& order_id : old)
    for (const char* sql : {q::kDelete, q::kDeleteHistory})
      store_.Use(sql).Bind(":platform", platform_).Bind(":order_id", order_id).Run();
  return seen;
}

}  // namespace tmc
