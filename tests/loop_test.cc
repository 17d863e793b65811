#include "agent/loop.h"

#include <doctest/doctest.h>

#include <semaphore>
#include <vector>

#include "agent/store.h"

using namespace tmc;

namespace {

// Ends once a loop of `step` has ended; what it left with.
int StatusOf(std::function<bool(std::stop_token)> step) {
  Loop loop("test", std::move(step));
  loop.Start();
  while (!loop.ended()) std::this_thread::yield();
  return loop.exit_status();
}

int StatusAfter(StoreError::Kind kind) {
  return StatusOf([kind](std::stop_token) -> bool { throw StoreError(kind, "no"); });
}

}  // namespace

TEST_CASE("Loop: a step that is done ends it with nothing wrong") {
  int steps = 0;
  CHECK(StatusOf([&](std::stop_token) { return ++steps < 3; }) == 0);
  CHECK(steps == 3);
}

TEST_CASE("Loop: a busy database is tried again, and goes on") {
  int steps = 0;
  const int status = StatusOf([&](std::stop_token) {
    if (++steps < 4) throw StoreError(StoreError::Kind::kBusy, "database is locked");
    return false;
  });
  CHECK(status == 0);
  CHECK(steps == 4);
}

TEST_CASE("Loop: a full disk is waited out, and a stop ends the wait at once") {
  std::binary_semaphore full{0};
  int steps = 0;
  Loop loop("test", [&](std::stop_token) -> bool {
    ++steps;
    full.release();
    throw StoreError(StoreError::Kind::kFull, "database or disk is full");
  });
  loop.Start();
  full.acquire();
  CHECK_FALSE(loop.ended());  // it waits
  loop.Stop();
  while (!loop.ended()) std::this_thread::yield();
  CHECK(loop.exit_status() == 0);
  CHECK(steps == 1);
}

TEST_CASE("Loop: damage and I/O errors leave with 74") {
  CHECK(StatusAfter(StoreError::Kind::kFatal) == 74);
}

TEST_CASE("Loop: a refused statement that nobody caught, and anything unknown, leave with 70") {
  CHECK(StatusAfter(StoreError::Kind::kRefused) == 70);
  CHECK(StatusOf([](std::stop_token) -> bool { throw std::runtime_error("a broken assumption"); }) == 70);
  CHECK(StatusOf([](std::stop_token) -> bool { throw std::bad_alloc(); }) == 70);
}

TEST_CASE("Loop: a stop is told to the step, which decides when it is done") {
  std::binary_semaphore stepping{0};
  std::vector<bool> told;
  Loop loop("test", [&](std::stop_token stop) {
    const bool stopped = stop.stop_requested();
    if (told.empty()) stepping.release();
    if (told.empty() || stopped) told.push_back(stopped);
    return told.size() < 3;
  });
  loop.Start();
  stepping.acquire();
  loop.Stop();
  while (!loop.ended()) std::this_thread::yield();
  CHECK(told[1]);
  CHECK(told[2]);
  CHECK(loop.steps() >= 3);
}
