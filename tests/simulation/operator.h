#pragma once

#include "tests/simulation/stage.h"

namespace tmc::simulation {

// A person at the dead letters, as `dlq replay` does it: replays every open one, and takes the platform's
// truth for those that left a final state if told so. Does nothing where the database cannot be written now.
void ReplayLetters(Stage& stage, bool accept_truth);

}  // namespace tmc::simulation
