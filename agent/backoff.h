#pragma once

#include <random>

#include "agent/clock.h"

namespace tmc {

// Chance, handed in as a seed.
using Random = std::mt19937_64;

// The pause before try `failures` + 1: first, 2·first, 4·first … at most `most`, each lengthened by up to
// a quarter at random, so that what failed together does not come back together. `failures` counts from 1.
milliseconds Backoff(int failures, milliseconds first, milliseconds most, Random& random);

}  // namespace tmc
