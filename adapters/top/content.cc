#include <algorithm>

#include "adapters/top/statuses.h"
#include "adapters/top/wire.h"
#include "agent/json.h"
#include "agent/utf8.h"

namespace tmc::top {
namespace {

constexpr size_t kMaxBody = 1u << 20;

// Refunds name an order, too: its refund status is what changed.
bool NamesOrder(std::string_view topic) {
  return topic.starts_with("taobao_trade_") || topic.starts_with("taobao_refund_");
}

Rejected Unreadable(std::string_view body, const json::ParseError& error) {
  switch (error.flaw) {
    case json::Flaw::kTooLarge:
      return {"body_too_large", error.text};
    case json::Flaw::kBadEncoding:
      return {"bad_encoding", error.text};
    case json::Flaw::kEmpty:
    case json::Flaw::kTooDeep:
    case json::Flaw::kSyntax:
      break;
  }
  return {utf8::Valid(body) ? "bad_json" : "bad_encoding", error.text};
}

// A number of 1 to 20 digits, not 0.
std::string_view IdOf(json::Node node) {
  constexpr size_t kMost = 20;
  const std::string_view text = node.Text().value_or("");
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool usable =
      !text.empty() && text.size() <= kMost && text[0] != '0' && std::ranges::all_of(text, digit);
  return usable ? text : "";
}

// A sub-order that is closed says nothing of its trade.
bool IsOfWholeTrade(json::Node content, std::string_view tid) {
  const json::Node oid = content["oid"];
  return !oid.Exists() || oid.IsNull() || (content.Count("oid") == 1 && oid.Text() == tid);
}

Trigger OrderTrigger(std::string_view topic, json::Node content, std::string_view tid) {
  Trigger trigger{.kind = SubjectKind::kOrder,
                  .subject_id = std::string(tid),
                  .order_id = std::string(tid),
                  .announced_rank = AnnouncedRank(topic)};
  if (topic == "taobao_trade_TradeClose" && !IsOfWholeTrade(content, tid)) trigger.announced_rank = 0;
  return trigger;
}

// Kept, told of, confirmed, whatever it holds; the order that it may name is for the trace.
Trigger OtherTrigger(json::Node content) {
  Trigger trigger;
  if (content.Count("tid") == 1) trigger.order_id = IdOf(content["tid"]);
  return trigger;
}

}  // namespace

std::variant<Trigger, Rejected> ReadContent(std::string_view topic, std::string_view body) {
  json::Document document;
  const auto error = document.Parse(body, kMaxBody);
  const json::Node content = document.root();
  if (!NamesOrder(topic)) return OtherTrigger(content);
  if (error) return Unreadable(body, *error);
  if (!content.IsObject()) return Rejected{"bad_json", "the content is JSON, but not an object"};
  if (content.Count("tid") > 1) return Rejected{"bad_json", "the content repeats the key tid"};
  const std::string_view tid = IdOf(content["tid"]);
  if (tid.empty())
    return Rejected{"missing_order_id",
                    content["tid"].Exists() ? "the content's tid is no order id" : "the content has no tid"};
  return OrderTrigger(topic, content, tid);
}

}  // namespace tmc::top
