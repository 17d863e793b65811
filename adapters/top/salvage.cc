#include "adapters/top/salvage.h"

#include "adapters/top/bytewise.h"
#include "adapters/top/calls.h"
#include "adapters/top/entry.h"
#include "agent/json.h"

namespace tmc::top {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kPlaceholder = "0";

// Where the value of a key begins, near the front of the text.
std::optional<size_t> ValueAfter(std::string_view text, std::string_view quoted_key) {
  constexpr size_t kFront = 4096;
  size_t at = text.substr(0, kFront).find(quoted_key);
  if (at == text.npos) return std::nullopt;
  at = text.find_first_not_of(kBlanks, at + quoted_key.size());
  if (at == text.npos || text[at] != ':') return std::nullopt;
  at = text.find_first_not_of(kBlanks, at + 1);
  return at == text.npos ? std::nullopt : std::optional(at);
}

// Is this an answer with the placeholder for its messages?
bool IsSkeleton(const std::string& text) {
  json::Document document;
  if (document.Parse(text)) return false;
  json::Node result = document.root()[kConsume.wrapper];
  if (!result.Exists()) result = document.root();
  const json::Node messages = result["messages"];
  return messages.Text() == kPlaceholder || messages["tmc_message"].Text() == kPlaceholder;
}

// The list that begins at `begin`: its last bracket is the first one behind which the text ends as it should.
// (A later one may belong to a field that stands behind the messages.)
std::optional<std::string_view> ListAt(std::string_view body, size_t begin) {
  constexpr size_t kTail = 4096;
  constexpr int kMostTries = 64;
  if (body[begin] != '[' && body[begin] != '{') return std::nullopt;
  const char closing = body[begin] == '[' ? ']' : '}';
  std::optional<std::string_view> list;
  size_t end = body.rfind(closing);
  for (int tries = 0; tries < kMostTries && end != body.npos && end > begin; ++tries) {
    if (body.size() - end > kTail) break;
    const std::string_view rest = body.substr(end + 1);
    if (IsSkeleton(std::string(body.substr(0, begin)).append(kPlaceholder).append(rest)))
      list = body.substr(begin, end + 1 - begin);
    end = body.rfind(closing, end - 1);
  }
  return list;
}

// The id in bytes that no reading makes sense of: only if there is one, and its end is seen.
std::optional<std::string> IdIn(std::string_view chunk) {
  const size_t key = chunk.find("\"id\"");
  if (key == chunk.npos || chunk.find("\"id\"", key + 1) != chunk.npos) return std::nullopt;
  const auto begin = ValueAfter(chunk.substr(key), "\"id\"");
  if (!begin) return std::nullopt;
  std::string_view rest = chunk.substr(key + *begin);
  const bool quoted = rest.starts_with('"');
  if (quoted) rest.remove_prefix(1);
  const size_t size = rest.find_first_not_of("0123456789");
  if (size == rest.npos || (quoted && rest[size] != '"')) return std::nullopt;
  const size_t next = rest.find_first_not_of(kBlanks, size + (quoted ? 1 : 0));
  if (next == rest.npos || (rest[next] != ',' && rest[next] != '}')) return std::nullopt;
  if (rest[next] == ',' && rest.find_first_not_of(kBlanks, next + 1) != rest.find('"', next))
    return std::nullopt;
  const std::string_view id = rest.substr(0, size);
  return UsableId(id) ? std::optional(std::string(id)) : std::nullopt;
}

// Other lists of objects may stand inside an entry.
bool LooksLikeMessage(json::Node entry) {
  return entry["topic"].Exists() || entry["content"].Exists();
}

class Scan {
 public:
  explicit Scan(std::string_view entries)
      : list_(entries), budget_(kShare * entries.size()), bare_(entries.starts_with('{')) {
    if (!bare_) list_ = list_.substr(1, list_.size() - 2);
  }

  ConsumeAnswer Run() {
    size_t at = 0;
    while ((at = list_.find_first_not_of(" \t\r\n,", at)) != list_.npos) at = Take(at);
    return std::move(answer_);
  }

