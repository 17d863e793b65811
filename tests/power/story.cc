#include "tests/power/story.h"

#include <fmt/format.h>

namespace tmc {

std::string Losses(const Story& story, uint64_t seeds) {
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    MemoryVfs survivor("survivor", story.scenario.clock);
    survivor.CopyFrom(story.disk);
    survivor.PowerLoss(seed);
    if (auto lost = LostConfirm(story.scenario, survivor); !lost.empty())
      return fmt::format("seed {}: {}", seed, lost);
  }
  return "";
}

std::string GoOn(Story& story) {
  if (story.machine.Live(true) != Machine::End::kOver)
    return "it does not start again: " + story.machine.error();
  story.disk.faults().Die();
  story.machine.Close();
  story.disk.PowerLoss(1);
  return WrongEnd(story.scenario, story.disk);
}

}  // namespace tmc
