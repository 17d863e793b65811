#include "agent/order.h"

#include <algorithm>

#include "agent/mistakes.h"

namespace tmc {

Decision Decide(const std::optional<OrderSnapshot>& held, const OrderTruth& truth, bool accept) {
  const int64_t modified = ToMillis(truth.modified);
  if (!held) return {Judgement::kApply, modified};
  if (truth.modified < held->modified_at && !Planted(Mistake::kNoVersionCheck)) return {Judgement::kOlder, 0};
  const bool same = truth.digest == held->digest || Planted(Mistake::kEqualVersionIsEqual);
  if (truth.modified == held->modified_at && same) return {Judgement::kSame, 0};
  const int64_t version = std::max(modified, held->status_version + 1);
  const bool leaves_final = held->final && truth.status != held->status;
  const bool free = accept || Planted(Mistake::kFinalLeft);
  return {leaves_final && !free ? Judgement::kIllegal : Judgement::kApply, version};
}

}  // namespace tmc
