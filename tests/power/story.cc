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

std::string StopAt(uint64_t n, bool* stopped, const char* pragma) {
  Story story;
  story.machine.pragma = pragma;
  story.disk.faults().CrashAt(n);
  const Machine::End first = story.machine.Live();
  *stopped = first == Machine::End::kStopped;
  if (first == Machine::End::kOver) return WrongEnd(story.scenario, story.disk);
  if (!*stopped) return "it did not stop, but ended with: " + story.machine.error();
  if (auto lost = Losses(story, 2); !lost.empty()) return lost;
  story.disk.PowerLoss(n);
  return GoOn(story);
}

}  // namespace tmc
