#include <doctest/doctest.h>

#include "tests/simulation/run.h"

using namespace tmc::simulation;

TEST_CASE("Simulation: one seed gives one history, byte for byte, and another seed another") {
  for (const uint64_t seed : {2u, 29u, 160u}) {
    CAPTURE(seed);
    const std::string history = RunWorld(seed, true).history;
    CHECK(history.size() > 10'000);
    CHECK(history == RunWorld(seed, true).history);
    CHECK(history != RunWorld(seed + 1, true).history);
  }
}
