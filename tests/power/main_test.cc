#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "agent/log.h"

int main(int count, char** words) {
  // What the agent says of thousands of failures on purpose is of no use to anybody.
  tmc::log::Open(tmc::log::Level::kError, tmc::log::Format::kText, "/dev/null");
  return doctest::Context(count, words).run();
}
