#pragma once

#include "tests/simulation/judge.h"
#include "tests/simulation/machine.h"
#include "tests/simulation/stage.h"

namespace tmc::simulation {

// Which kinds this world knows: all of them in half of the worlds, about half of them in the others.
void ChooseKinds(Stage& stage);
// Puts the faults of those kinds on the agenda.
void PlanTroubles(Stage& stage, Machine& machine, Witness& witness, Judge& judge);
// The end of all trouble.
void Calm(Stage& stage, Machine& machine, Witness& witness, Judge& judge);

}  // namespace tmc::simulation
