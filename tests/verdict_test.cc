#include "agent/verdict.h"

#include <doctest/doctest.h>

using namespace tmc;

namespace {

const Time kStart = FromMillis(1'768'437'000'000);

// A row in hand and what it is judged by; the process began an hour before `now`.
struct Bench {
  Settings settings;
  Random random{1};
  Court court{settings, kStart + 1h, kStart, random};
  ClaimedRow row;
  Bench() {
    row.attempts = 3;
    row.failures = 2;
    row.grace_from = court.now - 10min;
  }
  Verdict Of(Fault fault, bool shop_unbound = false) {
    return JudgeError(row, {.fault = fault, .code = "15 isp.error", .text = "busy"}, shop_unbound, "shop:1",
                      court);
  }
};

}  // namespace

TEST_CASE("Verdict: the outside's failure gives the attempt back and begins a run") {
  Bench bench;
  const Verdict verdict = bench.Of(Fault::kOutside);
  CHECK(verdict.kind == Verdict::Kind::kRetry);
  CHECK(verdict.retry.give_back);
  CHECK(verdict.retry.failures == 3);
  CHECK(verdict.retry.failing_since == bench.court.now);
  CHECK(verdict.retry.waits_for.empty());
  CHECK(verdict.retry.last_error == "15 isp.error: busy");
  // The third failure of a row: 4 s, and up to a quarter more.
  CHECK(*verdict.retry.due_at - bench.court.now >= 4s);
  CHECK(*verdict.retry.due_at - bench.court.now <= 5s);
}

TEST_CASE("Verdict: the outside's failures are never bounded by attempts") {
  Bench bench;
  bench.row.attempts = 10'000;
  bench.row.failures = 10'000;
  const Verdict verdict = bench.Of(Fault::kOutside);
  CHECK(verdict.kind == Verdict::Kind::kRetry);
  CHECK(*verdict.retry.due_at - bench.court.now >= 10min);
  CHECK(*verdict.retry.due_at - bench.court.now <= 750s);
}

TEST_CASE("Verdict: a run of the outside's failures ends at --give-up-after, not a moment before") {
  Bench bench;
  bench.settings.give_up_after = 30min;
  bench.row.failing_since = bench.court.now - 30min + 1ms;
  const Verdict before = bench.Of(Fault::kOutside);
  CHECK(before.kind == Verdict::Kind::kRetry);
  CHECK(before.retry.failing_since == bench.row.failing_since);
  bench.row.failing_since = bench.court.now - 30min;
  const Verdict after = bench.Of(Fault::kOutside);
  CHECK(after.kind == Verdict::Kind::kDead);
  CHECK(after.reason == "expired");
  CHECK(after.retry.give_back);
  CHECK(after.detail.find("15 isp.error: busy") != std::string::npos);
}

TEST_CASE("Verdict: a run of failures reaches back no further than the start of the process") {
  Bench bench;
  bench.row.failing_since = kStart - 72h;  // a week-end switched off
  const Verdict verdict = bench.Of(Fault::kOutside);
  CHECK(verdict.kind == Verdict::Kind::kRetry);
  CHECK(verdict.retry.failing_since == kStart);
}

TEST_CASE("Verdict: a clock that went back starts the run anew instead of hiding it in the future") {
  Bench bench;
  bench.settings.give_up_after = 30min;
  bench.court.now = kStart - 48h;  // before the start of the process, by the clock
  bench.row.failing_since = kStart + 50min;
  const Verdict verdict = bench.Of(Fault::kOutside);
  CHECK(verdict.kind == Verdict::Kind::kRetry);
  CHECK(verdict.retry.failing_since == bench.court.now);
}

TEST_CASE("Verdict: what asking again can't mend is dead at once") {
  Bench bench;
  bench.row.attempts = 1;
  const Verdict verdict = bench.Of(Fault::kMessage);
  CHECK(verdict.kind == Verdict::Kind::kDead);
  CHECK(verdict.reason == "invalid_parameter");
  CHECK(verdict.detail == "15 isp.error: busy");
  CHECK_FALSE(verdict.retry.give_back);
}

