#include "adapters/top/entry.h"

#include <algorithm>

#include "adapters/top/answer.h"
#include "adapters/top/china_time.h"

namespace tmc::top {
namespace {

std::string TextOf(json::Node entry, std::string_view key) {
  return std::string(entry[key].Text().value_or(""));
}

std::string ShopOf(json::Node entry) {
  const std::string shop = TextOf(entry, "user_id");
  return UsableId(shop) ? shop : "";
}

// Which of two values the platform meant can't be known.
std::string_view RepeatedKey(json::Node entry) {
  for (std::string_view key : {"id", "topic", "content", "user_id"})
    if (entry.Count(key) > 1) return key;
  return "";
}

// A message's id is a number (taobao.tmc.messages.consume); anything else could not be confirmed.
bool IsNumber(std::string_view id) {
  constexpr size_t kMost = 20;  // digits of 64 bits
  return !id.empty() && id.size() <= kMost && id.find_first_not_of("0123456789") == id.npos;
}

BadEntry Bad(json::Node entry, std::string reason, std::string detail) {
  BadEntry bad;
  bad.reason = std::move(reason);
  bad.detail = std::move(detail);
  bad.topic = TextOf(entry, "topic");
  bad.shop = ShopOf(entry);
  return bad;
}

}  // namespace

bool UsableId(std::string_view text) {
  constexpr size_t kMost = 64;
  const auto fits = [](char c) { return c > ' ' && c < 0x7f && c != ',' && c != ':'; };
  return !text.empty() && text.size() <= kMost && std::ranges::all_of(text, fits);
}

std::variant<Envelope, BadEntry> ReadEntry(json::Node entry) {
  const std::string id = TextOf(entry, "id");
  if (const std::string_view key = RepeatedKey(entry); !key.empty()) {
    BadEntry bad = Bad(entry, "bad_json", "the entry repeats the key " + std::string(key));
    if (key != "id" && IsNumber(id)) bad.msg_id = id;
    return bad;
  }
  if (!IsNumber(id))
    return Bad(entry, "missing_msg_id", entry["id"].Exists() ? "the entry's id is unusable" : "no id");
  if (const json::Node content = entry["content"]; content.IsObject() || content.IsArray()) {
    BadEntry bad = Bad(entry, "bad_json", "the content is not a text");
    bad.msg_id = id;
    return bad;
  }
  return Envelope{.msg_id = id,
                  .shop = ShopOf(entry),
                  .shop_nick = TextOf(entry, "user_nick"),
                  .topic = TextOf(entry, "topic"),
                  .body = TextOf(entry, "content"),
                  .published_at = ReadChinaTime(TextOf(entry, "pub_time"))};
}

std::optional<std::vector<json::Node>> EntriesIn(json::Node result) {
  return Items(result["messages"], "tmc_message", "id");
}

}  // namespace tmc::top
