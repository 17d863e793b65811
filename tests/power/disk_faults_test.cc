#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <map>

#include "tests/power/allocations.h"
#include "tests/power/story.h"

namespace tmc {
namespace {

using End = Machine::End;

struct Told {
  End end;   // of the life that met the fault
  bool met;  // it did
  uint64_t waits;
  std::string wrong;
};

// The first life meets a fault; the next one meets none.
Told Tell(Story& story) {
  story.machine.pragma = kFoldOften;
  const End end = story.machine.Live();
  const bool met = story.disk.faults().failed() + allocations::Failed() > 0;
  allocations::FailAt(0);
  Told told{end, met, story.machine.waits(), ""};
  if (told.end == End::kWrong || told.end == End::kStuck) {
    told.wrong = "it ended with: " + story.machine.error();
  } else if (told.end == End::kOver) {
    told.wrong = WrongEnd(story.scenario, story.disk);
  } else {
    told.wrong = Losses(story, 1);
    story.disk.Reopen();
    if (told.wrong.empty()) told.wrong = GoOn(story);
  }
  return told;
}

// A story for each place n, from the first one by `step`, until a life meets no fault.
struct Series {
  std::map<End, uint64_t> ends;
  uint64_t waits = 0;
};

template <typename Ask>
Series TellAll(Ask ask, uint64_t step = 1) {
  Series series;
  bool met = true;
  for (uint64_t n = 1; met; n += step * kStride) {
    Story story;
    ask(story.disk.faults(), n);
    INFO("fault at place ", n);
    const Told told = Tell(story);
    CHECK(told.wrong == "");
    met = told.met;
    ++series.ends[told.end];
    series.waits += told.waits;
  }
  return series;
}

}  // namespace

TEST_CASE("Power: an I/O error at any call loses nothing") {
  auto series = TellAll([](DiskFaults& faults, uint64_t n) { faults.FailAt(n); });
  CHECK(series.ends[End::kLeft] * kStride > 300);
  CHECK(series.ends[End::kRefused] * kStride > 100);
}

TEST_CASE("Power: a disk that fails for good loses nothing") {
  auto series = TellAll([](DiskFaults& faults, uint64_t n) { faults.FailAt(n, 1'000'000); }, 7);
  CHECK(series.ends[End::kLeft] * kStride > 40);
}

TEST_CASE("Power: a full disk is waited out") {
  auto series = TellAll([](DiskFaults& faults, uint64_t n) { faults.FullAt(n, 5); });
  CHECK(series.ends[End::kLeft] == 0);
  CHECK(series.ends[End::kOver] * kStride > 200);
  CHECK(series.waits * kStride > 400);
}

TEST_CASE("Power: memory that runs out at any allocation loses nothing") {
  auto series = TellAll([](DiskFaults&, uint64_t n) { allocations::FailAt(n); }, 31);
  CHECK(series.ends[End::kLeft] * kStride > 200);
}

// The process is killed after a failed sync, so nothing folds the log; somebody looks at the database all the
// time, so that no connection of the next process is the last one; then the power is lost.
TEST_CASE("Power: nothing rests on what a failed sync left behind") {
  bool met = true;
  uint64_t n = 1;
  for (; met; ++n) {
    Story story;
    story.disk.faults().FailSyncAt(n);
    const End first = story.machine.Live(true);
    met = story.disk.faults().failed() > 0;
    story.disk.faults().Die();
    story.machine.Close();
    story.disk.Reopen();
    if (first == End::kOver) continue;
    SQLite::Database spectator(std::string("/tmc.db"), SQLite::OPEN_READWRITE, 0, story.disk.name());
    if (spectator.tryExec("SELECT 1 FROM sqlite_schema") != SQLITE_OK) continue;
    story.machine.Live(true);
    story.disk.faults().Die();
    story.machine.Close();
    MemoryVfs survivor("survivor", story.scenario.clock);
    survivor.CopyFrom(story.disk);
    survivor.PowerLoss(1);
    INFO("sync ", n, " failed");
    CHECK(WrongEnd(story.scenario, survivor) == "");
  }
  CHECK(n > 20);
}

}  // namespace tmc
