#include <doctest/doctest.h>

#include "agent/mistakes.h"
#include "tests/power/story.h"

namespace tmc {

TEST_CASE("Power: each planted mistake that a power loss can show is found") {
  for (const Mistake mistake : {Mistake::kConfirmBeforeCommit, Mistake::kSkipExisting, Mistake::kSyncOff}) {
    planted_mistake = mistake;
    bool stopped = true, found = false;
    for (uint64_t n = 1; stopped && !found; n += kStride) found = StopAt(n, &stopped).starts_with("seed");
    planted_mistake = Mistake::kNone;
    INFO("mistake ", static_cast<int>(mistake));
    CHECK(found);
  }
}

}  // namespace tmc
