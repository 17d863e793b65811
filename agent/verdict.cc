#include "agent/verdict.h"

#include <algorithm>

#include "agent/event.h"
#include "agent/mistakes.h"

namespace tmc {
namespace {

Verdict Dead(std::string reason, std::string detail) {
  return {Verdict::Kind::kDead, std::move(reason), std::move(detail), {}};
}

Time Later(const ClaimedRow& row, Court& court) {
  return court.now +
         Backoff(row.failures + 1, court.settings.backoff_first, court.settings.backoff_most, court.random);
}

// The message's own failure: its attempt stays counted.
Verdict OwnFailure(const ClaimedRow& row, std::string last_error, Court& court) {
  return {Verdict::Kind::kRetry,
          "",
          "",
          {Later(row, court), "", false, row.failures + 1, std::nullopt, std::move(last_error)}};
}

Verdict OutsideFailure(const ClaimedRow& row, const Error& error, Court& court) {
  // A clock that went back must not make a run begin in the future.
  const Time since = std::min(std::max(row.failing_since.value_or(court.now), court.started_at), court.now);
  if (std::min(court.now - since, court.running) >= court.settings.give_up_after)
    return {Verdict::Kind::kDead,
            "expired",
            "failing without a break since " + Rfc3339(since) + "; last: " + Sentence(error),
            {.give_back = true}};
  return {
      Verdict::Kind::kRetry, "", "", {Later(row, court), "", true, row.failures + 1, since, Sentence(error)}};
}

// The fault of the agent, a shop or a limit: nothing is counted, nothing ages.
Verdict NotItsFault(const ClaimedRow& row, std::optional<Time> due_at, std::string_view scope,
                    const Error& error) {
  return {Verdict::Kind::kRetry,
          "",
          "",
          {due_at, std::string(scope), true, row.failures, std::nullopt, Sentence(error)}};
}

}  // namespace

Verdict JudgeError(const ClaimedRow& row, const Error& error, bool shop_unbound, std::string_view scope,
                   Court& court) {
  const bool outside = error.fault == Fault::kOutside;
  const bool blamed = (outside && Planted(Mistake::kOutsideCapped)) ||
                      (error.fault != Fault::kMessage && error.fault != Fault::kUnknown && !outside &&
                       Planted(Mistake::kAgentFaultCounts));
  if (blamed && row.attempts >= court.settings.max_attempts) return Dead("retry_exhausted", Sentence(error));
  if (blamed) return OwnFailure(row, Sentence(error), court);
  switch (error.fault) {
    case Fault::kOutside:
      return OutsideFailure(row, error, court);
    case Fault::kMessage:
      return Dead("invalid_parameter", Sentence(error));
    case Fault::kUnknown:
      if (shop_unbound)
        return {Verdict::Kind::kRetry,
                "",
                "",
                {Later(row, court), "", true, row.failures + 1, std::nullopt, Sentence(error)}};
      if (court.now - row.grace_from < court.settings.unknown_order_grace)
        return OwnFailure(row, "unknown_order: " + Sentence(error), court);
      return Dead("unknown_order", Sentence(error));
    case Fault::kShop:
      return NotItsFault(row, std::nullopt, scope, error);
    case Fault::kApi:
    case Fault::kAgent:
    case Fault::kClock:
    case Fault::kLimited:
      return NotItsFault(row, court.now, "", error);
  }
  return OutsideFailure(row, error, court);
}

Verdict JudgeTruth(const ClaimedRow& row, int held_rank, Time held_modified, Court& court) {
  const bool reached =
      held_rank >= row.announced_rank && (!row.announced_at || held_modified >= *row.announced_at);
  if (reached) return {};
  const std::string note = "truth_lags: the order has not reached what this announces";
  if (row.attempts >= court.settings.max_attempts) return {Verdict::Kind::kApplied, note, "", {}};
  return OwnFailure(row, note, court);
}

}  // namespace tmc
