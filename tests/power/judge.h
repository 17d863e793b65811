#pragma once

#include <string>

#include "tests/power/scenario.h"
#include "tests/support/memory_vfs.h"

namespace tmc {

// Both share no code with the agent, and use the disk up: opening a database may fold its log into it.

// At any moment, on what is left of the disk: each id that the platform counts as confirmed is applied or
// dead-lettered there, and the database is whole. "" or what is wrong.
std::string LostConfirm(const Scenario& scenario, MemoryVfs& disk);

// At the end of the scenario: all of that, and everything is settled once, as the platform has it.
std::string WrongEnd(Scenario& scenario, MemoryVfs& disk);

}  // namespace tmc
