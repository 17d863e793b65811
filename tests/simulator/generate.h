#pragma once

#include "tests/simulator/input.h"

namespace tmc::sim {

// {"orders": 40000, "messages": 100000, "seed": 1, "spread": "30m"}: orders of all shops in all states,
// changed within the last `spread`, and messages about them, every order at least once where they suffice.
Complaint Generate(World& world, std::string_view text);

}  // namespace tmc::sim
