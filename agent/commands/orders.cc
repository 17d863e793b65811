#include "agent/orders.h"

#include <fmt/format.h>

#include "agent/commands/commands.h"
#include "agent/commands/print.h"
#include "agent/views.h"

namespace tmc::commands {
namespace {

constexpr int64_t kPage = 500;

json::Writer Json(const OrderView& order) {
  json::Writer out;
  out.BeginObject()
      .Member("platform", order.platform)
      .Member("order_id", order.order_id)
      .Member("shop", order.shop);
  out.Member("status", order.status).Member("status_version", order.status_version);
  out.Member("paid_amount", order.paid_amount)
      .Member("total_amount", order.total_amount)
      .Member("post_fee", order.post_fee);
  out.Member("refund_amount", order.refund_amount).Member("currency", order.currency);
  out.Member("refund_status", order.refund_status);
  TimeMember(out, "modified_at", order.modified_at);
  TimeMember(out, "updated_at", order.updated_at);
  out.Member("source", order.source);
  return out;
}

void Text(const OrderView& order) {
  Say(fmt::format("{}  {:<24}  {}  paid {} {}, refunds {} ({})  shop {}", order.order_id, order.status,
                  ChinaTime(order.modified_at), order.paid_amount, order.currency, order.refund_amount,
                  order.refund_status, order.shop.empty() ? "?" : order.shop));
}

}  // namespace

int OrdersShow(const Options& options) {
  Store store({.path = options.db, .read_only = true});
  Views views(store, options.platform);
  const auto order = views.Order(options.ids[0]);
  if (!order) {
    Complain("order " + options.ids[0] + " is not known here");
    return 65;
  }
  const auto history = views.HistoryOf(order->order_id);
  if (options.json) {
    json::Writer out = Json(*order);
    out.Key("history").BeginArray();
    for (const VersionView& version : history) {
      out.BeginObject().Member("status", version.status).Member("status_version", version.status_version);
      out.Member("source", version.source).Member("msg_id", version.msg_id);
      TimeMember(out, "applied_at", version.applied_at);
      out.EndObject();
    }
    SayJson(out.EndArray().Key("order").Raw(order->raw).EndObject());
    return 0;
  }
  Text(*order);
  for (const VersionView& version : history)
    Say(fmt::format("  {}  {:<24}  version {}, by {} {}", ChinaTime(version.applied_at), version.status,
                    version.status_version, version.source, version.msg_id));
  Say(order->raw);
  return 0;
}

int OrdersList(const Options& options) {
  Store store({.path = options.db, .read_only = true});
  Views views(store, options.platform);
  OrderFilter filter;
  if (!options.status.empty()) filter.status = options.status;
  if (options.since) filter.since = *options.since;
  std::vector<OrderView> page = views.Orders(filter, nullptr, kPage);
  while (!page.empty()) {
    for (const OrderView& order : page) {
      if (options.json) {
        json::Writer out = Json(order);
        SayJson(out.EndObject());
      } else {
        Text(order);
      }
    }
    const OrderView last = page.back();
    page = views.Orders(filter, &last, kPage);
  }
  return 0;
}

}  // namespace tmc::commands