TEST_CASE("Verdict: an unknown order has its grace from reception, whatever the attempts") {
  Bench bench;
  bench.row.attempts = 500;  // beyond the cap
  bench.row.grace_from = bench.court.now - 60s + 1ms;
  const Verdict inside = bench.Of(Fault::kUnknown);
  CHECK(inside.kind == Verdict::Kind::kRetry);
  CHECK_FALSE(inside.retry.give_back);  // the message's own failure
  CHECK(inside.retry.failing_since == std::nullopt);
  bench.row.attempts = 1;  // below the cap
  bench.row.grace_from = bench.court.now - 60s;
  const Verdict after = bench.Of(Fault::kUnknown);
  CHECK(after.kind == Verdict::Kind::kDead);
  CHECK(after.reason == "unknown_order");
}

TEST_CASE("Verdict: a session whose shop is unknown proves nothing about an order") {
  Bench bench;
  bench.row.grace_from = bench.court.now - 24h;
  const Verdict verdict = bench.Of(Fault::kUnknown, true);
  CHECK(verdict.kind == Verdict::Kind::kRetry);
  CHECK(verdict.retry.give_back);
  CHECK(verdict.retry.failing_since == std::nullopt);
  CHECK(verdict.retry.due_at > bench.court.now);
}

TEST_CASE("Verdict: a shop's fault lets the row wait for its shop, counted and aged by nothing") {
  Bench bench;
  bench.row.failing_since = bench.court.now - 19h;
  const Verdict verdict = bench.Of(Fault::kShop);
  CHECK(verdict.kind == Verdict::Kind::kRetry);
  CHECK(verdict.retry.due_at == std::nullopt);
  CHECK(verdict.retry.waits_for == "shop:1");
  CHECK(verdict.retry.give_back);
  CHECK(verdict.retry.failures == bench.row.failures);
  CHECK(verdict.retry.failing_since == std::nullopt);  // breaks the run
}

TEST_CASE("Verdict: faults of the agent and limits count nothing and leave the row due") {
  for (const Fault fault : {Fault::kApi, Fault::kAgent, Fault::kClock, Fault::kLimited}) {
    CAPTURE(static_cast<int>(fault));
    Bench bench;
    bench.row.attempts = 10'000;
    bench.row.failing_since = kStart;
    const Verdict verdict = bench.Of(fault);
    CHECK(verdict.kind == Verdict::Kind::kRetry);
    CHECK(verdict.retry.due_at == bench.court.now);
    CHECK(verdict.retry.waits_for.empty());
    CHECK(verdict.retry.give_back);
    CHECK(verdict.retry.failures == bench.row.failures);
    CHECK(verdict.retry.failing_since == std::nullopt);
  }
}

TEST_CASE("Verdict: a truth that reached its announcement settles the row") {
  Bench bench;
  bench.row.announced_rank = 2;
  bench.row.announced_at = kStart;
  const Verdict verdict = JudgeTruth(bench.row, 2, kStart, bench.court);
  CHECK(verdict.kind == Verdict::Kind::kApplied);
  CHECK(verdict.reason.empty());
}

TEST_CASE("Verdict: a truth below the announced rank or time is asked for again, at the row's cost") {
  Bench bench;
  bench.row.announced_rank = 3;
  const Verdict rank = JudgeTruth(bench.row, 2, kStart, bench.court);
  CHECK(rank.kind == Verdict::Kind::kRetry);
  CHECK_FALSE(rank.retry.give_back);
  CHECK(rank.retry.due_at > bench.court.now);
  bench.row.announced_rank = 0;
  bench.row.announced_at = kStart;
  CHECK(JudgeTruth(bench.row, 9, kStart - 1ms, bench.court).kind == Verdict::Kind::kRetry);
}

TEST_CASE("Verdict: at the cap of attempts a lagging truth is taken, with a note") {
  Bench bench;
  bench.row.announced_rank = 3;
  bench.row.attempts = bench.settings.max_attempts - 1;
  CHECK(JudgeTruth(bench.row, 2, kStart, bench.court).kind == Verdict::Kind::kRetry);
  bench.row.attempts = bench.settings.max_attempts;
  const Verdict verdict = JudgeTruth(bench.row, 2, kStart, bench.court);
  CHECK(verdict.kind == Verdict::Kind::kApplied);
  CHECK(verdict.reason.starts_with("truth_lags"));
}
