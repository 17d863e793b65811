#include <fmt/format.h>

#include <charconv>

#include "agent/commands/commands.h"
#include "agent/commands/print.h"
#include "agent/dead_letters.h"
#include "agent/inbox.h"
#include "agent/store.h"

namespace tmc::commands {
namespace {

constexpr int64_t kPage = 200;

json::Writer Json(const DeadLetter& letter, bool whole) {
  json::Writer out;
  out.BeginObject().Member("id", letter.id).Member("kind", letter.kind).Key("msg_id");
  letter.msg_id ? out.String(*letter.msg_id) : out.Null();
  out.Member("channel", letter.channel).Member("platform", letter.platform).Member("shop", letter.shop);
  out.Member("topic", letter.topic)
      .Member("subject_kind", letter.subject_kind)
      .Member("subject_id", letter.subject_id);
  out.Member("order_id", letter.order_id).Member("reason", letter.reason).Member("detail", letter.detail);
  out.Member("attempts", letter.attempts).Member("repeats", letter.repeats);
  TimeMember(out, "published_at", letter.published_at);
  TimeMember(out, "first_seen_at", letter.first_seen_at);
  TimeMember(out, "dead_at", letter.dead_at);
  TimeMember(out, "resolved_at", letter.resolved_at);
  out.Key("resolution");
  letter.resolution.empty() ? out.Null() : out.String(letter.resolution);
  out.Member("why", letter.why);
  if (whole) BytesMember(out, "body", letter.body);
  return out;
}

void Text(const DeadLetter& letter) {
  Say(fmt::format("{:>5}  {}  {:<18}  {} {}  {}{}", letter.id, ChinaTime(letter.dead_at), letter.reason,
                  letter.msg_id.value_or("(no id)"),
                  letter.order_id.empty() ? "" : "order " + letter.order_id, letter.detail,
                  letter.resolution.empty()
                      ? ""
                      : fmt::format("  [{} {}]", letter.resolution, ChinaTime(letter.resolved_at))));
}

std::optional<int64_t> Number(const std::string& word) {
  int64_t id = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
  if (error != std::errc() || end != word.data() + word.size() || id <= 0) return std::nullopt;
  return id;
}

// The letters that a command names, by id or all open ones of a reason. Says what is wrong with the rest.
std::vector<int64_t> Named(DeadLetters& letters, const Options& options, int& status) {
  std::vector<int64_t> ids;
  for (const std::string& word : options.ids) {
    if (const auto id = Number(word)) {
      ids.push_back(*id);
    } else {
      Complain("\"" + word + "\" is no id of a dead letter; see `dlq list`");
      status = 64;
    }
  }
  if (options.reason.empty()) return ids;
  for (int64_t after = 0;;) {
    const auto page =
        letters.List({.all = false, .reason = options.reason, .order_id = {}, .msg_id = {}}, after, kPage);
    if (page.empty()) return ids;
    for (const DeadLetter& letter : page) ids.push_back(after = letter.id);
  }
}

// The open letter of that id; says why there is none.
std::optional<DeadLetter> OpenLetter(DeadLetters& letters, int64_t id) {
  auto letter = letters.Find(id);
  if (!letter) {
    Complain(fmt::format("there is no dead letter {}", id));
  } else if (!letter->resolution.empty()) {
    Complain(fmt::format("dead letter {} was {} on {} already; a new failure is a new letter", id,
                         letter->resolution, ChinaTime(letter->resolved_at)));
    letter.reset();
  }
  return letter;
}

bool ReplayOne(DeadLetters& letters, Inbox& inbox, const Options& options, int64_t id, Time now) {
  const auto letter = OpenLetter(letters, id);
  if (!letter) return false;
  if (!letter->msg_id) {
    Complain(fmt::format(
        "dead letter {} has no message id and cannot be replayed; reconciliation finds its order, discard it",
        id));
    return false;
  }
  if (options.accept_truth && letter->reason != "illegal_transition") {
    Complain(
        fmt::format("dead letter {} is {}, --accept-truth is for illegal_transition", id, letter->reason));
    return false;
  }
  if (!inbox.OpenAgain(*letter->msg_id, now, options.accept_truth ? "operator" : "replay")) {
    Complain(fmt::format("message {} of dead letter {} is not parked any more", *letter->msg_id, id));
    return false;
  }
  return letters.Resolve(id, "replayed", options.why, now);
}

template <typename One>
int ForEach(const Options& options, const char* done, One one) {
  Store store({.path = options.db});
  DeadLetters letters(store, options.platform);
  Inbox inbox(store, options.platform);
  int status = 0;
  int64_t count = 0;
  for (const int64_t id : Named(letters, options, status)) {
    Transaction transaction(store);
    if (!one(letters, inbox, id, SystemClock().Now())) {
      status = status ? status : 65;
      continue;
    }
    transaction.Commit();
    ++count;
  }
  if (options.json) {
    json::Writer out;
    out.BeginObject().Member(done, count).EndObject();
    SayJson(out);
  } else {
    Say(fmt::format("{} {} {}", count, count == 1 ? "letter" : "letters", done));
  }
  return status;
}

}  // namespace

int DlqList(const Options& options) {
  Store store({.path = options.db, .read_only = true});
  DeadLetters letters(store, options.platform);
  LetterFilter filter{.all = options.all, .reason = {}, .order_id = {}, .msg_id = {}};
  if (!options.reason.empty()) filter.reason = options.reason;
  if (!options.msg_id.empty()) filter.msg_id = options.msg_id;
  if (!options.order_id.empty()) filter.order_id = options.order_id;
  for (int64_t after = 0;;) {
    const auto page = letters.List(filter, after, kPage);
    if (page.empty()) return 0;
    for (const DeadLetter& letter : page) {
      after = letter.id;
      if (options.json) {
        json::Writer out = Json(letter, false);
        SayJson(out.EndObject());
      } else {
        Text(letter);
      }
    }
  }
}

int DlqShow(const Options& options) {
  Store store({.path = options.db, .read_only = true});
  const auto id = Number(options.ids[0]);
  const auto letter = id ? DeadLetters(store, options.platform).Find(*id) : std::nullopt;
  if (!letter) {
    Complain("there is no dead letter " + options.ids[0]);
    return 65;
  }
  if (options.json) {
    json::Writer out = Json(*letter, true);
    SayJson(out.EndObject());
    return 0;
  }
  Text(*letter);
  Say(fmt::format("topic {}, shop {}, {} failures, published {}, first seen {}, came again {} times",
                  letter->topic, letter->shop, letter->attempts, ChinaTime(letter->published_at),
                  ChinaTime(letter->first_seen_at), letter->repeats));
  if (!letter->why.empty()) Say("why: " + letter->why);
  Say(letter->body);
  return 0;
}

int DlqReplay(const Options& options) {
  return ForEach(options, "replayed", [&](DeadLetters& letters, Inbox& inbox, int64_t id, Time now) {
    return ReplayOne(letters, inbox, options, id, now);
  });
}

int DlqDiscard(const Options& options) {
  return ForEach(options, "discarded", [&](DeadLetters& letters, Inbox&, int64_t id, Time now) {
    return OpenLetter(letters, id) && letters.Resolve(id, "discarded", options.why, now);
  });
}

}  // namespace tmc::commands
