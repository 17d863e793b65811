#pragma once

#include <string>
#include <vector>

#include "tests/simulation/stage.h"

namespace tmc::simulation {

// Gives the world its shops, and its orders a life of several truths each, with messages that tell of them
// (or do not), on the agenda.
void PlanShops(Stage& stage);
void PlanLives(Stage& stage);

}  // namespace tmc::simulation
