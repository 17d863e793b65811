#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/cursors.h"
#include "agent/dead_letters.h"
#include "agent/inbox.h"
#include "agent/store.h"

namespace tmc {

struct MessageView {
  std::string msg_id, channel, shop, topic, subject_kind, subject_id, order_id, state;
  int64_t attempts = 0, deliveries = 0;
  std::string last_error;
  std::optional<Time> published_at;
  Time received_at{};
  std::optional<Time> due_at, settled_at, confirmed_at;
  std::string waits_for, body;
};

struct VersionView {
  std::string status;
  int64_t status_version = 0;
  std::string source, msg_id;
  Time applied_at{};
};

struct EventView {
  std::string event_id, type, status;
  int64_t status_version = 0;
  std::string source, msg_id;
  Time created_at{};
};

struct OrderView {
  std::string platform, order_id, shop, status;
  int64_t status_version = 0;
  std::string paid_amount, total_amount, post_fee, refund_amount, currency, refund_status;
  Time modified_at{};
  std::string source;
  Time updated_at{};
  std::string raw;  // of a single order only
};

struct StatusView {
  std::map<std::string, int64_t> open;                   // received, enriching, failed
  std::vector<std::pair<std::string, int64_t>> waiting;  // closed scope → rows
  std::optional<MessageView> oldest;                     // of the open ones; msg_id, times, last_error
  int64_t settled_last_minute = 0, settled_last_hour = 0;
  int64_t owed_confirms = 0, refused_confirms = 0;
  int64_t maybe_missed = 0;  // changes found by reconciliation of which a message may still tell
  std::vector<std::pair<std::string, int64_t>> letters;  // open ones by reason
  std::vector<CursorRow> cursors;
  std::vector<Closure> closures;
  std::vector<ShortSlice> short_slices;
  std::map<std::string, int64_t> tallies;
  std::string last_error, last_error_msg_id;
  std::string consume_error;  // of the last consume call; "" when it went well
};

struct OrderFilter {
  std::optional<std::string> status{};
  Time since{};
};

// Reading for people: no view changes a row.
class Views {
 public:
  Views(Store& store, std::string platform) : store_(store), platform_(std::move(platform)) {}
  StatusView Status(Time now);
  bool Empty();  // neither a message nor an order was ever kept
  std::optional<MessageView> Message(std::string_view msg_id);
  std::vector<MessageView> MessagesOf(std::string_view order_id);
  std::vector<VersionView> HistoryOf(std::string_view order_id);
  std::vector<EventView> EventsOf(std::string_view order_id);
  std::optional<OrderView> Order(std::string_view order_id);
  // A page of orders by id; `after` is the last one of the page before.
  std::vector<OrderView> Orders(const OrderFilter& filter, const OrderView* after, int64_t most);

 private:
  Store& store_;
  std::string platform_;
};

}  // namespace tmc