 private:
  static constexpr size_t kShare = 32;  // times the list's size may be looked at

  struct Found {
    size_t size;
    json::Document document;
    bool good;  // the bytes themselves parse
  };

  static BadEntry Unsorted(std::optional<std::string> msg_id, std::string topic, std::string shop) {
    BadEntry bad;
    bad.msg_id = std::move(msg_id);
    bad.topic = std::move(topic);
    bad.shop = std::move(shop);
    return bad;
  }

  // Takes the entry at `at`; gives the place behind it.
  size_t Take(size_t at) {
    const auto found = ReadAt(at);
    if (!found) return TakeLost(at);
    const std::string_view raw = list_.substr(at, found->size);
    auto entry = ReadEntry(found->document.root());
    if (auto* bad = std::get_if<BadEntry>(&entry))
      Add(std::move(*bad), raw);
    else if (auto& envelope = std::get<Envelope>(entry); found->good)
      answer_.messages.push_back(std::move(envelope));
    else
      Add(Unsorted(envelope.msg_id, envelope.topic, envelope.shop), raw);
    return at + found->size;
  }

  size_t TakeLost(size_t at) {
    const size_t next = NextReadable(at + 1);
    std::string_view raw = list_.substr(at, next - at);
    raw = raw.substr(0, raw.find_last_not_of(" \t\r\n,") + 1);
    Add(Unsorted(IdIn(raw), "", ""), raw);
    return next;
  }

  void Add(BadEntry bad, std::string_view raw) {
    json::Document document;
    if (const auto flaw = document.Parse(raw)) {
      bad.reason = flaw->flaw == json::Flaw::kTooDeep ? "bad_json" : "bad_encoding";
      bad.detail = flaw->text;
    } else if (bad.reason.empty()) {
      bad.reason = "missing_msg_id";
      bad.detail = "the entry is no message";
    }
    bad.raw = raw;
    answer_.bad.push_back(std::move(bad));
  }

  // An object that makes sense in one of the readings, with a comma or the list's end behind it.
  std::optional<Found> ReadAt(size_t at) {
    for (Stepping stepping : {Stepping::kBytes, Stepping::kMixed, Stepping::kPairs}) {
      const auto object = StepOver(list_.substr(at), stepping, budget_);
      if (!object || !EndsAt(at + object->size)) continue;
      Found found{object->size, {}, true};
      if (!found.document.Parse(list_.substr(at, object->size))) return found;
      found.good = false;
      if (!found.document.Parse(object->ascii)) return found;
    }
    return std::nullopt;
  }

  bool EndsAt(size_t at) const {
    const size_t next = list_.find_first_not_of(kBlanks, at);
    return next == list_.npos || (list_[next] == ',' && !bare_);
  }

  // The next place where an entry begins that looks like a message, or the list's end.
  size_t NextReadable(size_t from) {
    for (size_t comma = list_.find(',', from); comma != list_.npos; comma = list_.find(',', comma + 1)) {
      const size_t begin = list_.find_first_not_of(kBlanks, comma + 1);
      if (begin == list_.npos || budget_ == 0) break;
      if (list_[begin] != '{') continue;
      const auto found = ReadAt(begin);
      if (found && LooksLikeMessage(found->document.root())) return begin;
    }
    return list_.size();
  }

  std::string_view list_;
  size_t budget_;
  bool bare_;
  ConsumeAnswer answer_;
};

}  // namespace

std::optional<std::string_view> EntryBytes(std::string_view body) {
  for (std::string_view key : {"\"tmc_message\"", "\"messages\""}) {
    const auto begin = ValueAfter(body, key);
    if (!begin) continue;
    if (const auto list = ListAt(body, *begin)) return list;
  }
  return std::nullopt;
}

ConsumeAnswer Salvage(std::string_view body) {
  const auto entries = EntryBytes(body);
  return entries ? Scan(*entries).Run() : ConsumeAnswer{};
}

}  // namespace tmc::top
