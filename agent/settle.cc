// The worker's writing half: what an answer means for the rows that waited for it.
#include <fmt/format.h>

#include <algorithm>

#include "agent/log.h"
#include "agent/worker.h"

namespace tmc {
namespace {

constexpr milliseconds kSecond = 1s;        // the resolution of the platform's modified time
constexpr milliseconds kWarnEvery = 10s;    // lines about failing reads
constexpr milliseconds kFarFuture = 10min;  // a modified time beyond is not waited for

int Weight(std::string_view source) {
  return source == "operator" ? 3 : source == "replay" ? 2 : source == "message" ? 1 : 0;
}

}  // namespace

void Worker::Write(Time now, bool careful) {
  if (!bind_bare_to_.empty()) sessions_.BindBare(bind_bare_to_);
  for (const Finished& finished : finished_)
    context_.store.Guard(
        careful, [&] { WriteFinished(finished, now); },
        [&](const std::string& why) { WriteRefused(finished, why, now); });
}

void Worker::Written() {
  for (const Finished& finished : finished_) {
    in_hand_ -= finished.rows.size();
    for (const ClaimedRow& row : finished.rows) suspects_ -= row.suspect;
  }
  finished_.clear();
  bind_bare_to_.clear();
}

void Worker::WriteFinished(const Finished& finished, Time now) {
  if (std::holds_alternative<NoSubject>(finished.answer)) return WriteNoSubject(finished.rows[0], now);
  if (const auto* rejected = std::get_if<Rejected>(&finished.answer))
    return Bury(finished.rows[0], rejected->reason, rejected->detail, now);
  const auto& read = std::get<Result<OrderTruth>>(finished.answer);
  read ? WriteTruth(finished, *read, now) : WriteError(finished, read.error(), now);
}

void Worker::WriteNoSubject(const ClaimedRow& row, Time now) {
  outbox_.Add(MessageReceived(source_, row.msg_id, row.topic, row.shop, row.order_id, row.body, now), now);
  Settle(row, {}, false, now);
}

Cause Worker::CauseOf(const std::vector<ClaimedRow>& rows) const {
  const auto strongest = std::max_element(
      rows.begin(), rows.end(),
      [](const ClaimedRow& a, const ClaimedRow& b) { return Weight(a.source) < Weight(b.source); });
  return {strongest->source, strongest->msg_id};
}

void Worker::WriteTruth(const Finished& finished, const OrderTruth& truth, Time now) {
  const auto held = orders_.Find(truth.order_id);
  const Cause cause = CauseOf(finished.rows);
  const Decision decision = Decide(held, truth, cause.source == "operator");
  if (decision.judgement == Judgement::kIllegal) return WriteIllegal(finished, truth, *held, now);
  const bool applied = decision.judgement == Judgement::kApply;
  if (applied) {
    const std::string& shop = finished.rows[0].shop.empty() ? sessions_.bare_shop() : finished.rows[0].shop;
    orders_.Apply(truth, decision.status_version, shop, cause, now);
    outbox_.Add(OrderChanged(source_, truth, decision.status_version, held, cause, now), now);
    cursors_.Count("orders_changed", 1);
    AskAgain(truth, finished.rows[0], finished.read_at, now);
  }
  const bool newer = applied || !held;
  const int rank = newer ? truth.rank : held->rank;
  const Time modified = newer ? truth.modified : held->modified_at;
  Court court = At(now);
  for (const ClaimedRow& row : finished.rows) {
    const Verdict verdict = JudgeTruth(row, rank, modified, court);
    if (verdict.kind == Verdict::Kind::kApplied && !verdict.reason.empty()) {
      cursors_.Count("truth_lags", 1);
      log::Warn("order.lag", fmt::format("order {} was taken as it is after {} reads: {}", truth.order_id,
                                         row.attempts, verdict.reason));
    }
    Settle(row, verdict, applied && cause.source == "reconcile" && row.channel == "reconcile", now);
  }
}

// Within the second of its last change a truth may still change without a later time: look again once it is
// over.
void Worker::AskAgain(const OrderTruth& truth, const ClaimedRow& row, Time read_at, Time now) {
  const Time over = truth.modified + kSecond;
  if (read_at >= over || over - read_at > kFarFuture) return;
  SyntheticMessage again;
  again.channel = "reread";
  again.order_id = truth.order_id;
  again.msg_id = fmt::format("reread:{}:order:{}:{}", context_.platform.Name(), truth.order_id,
                             ToMillis(truth.modified));
  again.shop = row.shop;
  again.due_at = now + (over - read_at) + context_.settings.reconcile_lag;
  again.announced_at = truth.modified;
  inbox_.AcceptSynthetic(again, now);
}

void Worker::WriteIllegal(const Finished& finished, const OrderTruth& truth, const OrderSnapshot& held,
                          Time now) {
  const std::string detail = fmt::format(
      "order {} is {} (final) here, the platform says {} now; look at both, then `dlq replay ID "
      "--accept-truth --why …` "
      "or `dlq discard ID --why …`",
      truth.order_id, held.status, truth.status);
  for (const ClaimedRow& row : finished.rows) {
    if (const auto letter = letters_.RepeatIllegal(row.subject_id)) {
      inbox_.Bury(row, now, "illegal_transition", letter);
    } else {
      Bury(row, "illegal_transition", detail, now);
    }
  }
}

void Worker::WriteError(const Finished& finished, const Error& error, Time now) {
  Court court = At(now);
  for (const ClaimedRow& row : finished.rows) {
    Verdict verdict = JudgeError(row, error, finished.shop_unbound, ShopScope(row.shop), court);
    if (!finished.counts && !verdict.retry.due_at) verdict.retry.due_at = now;  // the new secret may be good
    Settle(row, verdict, false, now);
  }
  if (error.fault == Fault::kOutside || error.fault == Fault::kUnknown) WarnOfRead(finished, error);
}

// During an outage one line in ten seconds says as much as thousands.
void Worker::WarnOfRead(const Finished& finished, const Error& error) {
  const milliseconds steady = context_.clock.Steady();
  ++unsaid_;
  if (steady - warned_ < kWarnEvery) return;
  log::Warn("order.read",
            fmt::format("order {} could not be read, it is asked for again ({} such reads since the last "
                        "line): {}",
                        finished.rows[0].order_id, unsaid_, Sentence(error)));
  warned_ = steady;
  unsaid_ = 0;
}

void Worker::Settle(const ClaimedRow& row, const Verdict& verdict, bool missed_so_far, Time now) {
  switch (verdict.kind) {
    case Verdict::Kind::kApplied:
      if (inbox_.Apply(row, now, verdict.reason, missed_so_far)) cursors_.Count("messages_applied", 1);
      return;
    case Verdict::Kind::kRetry:
      inbox_.Retry(row, verdict.retry);
      return;
    case Verdict::Kind::kDead: {
      ClaimedRow counted = row;
      counted.attempts -= verdict.retry.give_back;
      return Bury(counted, verdict.reason, verdict.detail, now);
    }
  }
}

// A row that was taken out of our hands meanwhile gets no letter.
void Worker::Bury(const ClaimedRow& row, std::string_view reason, std::string_view detail, Time now) {
  if (!inbox_.Holds(row)) return;
  const int64_t letter = letters_.Write(row, reason, detail, now);
  inbox_.Bury(row, now, reason, letter);
  cursors_.Count("dead_letters", 1);
  log::Warn("dead_letter",
            fmt::format("message {} became dead letter {}: {}: {}", row.msg_id, letter, reason, detail));
}

void Worker::WriteRefused(const Finished& finished, const std::string& why, Time now) {
  for (const ClaimedRow& row : finished.rows) Bury(row, "not_storable", why, now);
}

Time Worker::FarOff(Time now) const {
  const Settings& settings = context_.settings;
  return now + std::max(2 * settings.backoff_most, kFarFuture + settings.reconcile_lag) + 10min;
}

void Worker::Release(Time now) {
  inbox_.PullBack(FarOff(now), now);
  const auto closures = context_.pacer.Closures();
  for (const auto& [scope, count] : inbox_.WaitingScopes()) {
    const auto closure = std::find_if(closures.begin(), closures.end(),
                                      [&name = scope](const Closure& c) { return c.scope == name; });
    if (closure == closures.end()) {
      inbox_.Release(scope, now, 1000);
    } else if (closure->until <= now) {
      inbox_.Release(scope, now, 1);
    }
  }
}

}  // namespace tmc
