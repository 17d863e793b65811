#include "agent/option_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "agent/option_values.h"
#include "agent/url.h"
#include "agent/utf8.h"

namespace tmc {
namespace {

using enum Command;
using Value = const std::string&;

constexpr unsigned Bits(std::initializer_list<Command> commands) {
  unsigned bits = 0;
  for (const Command command : commands) bits |= 1u << static_cast<unsigned>(command);
  return bits;
}

constexpr unsigned kOfRun = Bits({kRun});
constexpr unsigned kOfCalling = Bits({kRun, kReconcile, kPermit});  // those that call the platform
constexpr unsigned kOfWorking = Bits({kRun, kReconcile});           // those that read orders
constexpr unsigned kOfReading = Bits({kStatus, kTrace, kOrdersShow, kOrdersList, kDlqList, kDlqShow});
constexpr unsigned kOfDeadLetters = Bits({kDlqReplay, kDlqDiscard});
constexpr unsigned kOfPrinting = kOfReading | kOfDeadLetters | Bits({kReconcile, kPermit, kVersion});
constexpr unsigned kOfAll = kOfPrinting | kOfRun;
constexpr unsigned kOfDatabase = kOfAll & ~Bits({kVersion});

constexpr const char* kLater = "is not available in this version yet";

std::string TakeWhole(Value value, int64_t least, int64_t most, int& into) {
  const auto number = ParseWhole(value);
  if (!number || *number < least || *number > most)
    return fmt::format("takes a whole number from {} to {}", least, most);
  into = static_cast<int>(*number);
  return "";
}

std::string DurationText(milliseconds duration) {
  if (duration % 24h == 0ms && duration > 0ms) return fmt::format("{}d", duration / 24h);
  if (duration % 1h == 0ms && duration > 0ms) return fmt::format("{}h", duration / 1h);
  if (duration % 1min == 0ms && duration > 0ms) return fmt::format("{}m", duration / 1min);
  return duration % 1s == 0ms ? fmt::format("{}s", duration / 1s) : fmt::format("{}ms", duration.count());
}

std::string TakeDuration(Value value, milliseconds least, milliseconds most, milliseconds& into) {
  const auto duration = ParseDuration(value);
  if (!duration || *duration < least || *duration > most)
    return fmt::format("takes a duration like 300, 300s, 5m, 20h or 2d, from {} to {}", DurationText(least),
                       DurationText(most));
  into = *duration;
  return "";
}

std::string TakeTime(Value value, std::optional<Time>& into) {
  into = ParseTime(value);
  return into ? "" : "takes a time like 2026-01-15T08:30:00 (UTC+8), with Z or +08:00 for another offset";
}

// Any text that can stand in a line.
std::string TakeText(Value value, std::string& into) {
  const bool clean = std::ranges::none_of(value, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; });
  if (!clean || !utf8::Valid(value)) return "takes a line of UTF-8 text";
  into = value;
  return "";
}

std::string TakeWord(Value value, std::string& into) {
  if (!std::ranges::all_of(value, [](char c) { return c > ' ' && c < 0x7F; }))
    return "takes one word of letters and digits";
  into = value;
  return "";
}

std::string TakePath(Value value, std::string& into) {
  into = value;
  return "";
}

std::string TakeGateway(Options& options, Value value) {
  if (!ParseUrl(value)) return "takes an address like https://gw.api.taobao.com/router/rest";
  options.gateway = value;
  return "";
}

std::string TakeRate(Options& options, Value value) {
  const auto rate = ParseFraction(value);
  if (!rate || *rate <= 0 || *rate > 1'000'000) return "takes a number above 0, at most 1000000";
  options.settings.rate = *rate;
  return "";
}

std::string TakeLogLevel(Options& options, Value value) {
  constexpr std::array<std::string_view, 4> kWords{"debug", "info", "warn", "error"};
  const auto found = std::ranges::find(kWords, value);
  if (found == kWords.end()) return "takes debug, info, warn or error";
  options.log_level = static_cast<log::Level>(found - kWords.begin());
  return "";
}

std::string TakeLogFormat(Options& options, Value value) {
  if (value != "text" && value != "json") return "takes text or json";
  options.log_format = value == "json" ? log::Format::kJson : log::Format::kText;
  return "";
}

std::string TakePlatform(Options& options, Value value) {
  if (value == "1688") return std::string("1688 ") + kLater;
  if (value != "top") return "takes top";
  options.platform = value;
  return "";
}

std::string TakeSignMethod(Options& options, Value value) {
  if (value != "md5" && value != "hmac" && value != "hmac-sha256") return "takes md5, hmac or hmac-sha256";
  options.sign_method = value;
  return "";
}

// The one documented comma list.
std::string TakeTopics(Options& options, Value value) {
  std::vector<std::string>& topics = options.topics.emplace();
  for (size_t at = 0; at <= value.size();) {
    const size_t end = std::min(value.find(',', at), value.size());
    std::string topic;
    const std::string wrong = TakeWord(value.substr(at, end - at), topic);
    if (!wrong.empty() || topic.empty()) return "takes topics, separated by commas, none of them empty";
    topics.push_back(std::move(topic));
    at = end + 1;
  }
  return "";
}

std::string TakeMaxRuntime(Options& options, Value value) {
  return TakeDuration(value, 1s, 365 * 24h, options.max_runtime.emplace());
}

std::string RefuseLater(Options&, Value) {
  return kLater;
}
// Taken before all others.
std::string Nothing(Options&, Value) {
  return "";
}

constexpr Flag kFlags[] = {
    {"db", "PATH", kOfAll, [](Options& o, Value v) { return TakePath(v, o.db); }},
    {"db-group", "NAME", kOfRun, [](Options& o, Value v) { return TakeWord(v, o.db_group); }},
    {"flagfile", "F", kOfAll, Nothing},
    {"json", "", kOfPrinting, [](Options& o, Value) { return o.json = true, std::string(); }},
    {"log-level", "LEVEL", kOfAll, TakeLogLevel},
    {"log-format", "FORMAT", kOfAll, TakeLogFormat},
    {"log-file", "F", kOfAll, [](Options& o, Value v) { return TakePath(v, o.log_file); }},

    {"platform", "NAME", kOfDatabase, TakePlatform},
    {"gateway", "URL", kOfCalling, TakeGateway},
    {"allow-plaintext", "", kOfCalling,
     [](Options& o, Value) { return o.allow_plaintext = true, std::string(); }},
    {"app-key", "KEY", kOfCalling, [](Options& o, Value v) { return TakeWord(v, o.settings.app_key); }},
    {"app-secret-file", "F", kOfCalling,
     [](Options& o, Value v) { return TakePath(v, o.secrets.app_secret_file); }},
    {"session-file", "F", kOfCalling,
     [](Options& o, Value v) { return TakePath(v, o.secrets.session_file); }},
    {"group", "NAME", kOfCalling, [](Options& o, Value v) { return TakeText(v, o.settings.group); }},
    {"sign-method", "METHOD", kOfCalling, TakeSignMethod},
    {"ca-file", "F", kOfCalling, [](Options& o, Value v) { return TakePath(v, o.ca_file); }},
    {"rate", "N", kOfCalling, TakeRate},

    {"batch", "N", kOfRun, [](Options& o, Value v) { return TakeWhole(v, 10, 200, o.settings.batch); }},
    {"parallel", "N", kOfWorking,
     [](Options& o, Value v) { return TakeWhole(v, 1, 64, o.settings.parallel); }},
    {"poll-hold", "D", kOfRun,
     [](Options& o, Value v) { return TakeDuration(v, 0ms, 10min, o.settings.poll_hold); }},
    {"idle-min", "D", kOfRun,
     [](Options& o, Value v) { return TakeDuration(v, 1ms, 1h, o.settings.idle_min); }},
    {"idle-max", "D", kOfRun,
     [](Options& o, Value v) { return TakeDuration(v, 1ms, 1h, o.settings.idle_max); }},
    {"max-attempts", "N", kOfWorking,
     [](Options& o, Value v) { return TakeWhole(v, 1, 1000, o.settings.max_attempts); }},
    {"give-up-after", "D", kOfWorking,
     [](Options& o, Value v) { return TakeDuration(v, 1s, 365 * 24h, o.settings.give_up_after); }},
    {"unknown-order-grace", "D", kOfWorking,
     [](Options& o, Value v) { return TakeDuration(v, 0ms, 7 * 24h, o.settings.unknown_order_grace); }},
    {"reconcile-interval", "D", kOfRun,
     [](Options& o, Value v) { return TakeDuration(v, 0ms, 7 * 24h, o.settings.reconcile_interval); }},
    {"reconcile-overlap", "D", kOfRun,
     [](Options& o, Value v) { return TakeDuration(v, 0ms, 7 * 24h, o.settings.reconcile_overlap); }},
    {"reconcile-lag", "D", kOfWorking,
     [](Options& o, Value v) { return TakeDuration(v, 0ms, 1h, o.settings.reconcile_lag); }},
    {"reconcile-backfill", "D", kOfRun,
     [](Options& o, Value v) { return TakeDuration(v, 0ms, 90 * 24h, o.settings.reconcile_backfill); }},
    {"retain", "D", kOfRun,
     [](Options& o, Value v) { return TakeDuration(v, 1h, 3650 * 24h, o.settings.retain); }},
    {"once", "", kOfRun, [](Options& o, Value) { return o.settings.once = true, std::string(); }},
    {"once-wait", "D", kOfWorking,
     [](Options& o, Value v) { return TakeDuration(v, 0ms, 7 * 24h, o.settings.once_wait); }},
    {"max-runtime", "D", kOfRun, TakeMaxRuntime},
    {"stall-timeout", "D", kOfRun,
     [](Options& o, Value v) { return TakeDuration(v, 1s, 24h, o.settings.stall_timeout); }},
    {"drain-timeout", "D", kOfWorking,
     [](Options& o, Value v) { return TakeDuration(v, 0ms, 1h, o.settings.drain_timeout); }},
    {"if-not-running", "", kOfRun, [](Options& o, Value) { return o.if_not_running = true, std::string(); }},
    {"deliver", "NAME=TARGET", kOfRun, RefuseLater},
    {"metrics-file", "F", kOfRun, RefuseLater},

    {"check", "", Bits({kStatus}), RefuseLater},
    {"msg-id", "ID", Bits({kTrace, kDlqList}), [](Options& o, Value v) { return TakeText(v, o.msg_id); }},
    {"order-id", "ID", Bits({kTrace, kDlqList}), [](Options& o, Value v) { return TakeText(v, o.order_id); }},
    {"status", "S", Bits({kOrdersList}), [](Options& o, Value v) { return TakeWord(v, o.status); }},
    {"since", "T", Bits({kOrdersList}), [](Options& o, Value v) { return TakeTime(v, o.since); }},
    {"all", "", Bits({kDlqList}), [](Options& o, Value) { return o.all = true, std::string(); }},
    {"reason", "R", Bits({kDlqList, kDlqReplay}), [](Options& o, Value v) { return TakeWord(v, o.reason); }},
    {"accept-truth", "", Bits({kDlqReplay}),
     [](Options& o, Value) { return o.accept_truth = true, std::string(); }},
    {"why", "TEXT", kOfDeadLetters, [](Options& o, Value v) { return TakeText(v, o.why); }},
    {"from", "T", Bits({kReconcile}), [](Options& o, Value v) { return TakeTime(v, o.from); }},
    {"to", "T", Bits({kReconcile}), [](Options& o, Value v) { return TakeTime(v, o.to); }},
    {"topics", "A,B", Bits({kPermit}), TakeTopics},
    {"shop", "ID_OR_NICK", Bits({kPermit}), [](Options& o, Value v) { return TakeText(v, o.shop); }},
    {"yes", "", Bits({kPermit}), [](Options& o, Value) { return o.yes = true, std::string(); }},
};

}  // namespace

std::span<const Flag> AllFlags() {
  return kFlags;
}

const Flag* FindFlag(std::string_view name) {
  const auto found = std::ranges::find(kFlags, name, &Flag::name);
  return found == std::end(kFlags) ? nullptr : found;
}

}  // namespace tmc
