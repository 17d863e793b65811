#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/agenda.h"
#include "tests/simulation/history.h"
#include "tests/simulation/kinds.h"
#include "tests/simulator/heart.h"
#include "tests/support/memory_vfs.h"
#include "tests/support/temp_folder.h"

namespace tmc::simulation {

// A process that is gone in the middle of whatever it did.
struct Crash {};

// What one seed's world consists of, besides the agent: time, the platform, and what was seen so far.
struct Stage {
  explicit Stage(uint64_t its_seed)
      : seed(its_seed), chance(its_seed * 2 + 1), heart(agenda.platform, its_seed) {}

  void Fired(Kind kind, int64_t times = 1) { fired[static_cast<size_t>(kind)] += times; }
  bool Has(Kind kind) const { return enabled[static_cast<size_t>(kind)]; }
  void Complain(std::string text) {
    history.Add("!!! {}", text);
    complaints.push_back(std::move(text));
  }
  sim::World& platform() { return heart.world(); }
  // Between `least` and `most`, short times as likely as long ones.
  milliseconds Duration(milliseconds least, milliseconds most);
  int64_t Between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(chance.Below(static_cast<uint64_t>(most - least + 1)));
  }

  const uint64_t seed;
  sim::Chance chance;
  Agenda agenda;
  sim::Heart heart;
  History history{agenda};
  TempFolder folder;  // of the secrets
  MemoryVfs disk{"world", agenda.agent, seed};
  std::array<bool, kKinds> enabled{};
  Counts fired{};
  std::vector<std::string> complaints;
  milliseconds trouble{0};  // how long it lasts
  // One long time off, after which the platform has dropped what nobody asked for.
  milliseconds off_at{0}, off_for{0};
  bool full = false;  // the disk

  int64_t crash_after = -1;  // so many calls and waits from now
  // Dead letters that this world's faults bring with them: reasons by message id and by order id.
  std::map<std::string, std::set<std::string>> doomed_messages, doomed_orders;
  int64_t nameless = 0;  // entries without an id
};

}  // namespace tmc::simulation
