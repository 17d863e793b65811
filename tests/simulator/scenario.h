#pragma once

#include "tests/simulator/input.h"

namespace tmc::sim {

// Everything a scenario file may hold, put into the world: README.md describes it. Times with a sign count
// from the platform's now.
Complaint LoadScenario(World& world, std::string_view text);

}  // namespace tmc::sim
