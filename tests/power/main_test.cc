#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <malloc.h>

#include "agent/log.h"
#include "tests/power/allocations.h"

int main(int count, char** words) {
  // Thousands of small disks come and go: their memory is kept.
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
  tmc::allocations::Install();
  // What the agent says of thousands of failures on purpose is of no use to anybody.
  tmc::log::Open(tmc::log::Level::kError, tmc::log::Format::kText, "/dev/null");
  return doctest::Context(count, words).run();
}
