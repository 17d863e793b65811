#pragma once

#include <optional>
#include <string>

#include "agent/backoff.h"
#include "agent/inbox.h"
#include "agent/order.h"
#include "agent/outcome.h"
#include "agent/settings.h"

namespace tmc {

// What becomes of a claimed row.
struct Verdict {
  enum class Kind { kApplied, kRetry, kDead };
  Kind kind = Kind::kApplied;
  std::string reason;  // kDead: a stable word; kApplied: a note for last_error, or empty
  std::string detail;  // kDead: a sentence
  RetryAt retry;       // kRetry; of kDead only give_back counts
};

// What a verdict depends on besides the row. Pure: no I/O, no clock of its own.
struct Court {
  const Settings& settings;
  Time now;
  Time started_at;  // of the process: a run of failures does not reach further back
  Random& random;
  milliseconds running =
      milliseconds::max();  // since started_at, steady: a wall clock that jumps ages nothing
};

// A read that failed. `shop_unbound`: the session may belong to another shop, so that "does not exist" proves
// nothing; `scope` is what the row waits for when its shop is at fault.
Verdict JudgeError(const ClaimedRow& row, const Error& error, bool shop_unbound, std::string_view scope,
                   Court& court);

// A truth was read and taken (or was not newer): has what we hold now reached what the row announces?
Verdict JudgeTruth(const ClaimedRow& row, int held_rank, Time held_modified, Court& court);

}  // namespace tmc
