#include "tests/simulator/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tmc::sim {
namespace {

// 19 digits, so that neighbours are one and the same double.
constexpr int64_t kFirstId = 7104300007400000101;
constexpr std::array kFlaws{"gbk_nick", "half_emoji", "half_surrogate", "control_char", "id_text",
                            "no_id",    "no_topic",   "no_content",     "no_nick",      "null_content"};

// Like Quote, with / and everything beyond ASCII escaped.
std::string QuoteEscaped(std::string_view text) {
  std::string out;
  const std::string quoted = Replace(Quote(text), "/", "\\/");
  for (size_t i = 0; i < quoted.size();) {
    const auto lead = static_cast<unsigned char>(quoted[i]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    uint32_t point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
    for (size_t k = 1; k < length; ++k)
      point = point << 6 | (static_cast<unsigned char>(quoted[i + k]) & 0x3Fu);
    if (length == 1)
      out += quoted[i];
    else if (point < 0x10000)
      out += fmt::format("\\u{:04x}", point);
    else
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + ((point - 0x10000) >> 10), 0xDC00 + (point & 0x3FF));
    i += length;
  }
  return out;
}

std::string NickText(std::string_view nick, std::string_view flaw) {
  std::string text = Quote(nick);
  text.pop_back();
  if (flaw == "gbk_nick") return "\"\xD5\xC5\xC8\xFD\"";  // 张三
  if (flaw == "half_emoji") text += "\xF0\x9F\x98";
  if (flaw == "half_surrogate") text += "\\ud83d";
  if (flaw == "control_char") text += '\x01';
  return text + '"';
}

bool Digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == text.npos;
}

std::string PublisherKey(std::string_view topic) {
  return topic.find("_item_") == topic.npos ? "12497914" : "12499723";
}

std::string EntryText(World& world, const Draft& draft, Time published) {
  const auto& flaw = draft.flaw;
  Members entry{{"pub_time", Quote(PlatformTime(published))},
                {"pub_app_key", Quote(PublisherKey(draft.topic))}};
  if (flaw != "no_id")
    entry.emplace_back("id", flaw == "id_text" || !Digits(draft.id) ? Quote(draft.id) : draft.id);
  if (flaw != "no_topic") entry.emplace_back("topic", Quote(draft.topic));
  const bool escapes = draft.escapes || world.switches.escapes;
  if (flaw == "null_content")
    entry.emplace_back("content", "null");
  else if (flaw != "no_content")
    entry.emplace_back("content", escapes ? QuoteEscaped(draft.content) : Quote(draft.content));
  if (draft.shop) {
    const Shop& shop = world.shops.at(*draft.shop);
    entry.emplace_back("user_id", shop.user_id);
    if (flaw != "no_nick") entry.emplace_back("user_nick", NickText(shop.nick, flaw));
  }
  return WrapObject(std::move(entry), world.switches.style, world.chance);
}

std::string GroupOf(const World& world, const Draft& draft) {
  if (!draft.group.empty()) return draft.group;
  if (draft.shop && !world.shops.at(*draft.shop).group.empty()) return world.shops.at(*draft.shop).group;
  return world.app.groups.empty() ? kDefaultGroup : world.app.groups.front();
}

}  // namespace

bool KnownFlaw(std::string_view flaw) {
  return std::find(kFlaws.begin(), kFlaws.end(), flaw) != kFlaws.end();
}

std::string Publish(World& world, Draft draft) {
  if (draft.id.empty())
    draft.id = std::to_string(kFirstId + static_cast<int64_t>(world.queue.messages().size()));
  Message message;
  message.published = draft.published.value_or(draft.visible);
  message.entry = draft.raw_entry.empty() ? EntryText(world, draft, message.published) : draft.raw_entry;
  message.id = draft.flaw == "no_id" ? "" : draft.id;
  message.topic = draft.topic;
  message.shop = draft.shop ? world.shops.at(*draft.shop).nick : "";
  message.group = GroupOf(world, draft);
  message.visible = draft.visible;
  world.queue.Put(std::move(message), draft.extra, draft.gap);
  return draft.id;
}

std::string TradeContent(const World& world, const Order& order, const Truth& truth, std::string_view topic) {
  const std::string oid = truth.lines.empty() ? order.tid : FieldText(truth.lines.front(), "oid");
  const std::string* payment = FindField(truth.fields, "payment");
  std::string out = "{\"tid\":" + order.tid + ",\"oid\":" + oid;
  out += ",\"seller_nick\":" + Quote(world.shops.at(order.shop).nick);
  out += ",\"buyer_nick\":\"测试买家a1\",\"buyer_open_uid\":\"AAEXAAAAAInventedOpenUid0000000000\"";
  out += ",\"type\":\"guarantee_trade\"";
  if (payment != nullptr) out += ",\"payment\":" + *payment;
  if (!topic.ends_with("TradeBuyerPay")) out += ",\"status\":\"" + FieldText(truth.fields, "status") + '"';
  return out + "}";
}

}  // namespace tmc::sim
