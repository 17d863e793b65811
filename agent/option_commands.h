#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agent/options.h"

namespace tmc {

// A command as it is typed: one word, or two ("dlq", "list").
struct CommandName {
  std::string_view word, second;
  Command command;
};

std::span<const CommandName> AllCommands();
std::string NameOf(Command command);

}  // namespace tmc
