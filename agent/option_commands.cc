#include "agent/option_commands.h"

#include <algorithm>

namespace tmc {
namespace {

constexpr CommandName kCommands[] = {
    {"run", "", Command::kRun},
    {"status", "", Command::kStatus},
    {"trace", "", Command::kTrace},
    {"orders", "show", Command::kOrdersShow},
    {"orders", "list", Command::kOrdersList},
    {"dlq", "list", Command::kDlqList},
    {"dlq", "show", Command::kDlqShow},
    {"dlq", "replay", Command::kDlqReplay},
    {"dlq", "discard", Command::kDlqDiscard},
    {"reconcile", "", Command::kReconcile},
    {"permit", "", Command::kPermit},
    {"version", "", Command::kVersion},
    {"help", "", Command::kHelp},
};

}  // namespace

std::span<const CommandName> AllCommands() {
  return kCommands;
}

std::string NameOf(Command command) {
  const auto found = std::ranges::find(kCommands, command, &CommandName::command);
  return std::string(found->word) + (found->second.empty() ? "" : " " + std::string(found->second));
}

}  // namespace tmc
