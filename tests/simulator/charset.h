#pragma once

#include "tests/simulator/faults.h"
#include "tests/simulator/wire.h"

namespace tmc::sim {

// Puts the body into the fault's charset, with or without a word about it in the header.
void ApplyCharset(const Fault& fault, SimResponse& response);

}  // namespace tmc::sim
