#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/clock.h"
#include "tests/support/disk_faults.h"

namespace tmc {

// A disk in memory for SQLite, under a name of its own: StoreOptions{.path = "/tmc.db", .vfs = disk.name()}.
// Connections of one process share its files, with SQLite's locks and WAL's shared memory, from any thread.
// Time comes from the clock, chance from the seed, and nothing sleeps. Outlives all of its connections.
class MemoryVfs {
 public:
  MemoryVfs(std::string name, const Clock& clock, uint64_t seed = 1);
  ~MemoryVfs();
  MemoryVfs(const MemoryVfs&) = delete;
  const std::string& name() const;

  // Which calls fail, and where the machine stops; faults().dead() tells that it has.
  DiskFaults& faults();
  // After a stop, all connections closed: the power comes back on what was synced and a part, chosen by the
  // seed, of what was not. Faults are reset.
  void PowerLoss(uint64_t seed);
  // The same for the end of the process alone: what was written is there.
  void Reopen();
  // All files as they are in the other one, also what is not synced there; no connection is open here.
  void CopyFrom(const MemoryVfs& other);
  // Calls made in its life are not counted and do not fail, not even on a dead disk: for who judges.
  class Aside {
   public:
    explicit Aside(MemoryVfs& disk);
    ~Aside();
    Aside(const Aside&) = delete;

   private:
    MemoryVfs& disk_;
  };
  int64_t Size(const std::string& path) const;  // -1: there is none
  int open_files() const;

  struct World;  // known to memory_vfs.cc alone

 private:
  std::unique_ptr<World> world_;
};

}  // namespace tmc
