#pragma once

#include <cstdint>
#include <string>

#include "tests/power/judge.h"
#include "tests/power/machine.h"

namespace tmc {

// A story that is told once for each place where something may go wrong.
struct Story {
  Scenario scenario;
  MemoryVfs disk{"power", scenario.clock};
  Machine machine{scenario, disk};
};

// Sanitized builds are many times slower, and tell one place in so many.
#ifdef __SANITIZE_ADDRESS__
inline constexpr uint64_t kStride = 11;
#else
inline constexpr uint64_t kStride = 1;
#endif

// The log is written back into the database in the middle of the scenario, too.
inline constexpr char kFoldOften[] = "PRAGMA wal_autocheckpoint = 20";

// What a power loss now could take, for some seeds: "" or "seed N: …".
std::string Losses(const Story& story, uint64_t seeds);

// The process is gone; a new one goes on to the end of the scenario, and then the power is lost.
// "" or what was wrong.
std::string GoOn(Story& story);

// The machine stops at its n-th change, the power comes back, and it goes on to the end. "" or what was
// wrong; `stopped`: it did.
std::string StopAt(uint64_t n, bool* stopped, const char* pragma = nullptr);

}  // namespace tmc
