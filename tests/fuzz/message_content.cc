#include "adapters/top/platform.h"
#include "agent/event.h"
#include "agent/json.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace tmc;

void Check(const Platform& platform, std::string_view topic, std::string_view content) {
  const auto read = platform.ReadContent(topic, content);
  if (const auto* rejected = std::get_if<Rejected>(&read)) {
    PROMISE(!rejected->reason.empty());
    PROMISE(!rejected->detail.empty());
    return;
  }
  const Trigger& trigger = std::get<Trigger>(read);
  if (trigger.kind == SubjectKind::kOrder) {
    PROMISE(!trigger.order_id.empty());
    PROMISE(trigger.subject_id == trigger.order_id);
    PROMISE(trigger.order_id.find_first_not_of("0123456789") == std::string::npos);
  }
  // What subscribers are told of it is JSON, whatever it holds.
  const Event event =
      MessageReceived({"top", "12345678"}, "1", topic, "2", trigger.order_id, content, Time{});
  PROMISE(!json::Document().Parse(event.payload));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  static const auto platform = top::MakeTop({});
  const std::string_view text = fuzz::Text(data, size);
  // The samples are entries whose content is a text within.
  std::string content(text);
  json::Document entry;
  if (!entry.Parse(text))
    if (const auto inner = entry.root()["content"].Text()) content = *inner;
  for (const char* topic : {"taobao_trade_TradeCreate", "taobao_trade_TradeClose",
                            "taobao_refund_RefundCreated", "taobao_item_ItemUpdate"})
    Check(*platform, topic, content);
  return 0;
}
