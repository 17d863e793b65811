#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "adapters/top/platform.h"
#include "agent/agent.h"
#include "agent/pump.h"
#include "agent/reconciler.h"
#include "tests/power/scenario.h"
#include "tests/support/heart_client.h"
#include "tests/support/memory_vfs.h"
#include "tests/support/temp_folder.h"

namespace tmc {

// Where the agent runs: its real loops on a disk in memory. A life of it begins as the program begins and
// ends with the scenario, with the machine, or with an error that the program leaves with.
class Machine {
 public:
  enum class End {
    kOver,     // the scenario is, nothing is left to do
    kStopped,  // the machine is, see MemoryVfs::faults()
    kLeft,     // a fatal StoreError: the program ends with 74
    kRefused,  // the database could not be opened: 74 at start
    kStuck,    // it goes on and on
    kWrong,    // any other exception
  };
  Machine(Scenario& scenario, MemoryVfs& disk);
  ~Machine();
  // One life. `stay`: connections stay open at its end, as those of a process that is not asked to leave.
  End Live(bool stay = false);
  void Close();  // all that the process holds goes

  const std::string& error() const { return error_; }  // what it ended with
  uint64_t waits() const { return waits_; }            // for room on the disk
  const char* pragma = nullptr;                        // set on each connection of the loops

 private:
  struct Process;
  bool Step();
  Scenario& scenario_;
  MemoryVfs& disk_;
  TempFolder folder_;
  Settings settings_;
  StoreOptions options_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<Process> process_;
  std::string error_;
  uint64_t waits_ = 0;
};

}  // namespace tmc
