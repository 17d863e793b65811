#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/simulation/kinds.h"

namespace tmc::simulation {

// How one seed's world went.
struct Ending {
  std::vector<std::string> complaints;  // none: all is well
  Counts fired{};
  int64_t virtual_ms = 0;
  std::string history;  // where it was asked for
};

Ending RunWorld(uint64_t seed, bool with_history);

}  // namespace tmc::simulation
