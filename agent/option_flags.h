#pragma once

#include <span>
#include <string>
#include <string_view>

#include "agent/options.h"

namespace tmc {

// A flag: its name without dashes, what its value is called in a sentence ("" for a switch), the commands
// that take it, and how it enters the Options. `take` returns what is wrong with the value, or "".
struct Flag {
  std::string_view name;
  std::string_view value;
  unsigned commands;  // a bit each
  std::string (*take)(Options& options, const std::string& value);
  bool Belongs(Command command) const { return (commands >> static_cast<unsigned>(command) & 1u) != 0; }
};

std::span<const Flag> AllFlags();
const Flag* FindFlag(std::string_view name);

}  // namespace tmc
