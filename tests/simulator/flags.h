#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulator/server.h"

namespace tmc::sim {

struct Flags {
  ServerSettings server;
  std::string scenario, ready_file;
  std::string generate;  // JSON for Generate
  uint64_t seed = 1;
  bool help = false;
  std::vector<std::string> app, switches, limits,
      shops;  // JSON objects for SetApp, SetSwitches, SetLimits, AddShop
  std::optional<milliseconds> clock_offset;
};

// Returns a sentence that names the flag when something is wrong.
std::optional<std::string> ReadFlags(const std::vector<std::string>& arguments, Flags& flags);
extern const char kHelp[];

}  // namespace tmc::sim
