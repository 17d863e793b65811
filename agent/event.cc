#include "agent/event.h"

#include <fmt/format.h>

#include "agent/digest.h"
#include "agent/json.h"
#include "agent/utf8.h"

namespace tmc {
namespace {

// Begins with the subject, so that a subject's events stand together in the index, and ends with a digest of
// all parts, each written behind its length: no two different tuples give the same text.
std::string EventId(std::string_view platform, std::string_view kind, std::string_view subject,
                    std::string_view version, std::string_view content) {
  std::string text;
  for (std::string_view part : {platform, kind, subject, version, content})
    text += fmt::format("{}:{},", part.size(), part);
  return fmt::format("{}-{}-{}-{}", kind, subject, version, Sha256Hex(text).substr(0, 32));
}

json::Writer Begin(const EventSource& from, const Event& event, Time now) {
  json::Writer writer;
  writer.BeginObject().Member("specversion", "1.0").Member("id", event.id);
  writer.Member("source", "tmc-agent/" + from.app_key).Member("type", event.type);
  writer.Member("subject", event.subject_id).Member("time", Rfc3339(now));
  writer.Member("datacontenttype", "application/json").Key("data").BeginObject();
  writer.Member("platform", from.platform).Member("subject_kind", event.subject_kind);
  return writer;
}

}  // namespace

std::string Rfc3339(Time time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::pair<std::string, std::string> EventIds(std::string_view subject_kind, std::string_view subject_id) {
  const std::string stem = fmt::format("{}-{}", subject_kind, subject_id);
  return {stem + "-", stem + "."};  // '.' follows '-'
}

Event OrderChanged(const EventSource& from, const OrderTruth& truth, int64_t version,
                   const std::optional<OrderSnapshot>& before, const Cause& cause, Time now) {
  Event event;
  event.id = EventId(from.platform, "order", truth.order_id, std::to_string(version), truth.digest);
  event.type = "order.changed";
  event.subject_kind = "order";
  event.subject_id = event.order_id = truth.order_id;
  event.status = truth.status;
  event.status_version = version;
  event.cause = cause;
  json::Writer writer = Begin(from, event, now);
  writer.Member("order_id", truth.order_id).Member("status", truth.status).Key("previous_status");
  before ? writer.String(before->status) : writer.Null();
  writer.Member("status_version", version).Member("paid_amount", truth.paid_amount);
  writer.Member("refund_status", truth.refund_status)
      .Member("trigger", cause.source)
      .Member("msg_id", cause.msg_id);
  event.payload = writer.Key("order").Raw(truth.raw).EndObject().EndObject().Take();
  return event;
}

Event MessageReceived(const EventSource& from, std::string_view msg_id, std::string_view topic,
                      std::string_view shop, std::string_view order_id, std::string_view body, Time now) {
  Event event;
  event.id = EventId(from.platform, "message", msg_id, "0", Sha256Hex(body));
  event.type = "message.received";
  event.subject_kind = "message";
  event.subject_id = msg_id;
  event.order_id = order_id;
  event.cause = {"message", std::string(msg_id)};
  json::Writer writer = Begin(from, event, now);
  writer.Member("msg_id", msg_id).Member("topic", topic).Member("shop", shop).Member("content", body);
  event.payload = writer.EndObject().EndObject().Take();
  return event;
}

}  // namespace tmc
