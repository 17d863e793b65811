#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "agent/message.h"
#include "agent/order.h"
#include "agent/orders.h"

namespace tmc {

// A change as other systems hear of it: CloudEvents 1.0, structured JSON.
struct Event {
  std::string id;    // the same change has the same id for ever
  std::string type;  // order.changed, message.received
  std::string subject_kind, subject_id, order_id, status;
  int64_t status_version = 0;
  Cause cause;
  std::string payload;
};

// Where the events come from: "tmc-agent/<app_key>".
struct EventSource {
  std::string platform, app_key;
};

Event OrderChanged(const EventSource& from, const OrderTruth& truth, int64_t version,
                   const std::optional<OrderSnapshot>& before, const Cause& cause, Time now);
// A message that names nothing we track: handed on as it is.
Event MessageReceived(const EventSource& from, std::string_view msg_id, std::string_view topic,
                      std::string_view shop, std::string_view order_id, std::string_view body, Time now);

// The range of ids that the events of one subject have: from ≤ id < to.
std::pair<std::string, std::string> EventIds(std::string_view subject_kind, std::string_view subject_id);

// RFC 3339, UTC, milliseconds.
std::string Rfc3339(Time time);

}  // namespace tmc
