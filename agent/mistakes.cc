#ifdef TMC_MISTAKES

#include "agent/mistakes.h"

namespace tmc {

const std::vector<NamedMistake>& AllMistakes() {
  static const std::vector<NamedMistake> all{
      {"confirm-before-commit", Mistake::kConfirmBeforeCommit},
      {"skip-existing", Mistake::kSkipExisting},
      {"cursor-before-rows", Mistake::kCursorBeforeRows},
      {"pages-forwards", Mistake::kPagesForwards},
      {"local-window", Mistake::kLocalWindow},
      {"attempts-in-memory", Mistake::kAttemptsInMemory},
      {"no-version-check", Mistake::kNoVersionCheck},
      {"final-left", Mistake::kFinalLeft},
      {"confirm-unread", Mistake::kConfirmUnread},
      {"agent-fault-counts", Mistake::kAgentFaultCounts},
      {"outside-capped", Mistake::kOutsideCapped},
      {"redelivery-due", Mistake::kRedeliveryDue},
      {"no-second-confirm", Mistake::kNoSecondConfirm},
      {"claim-together", Mistake::kClaimTogether},
      {"equal-version-is-equal", Mistake::kEqualVersionIsEqual},
      {"sync-off", Mistake::kSyncOff},
      {"pid-file", Mistake::kPidFile},
  };
  return all;
}

bool PlantMistake(std::string_view name) {
  for (const NamedMistake& one : AllMistakes()) {
    if (one.name != name) continue;
    planted_mistake = one.mistake;
    return true;
  }
  return false;
}

}  // namespace tmc

#endif
