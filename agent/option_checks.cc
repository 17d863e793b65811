#include "agent/option_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/option_commands.h"
#include "agent/option_values.h"
#include "agent/url.h"

namespace tmc {
namespace {

using enum Command;
using Problem = std::optional<OptionsProblem>;

Problem Usage(std::string text) {
  return OptionsProblem{64, std::move(text)};
}
Problem Setting(std::string text) {
  return OptionsProblem{78, std::move(text)};
}

bool IsLetterNumber(const std::string& id) {
  const auto number = ParseWhole(id);
  return number && *number >= 1;
}

Problem CheckIds(const Options& options) {
  const Command command = options.command;
  const std::string name = NameOf(command);
  const bool letters = command == kDlqShow || command == kDlqReplay || command == kDlqDiscard;
  const bool single = command == kOrdersShow || command == kDlqShow;
  if (!single && !letters && !options.ids.empty())
    return Usage(fmt::format("{} does not take the word {}", name, log::Printable(options.ids[0], 64)));
  if (single && options.ids.size() != 1) return Usage(name + " takes one ID");
  const auto bad = std::ranges::find_if_not(options.ids, IsLetterNumber);
  if (letters && bad != options.ids.end())
    return Usage(fmt::format("{}: {} is not the number of a dead letter", name, log::Printable(*bad, 64)));
  return std::nullopt;
}

bool IsBlank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == text.npos;
}

Problem CheckReplay(const Options& options) {
  if (options.ids.empty() == options.reason.empty()) return Usage("dlq replay takes either IDs or --reason");
  if (options.accept_truth && options.ids.size() != 1) return Usage("--accept-truth takes one ID");
  if (options.accept_truth && IsBlank(options.why)) return Usage("--accept-truth wants --why TEXT");
  return std::nullopt;
}

Problem CheckDiscard(const Options& options) {
  if (options.ids.empty()) return Usage("dlq discard takes at least one ID");
  if (IsBlank(options.why)) return Usage("dlq discard wants --why TEXT");
  return std::nullopt;
}

Problem CheckWindow(const Options& options) {
  if (!options.from || !options.to) return Usage("reconcile wants both --from T and --to T");
  if (*options.from >= *options.to) return Setting("--to is not later than --from");
  return std::nullopt;
}

Problem CheckOperands(const Options& options) {
  switch (options.command) {
    case kDlqReplay:
      return CheckReplay(options);
    case kDlqDiscard:
      return CheckDiscard(options);
    case kReconcile:
      return CheckWindow(options);
    case kTrace:
      if (options.msg_id.empty() == options.order_id.empty())
        return Usage("trace takes either --msg-id or --order-id");
      return std::nullopt;
    case kHelp:
    case kVersion:
    case kRun:
    case kStatus:
    case kOrdersShow:
    case kOrdersList:
    case kDlqList:
    case kDlqShow:
    case kPermit:
      return std::nullopt;
  }
  return std::nullopt;
}

Problem CheckGateway(const Options& options) {
  const auto url = ParseUrl(options.gateway);
  if (url && (url->scheme == "https" || IsLoopback(url->host) || options.allow_plaintext))
    return std::nullopt;
  return Setting(
      fmt::format("--gateway is plain http to {}: everybody on the way could read the session; use "
                  "https, or say --allow-plaintext",
                  url ? url->host : ""));
}

Problem CheckSettings(const Options& options) {
  const Command command = options.command;
  const std::string name = NameOf(command);
  const bool calls = command == kRun || command == kPermit;
  const bool needs_database = command != kPermit && command != kVersion;
  if (needs_database && options.db.empty()) return Setting(name + " needs --db PATH");
  if (calls && options.settings.app_key.empty()) return Setting(name + " needs --app-key KEY");
  if (calls && options.secrets.app_secret_file.empty() && options.secrets.app_secret.empty())
    return Setting(name + " needs --app-secret-file F, or the variable TMC_APP_SECRET");
  if (command == kPermit && options.secrets.session_file.empty() && options.secrets.session.empty())
    return Setting("permit needs --session-file F, or the variable TMC_SESSION");
  if (options.settings.idle_min > options.settings.idle_max)
    return Setting("--idle-min is larger than --idle-max");
  return CheckGateway(options);
}

}  // namespace

std::optional<OptionsProblem> CheckOptions(const Options& options) {
  if (auto problem = CheckIds(options)) return problem;
  if (auto problem = CheckOperands(options)) return problem;
  return CheckSettings(options);
}

}  // namespace tmc
