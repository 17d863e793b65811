#pragma once

#ifdef TMC_MISTAKES
#include <atomic>
#include <optional>
#include <string_view>
#include <vector>
#endif

namespace tmc {

// Mistakes that such programs are known for, planted to see that the tests find each. Only a test build
// (TMC_MISTAKES) holds them, and one is chosen at run time; in every other build Planted() is a constant
// false and nothing of them is left.
enum class Mistake {
  kNone,
  kConfirmBeforeCommit,
  kSkipExisting,         // a row that exists is confirmed, settled or not
  kCursorBeforeRows,     // in a commit of its own
  kPagesForwards,        // a window's pages from the first to the last
  kLocalWindow,          // a window closed at this machine's clock
  kAttemptsInMemory,     // gone with the process
  kNoVersionCheck,       // an older truth is applied
  kFinalLeft,            // a final state is left without a person's word
  kConfirmUnread,        // the answer of a confirm is not looked into
  kAgentFaultCounts,     // refused credentials count as the message's failures
  kOutsideCapped,        // so do the outside's failures
  kRedeliveryDue,        // a message that comes again is due at once
  kNoSecondConfirm,      // a settled message that comes again is not confirmed again
  kClaimTogether,        // what was in hand at a crash is taken in hand together again
  kEqualVersionIsEqual,  // another content of the same time is ignored
  kSyncOff,
  kPidFile,  // the run lock is a number in a file
};

#ifdef TMC_MISTAKES
inline std::atomic<Mistake> planted_mistake{Mistake::kNone};
inline bool Planted(Mistake mistake) {
  return planted_mistake.load(std::memory_order_relaxed) == mistake;
}
// "confirm-before-commit" and so on.
struct NamedMistake {
  std::string_view name;
  Mistake mistake;
};
const std::vector<NamedMistake>& AllMistakes();
// Plants the mistake of that name; false when there is none.
bool PlantMistake(std::string_view name);
#else
constexpr bool Planted(Mistake) {
  return false;
}
#endif

}  // namespace tmc
