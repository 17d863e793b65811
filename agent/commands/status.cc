#include <fmt/format.h>

#include "agent/commands/commands.h"
#include "agent/commands/print.h"
#include "agent/run_lock.h"
#include "agent/views.h"

namespace tmc::commands {
namespace {

constexpr milliseconds kKept = 24h;  // the platform keeps a message this long

int64_t Of(const std::map<std::string, int64_t>& counts, const std::string& name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

std::optional<Time> At(const StatusView& view, const std::string& name) {
  const auto found = view.tallies.find(name);
  return found == view.tallies.end() ? std::nullopt : std::optional(FromMillis(found->second));
}

std::string Ago(std::optional<Time> time, Time now) {
  return time ? fmt::format("{} ({} ago)", ChinaTime(time), Age(now - *time)) : "never";
}

void Json(const StatusView& view, std::optional<pid_t> runs, Time now) {
  json::Writer out;
  out.BeginObject().Member("running_pid", runs ? std::optional<int64_t>(*runs) : std::nullopt);
  TimeMember(out, "now", now);
  TimeMember(out, "last_consume_at", At(view, "last_consume_at"));
  TimeMember(out, "last_reconcile_at", At(view, "last_reconcile_at"));
  out.Key("open").BeginObject();
  for (const char* state : {"received", "enriching", "failed"}) out.Member(state, Of(view.open, state));
  out.EndObject();
  TimeMember(out, "oldest_open_received_at",
             view.oldest ? std::optional(view.oldest->received_at) : std::nullopt);
  out.Key("waiting").BeginArray();
  for (const auto& [scope, rows] : view.waiting)
    out.BeginObject().Member("for", scope).Member("rows", rows).EndObject();
  out.EndArray().Member("settled_last_minute", view.settled_last_minute);
  out.Member("settled_last_hour", view.settled_last_hour);
  out.Member("owed_confirms", view.owed_confirms).Member("refused_confirms", view.refused_confirms);
  out.Key("dead_letters").BeginObject();
  for (const auto& [reason, count] : view.letters) out.Member(reason, count);
  out.EndObject().Key("cursors").BeginArray();
  for (const CursorRow& cursor : view.cursors) {
    out.BeginObject().Member("shop", cursor.shop).Member("kind", cursor.kind);
    TimeMember(out, "position", cursor.position);
    out.EndObject();
  }
  out.EndArray().Key("closed").BeginArray();
  for (const Closure& closure : view.closures) {
    out.BeginObject()
        .Member("scope", closure.scope)
        .Member("ban", closure.ban)
        .Member("detail", closure.detail);
    TimeMember(out, "since", closure.since);
    TimeMember(out, "until", closure.until);
    out.EndObject();
  }
  out.EndArray().Key("short_slices").BeginArray();
  for (const ShortSlice& slice : view.short_slices) {
    out.BeginObject()
        .Member("shop", slice.shop)
        .Member("seen", slice.seen)
        .Member("expected", slice.expected);
    TimeMember(out, "from", slice.from);
    TimeMember(out, "to", slice.to);
    out.EndObject();
  }
  out.EndArray().Key("totals").BeginObject();
  for (const char* name :
       {"messages_received", "messages_new", "messages_again", "messages_applied", "messages_confirmed",
        "orders_changed", "dead_letters", "truth_lags", "missed_by_messages", "reconcile_orders_seen"})
    out.Member(name, Of(view.tallies, name));
  out.Member("maybe_missed_by_messages", view.maybe_missed).EndObject();
  out.Member("consume_error", view.consume_error).Member("last_error", view.last_error).EndObject();
  SayJson(out);
}

void Trouble(const StatusView& view, Time now) {
  for (const Closure& closure : view.closures)
    Say(fmt::format("closed      {} since {}, {} {}: {}", closure.scope, ChinaTime(closure.since),
                    closure.ban ? "banned until" : "next try", ChinaTime(closure.until), closure.detail));
  for (const auto& [scope, rows] : view.waiting)
    Say(fmt::format("waiting     {} messages for {}", rows, scope));
  for (const ShortSlice& slice : view.short_slices)
    Say(fmt::format("short slice shop {}, {}: the platform counts {}, its list shows {}", slice.shop,
                    ChinaTime(slice.from), slice.expected, slice.seen));
  if (view.refused_confirms > 0)
    Say(fmt::format("refused     {} confirms that the platform does not take", view.refused_confirms));
  if (!view.last_error.empty())
    Say(fmt::format("last error  {} (message {})", view.last_error, view.last_error_msg_id));
  if (view.oldest) {
    const Time begin = view.oldest->published_at.value_or(view.oldest->received_at);
    Say(fmt::format("oldest      message {}, {} old; the platform drops it in {}, it stays here",
                    view.oldest->msg_id, Age(now - view.oldest->received_at),
                    begin + kKept > now ? Age(begin + kKept - now) : "0 s"));
  }
}

void Text(const StatusView& view, std::optional<pid_t> runs, Time now) {
  Say(runs ? fmt::format("agent       running, process {}", *runs) : "agent       not running");
  Say("consumed    " + Ago(At(view, "last_consume_at"), now));
  if (!view.consume_error.empty()) Say("            the last call failed: " + view.consume_error);
  Say("reconciled  " + Ago(At(view, "last_reconcile_at"), now));
  for (const CursorRow& cursor : view.cursors)
    Say(fmt::format("cursor      shop {}: {}", cursor.shop, ChinaTime(cursor.position)));
  Say(fmt::format("open        {} received, {} in hand, {} to be tried again; {} confirms owed",
                  Of(view.open, "received"), Of(view.open, "enriching"), Of(view.open, "failed"),
                  view.owed_confirms));
  Say(fmt::format("settled     {} in the last minute, {} in the last hour", view.settled_last_minute,
                  view.settled_last_hour));
  Say(fmt::format("in all      {} messages, {} confirmed; {} applied with what reconciliation found",
                  Of(view.tallies, "messages_new"), Of(view.tallies, "messages_confirmed"),
                  Of(view.tallies, "messages_applied")));
  Say(fmt::format("            {} order changes, {} of them missed by messages{}",
                  Of(view.tallies, "orders_changed"), Of(view.tallies, "missed_by_messages"),
                  view.maybe_missed == 0
                      ? ""
                      : fmt::format(" ({} more unless a message tells within 10 min)", view.maybe_missed)));
  int64_t letters = 0;
  for (const auto& [reason, count] : view.letters) letters += count;
  Say(letters == 0
          ? "dead        none"
          : fmt::format("dead        {} letters wait for a person: see `tmc-agent dlq list`", letters));
  for (const auto& [reason, count] : view.letters) Say(fmt::format("            {} {}", count, reason));
  Trouble(view, now);
}

// Whoever may only read the database cannot ask for its lock.
std::optional<pid_t> Holder(const std::string& db) {
  try {
    return RunLock(db).Holder();
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

}  // namespace

int Status(const Options& options) {
  Store store({.path = options.db, .read_only = true});
  const Time now = SystemClock().Now();
  const StatusView view = Views(store, options.platform).Status(now);
  const auto runs = Holder(options.db);
  options.json ? Json(view, runs, now) : Text(view, runs, now);
  return 0;
}

}  // namespace tmc::commands
