#include "agent/order.h"

#include <algorithm>

namespace tmc {

Decision Decide(const std::optional<OrderSnapshot>& held, const OrderTruth& truth, bool accept) {
  const int64_t modified = ToMillis(truth.modified);
  if (!held) return {Judgement::kApply, modified};
  if (truth.modified < held->modified_at) return {Judgement::kOlder, 0};
  if (truth.modified == held->modified_at && truth.digest == held->digest) return {Judgement::kSame, 0};
  const int64_t version = std::max(modified, held->status_version + 1);
  const bool leaves_final = held->final && truth.status != held->status;
  return {leaves_final && !accept ? Judgement::kIllegal : Judgement::kApply, version};
}

}  // namespace tmc
