#include <doctest/doctest.h>

#include "tests/power/story.h"

namespace tmc {
namespace {

using End = Machine::End;

// Twice: in its first life at the n-th change, in its second at the m-th. The first time the process alone
// ends, or the power is lost as well.
std::string StopTwice(uint64_t n, uint64_t m, bool power) {
  Story story;
  story.disk.faults().CrashAt(n);
  if (story.machine.Live() != End::kStopped) return "";
  power ? story.disk.PowerLoss(m) : story.disk.Reopen();
  story.disk.faults().CrashAt(m);
  const End second = story.machine.Live();
  if (second == End::kStopped) {
    if (auto lost = Losses(story, 2); !lost.empty()) return lost;
    story.disk.PowerLoss(n);
    if (story.machine.Live() != End::kOver) return "it does not start a third time: " + story.machine.error();
  } else if (second != End::kOver) {
    return "it does not start again: " + story.machine.error();
  }
  return WrongEnd(story.scenario, story.disk);
}

}  // namespace

TEST_CASE("Power: the scenario passes untouched") {
  Story story;
  CHECK(story.machine.Live() == End::kOver);
  CHECK(WrongEnd(story.scenario, story.disk) == "");
  CHECK(story.scenario.Confirmed().size() == 20);
}

TEST_CASE("Power: nothing is lost wherever the machine stops") {
  for (const char* pragma : {static_cast<const char*>(nullptr), kFoldOften}) {
    bool stopped = true;
    uint64_t n = 1;
    for (; stopped; n += kStride) {
      INFO("stopped at change ", n);
      CHECK(StopAt(n, &stopped, pragma) == "");
    }
    CHECK(n > 300);
  }
}

TEST_CASE("Power: nothing is lost when it stops twice") {
  sim::Chance chance(3);
  for (uint64_t i = 0; i * kStride < 150; ++i) {
    const uint64_t n = 1 + chance.Below(460), m = 1 + chance.Below(i % 2 ? 60 : 460);
    const bool power = chance.Below(2) == 0;
    INFO("stopped at change ", n, power ? ", power lost" : ", process ended", ", then at change ", m);
    CHECK(StopTwice(n, m, power) == "");
  }
}

TEST_CASE("Power: these tests find what is lost without syncs") {
  bool stopped = true;
  int losses = 0;
  for (uint64_t n = 1; stopped && losses == 0; n += kStride)
    losses += StopAt(n, &stopped, "PRAGMA synchronous = OFF").starts_with("seed");
  CHECK(losses > 0);
}

}  // namespace tmc
