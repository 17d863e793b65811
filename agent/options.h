#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/clock.h"
#include "agent/log.h"
#include "agent/secrets.h"
#include "agent/settings.h"

namespace tmc {

enum class Command {
  kHelp,
  kVersion,
  kRun,
  kStatus,
  kTrace,
  kOrdersShow,
  kOrdersList,
  kDlqList,
  kDlqShow,
  kDlqReplay,
  kDlqDiscard,
  kReconcile,
  kPermit,
};

// A whole command line: what to do, and everything that flags, flag file and environment said about it.
struct Options {
  Command command = Command::kHelp;
  std::string help;              // kHelp: what to print
  std::vector<std::string> ids;  // orders show: one; dlq show: one; dlq replay, discard: some

  Settings settings;
  std::string platform = "top";
  std::string gateway = "https://gw.api.taobao.com/router/rest";
  bool allow_plaintext = false;
  std::string sign_method = "hmac-sha256";
  std::string ca_file;  // empty: the system's certificates
  SecretSources secrets;

  std::string db;
  std::string db_group;  // empty: the database is the owner's alone
  log::Level log_level = log::Level::kInfo;
  log::Format log_format = log::Format::kText;
  std::string log_file;  // empty: standard error
  bool if_not_running = false;
  std::optional<milliseconds> max_runtime;

  bool json = false, yes = false, all = false, accept_truth = false;
  std::string msg_id, order_id, status, reason, why, shop;  // empty: not given
  std::optional<Time> since, from, to;
  std::optional<std::vector<std::string>> topics;
};

// Why a command line is not obeyed. 64: it cannot be understood; 78: a setting is missing or contradicts
// another.
struct OptionsProblem {
  int exit_status;
  std::string text;  // names the flag
};

// The value of a variable, "" where it is not set.
using Environment = std::function<std::string(const char* name)>;
std::string ProcessEnvironment(const char* name);

// `words` are the arguments without the program's name. Reads nothing but a --flagfile; opens nothing.
std::variant<Options, OptionsProblem> ParseOptions(const std::vector<std::string>& words,
                                                   const Environment& environment);

}  // namespace tmc
