#include "agent/views.h"

#include "agent/event.h"
#include "schema/views.sql.h"

namespace tmc {
namespace {

namespace q = sql::views;

MessageView ReadMessage(Query& query) {
  MessageView view;
  int column = 1;
  for (std::string* text : {&view.msg_id, &view.channel, &view.shop, &view.topic, &view.subject_kind,
                            &view.subject_id, &view.order_id, &view.state})
    *text = query.Text(column++);
  view.attempts = query.Int(9);
  view.deliveries = query.Int(10);
  view.last_error = query.Text(11);
  view.published_at = query.MaybeTime(12);
  view.received_at = query.TimeAt(13);
  view.due_at = query.MaybeTime(14);
  view.settled_at = query.MaybeTime(15);
  view.confirmed_at = query.MaybeTime(16);
  view.waits_for = query.Text(17);
  view.body = query.Text(18);
  return view;
}

OrderView ReadOrder(Query& query) {
  OrderView view;
  view.platform = query.Text(0);
  view.order_id = query.Text(1);
  view.shop = query.Text(2);
  view.status = query.Text(3);
  view.status_version = query.Int(4);
  int column = 5;
  for (std::string* text : {&view.paid_amount, &view.total_amount, &view.post_fee, &view.refund_amount,
                            &view.currency, &view.refund_status})
    *text = query.Text(column++);
  view.modified_at = query.TimeAt(11);
  view.source = query.Text(12);
  view.updated_at = query.TimeAt(13);
  view.raw = query.Text(14);
  return view;
}

int64_t Number(Query query) {
  return query.Step() ? query.Int(0) : 0;
}

}  // namespace

StatusView Views::Status(Time now) {
  StatusView view;
  Cursors cursors(store_, platform_);
  {
    auto query = store_.Use(q::kByState);
    while (query.Step()) view.open[query.Text(0)] = query.Int(1);
  }
  view.waiting = Inbox(store_, platform_).WaitingScopes();
  {
    auto query = store_.Use(q::kOldestOpen);
    if (query.Step()) {
      view.oldest.emplace();
      view.oldest->received_at = query.TimeAt(0);
      view.oldest->published_at = query.MaybeTime(1);
      view.oldest->msg_id = query.Text(2);
      view.oldest->last_error = query.Text(3);
    }
  }
  const auto settled_since = [&](Time since) {
    auto query = store_.Use(q::kSettledSince);
    return query.Bind(":since", since).Step() ? query.Int(0) : 0;
  };
  view.settled_last_minute = settled_since(now - 1min);
  view.settled_last_hour = settled_since(now - 1h);
  {
    auto query = store_.Use(q::kLastError);
    if (query.Step()) {
      view.last_error = query.Text(0);
      view.last_error_msg_id = query.Text(1);
    }
  }
  view.owed_confirms = Number(store_.Use(q::kOwedConfirms));
  view.maybe_missed = Number(store_.Use(q::kMaybeMissed));
  view.refused_confirms = Number(store_.Use(q::kRefusedConfirms));
  view.letters = DeadLetters(store_, platform_).ByReason();
  view.cursors = cursors.All();
  view.closures = cursors.Closures();
  std::erase_if(view.closures, [&](const Closure& closure) { return closure.ban && closure.until <= now; });
  view.consume_error = cursors.Meta("consume_error").value_or("");
  {
    auto query = store_.Use(q::kShortSlices);
    while (query.Step())
      view.short_slices.push_back(
          {query.Text(0), query.Text(1), query.TimeAt(2), query.TimeAt(3), query.Int(4), query.Int(5)});
  }
  view.tallies = cursors.Tallies();
  return view;
}

bool Views::Empty() {
  return Number(store_.Use(q::kAnyRow)) == 0;
}

std::optional<MessageView> Views::Message(std::string_view msg_id) {
  auto query = store_.Use(q::kMessage);
  if (!query.Bind(":msg_id", msg_id).Step()) return std::nullopt;
  return ReadMessage(query);
}

std::vector<MessageView> Views::MessagesOf(std::string_view order_id) {
  std::vector<MessageView> views;
  auto query = store_.Use(q::kMessagesOfOrder);
  query.Bind(":order_id", order_id);
  while (query.Step()) views.push_back(ReadMessage(query));
  return views;
}

std::vector<VersionView> Views::HistoryOf(std::string_view order_id) {
  std::vector<VersionView> views;
  auto query = store_.Use(q::kHistoryOfOrder);
  query.Bind(":platform", platform_).Bind(":order_id", order_id);
  while (query.Step())
    views.push_back({query.Text(0), query.Int(1), query.Text(2), query.Text(3), query.TimeAt(4)});
  return views;
}

std::vector<EventView> Views::EventsOf(std::string_view order_id) {
  std::vector<EventView> views;
  auto query = store_.Use(q::kEventsOfOrder);
  const auto [from, to] = EventIds("order", order_id);
  query.Bind(":from", from).Bind(":to", to);
  while (query.Step())
    views.push_back({query.Text(0), query.Text(1), query.Text(2), query.Int(3), query.Text(4), query.Text(5),
                     query.TimeAt(6)});
  return views;
}

std::optional<OrderView> Views::Order(std::string_view order_id) {
  auto query = store_.Use(q::kOrder);
  if (!query.Bind(":platform", platform_).Bind(":order_id", order_id).Step()) return std::nullopt;
  return ReadOrder(query);
}

std::vector<OrderView> Views::Orders(const OrderFilter& filter, const OrderView* after, int64_t most) {
  std::vector<OrderView> views;
  auto query = store_.Use(q::kOrders);
  query.Bind(":status", filter.status).Bind(":since", filter.since).Bind(":most", most);
  query.Bind(":platform", platform_).Bind(":after", after ? after->order_id : "");
  while (query.Step()) views.push_back(ReadOrder(query));
  return views;
}

}  // namespace tmc
