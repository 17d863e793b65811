#include "agent/pump.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/log.h"
#include "agent/mistakes.h"

namespace tmc {
namespace {
constexpr milliseconds kTurn = 20ms;      // a turn ends this long after its first result
constexpr milliseconds kLook = 1s;        // between looks at secret files and waiting rows
constexpr milliseconds kNoteEvery = 10s;  // how often the time of the last consume is kept
constexpr size_t kClaimBytes = 8u << 20;  // of bodies in hand at once
}  // namespace

Pump::Pump(Context& context)
    : context_(context),
      cursors_(context.store, std::string(context.platform.Name())),
      inbox_(context.store, std::string(context.platform.Name())),
      letters_(context.store, std::string(context.platform.Name())),
      sessions_(context.secrets, cursors_),
      gateway_(context, sessions_),
      consumer_(context, gateway_, sessions_, inbox_, letters_, cursors_),
      worker_(context, gateway_, sessions_, inbox_, letters_, cursors_),
      confirmer_(context, gateway_, inbox_, cursors_) {
  sessions_.Refresh(true);
  claim_ = cursors_.Tally("claim");
  data_version_ = context_.store.DataVersion();
}

// Bans hold over a restart; what is closed for a person stays so, with one call to find out, while rows wait
// for it.
void Pump::RestoreClosures() {
  const auto waiting = inbox_.WaitingScopes();
  for (const Closure& closure : cursors_.Closures()) {
    const bool missed = std::any_of(waiting.begin(), waiting.end(),
                                    [&](const auto& scope) { return scope.first == closure.scope; });
    if (closure.ban || missed) context_.pacer.Restore(closure);
  }
}

void Pump::Recover() {
  // A process that ended in a failed sync may have left pages of the log that can be read back but will never
  // reach the disk; nothing may rest on them.
  if (!context_.store.FoldLog())
    log::Warn("start", "another program reads the database, so its log could not be begun anew");
  RestoreClosures();
  error_noted_ = cursors_.Meta("consume_error").value_or("");
  const Time now = context_.clock.Now();
  Transaction transaction(context_.store);
  const std::vector<ClaimedRow> interrupted = inbox_.Interrupted();
  for (const ClaimedRow& row : interrupted) {
    if (row.attempts < context_.settings.max_attempts || Planted(Mistake::kAttemptsInMemory)) {
      inbox_.MarkSuspect(row.id, now);
      continue;
    }
    const int64_t letter = letters_.Write(
        row, "retry_exhausted", "its handling was cut off by the end of the process each time", now);
    inbox_.BuryInterrupted(row.id, now, letter);
    cursors_.Count("dead_letters", 1);
    log::Warn("dead_letter",
              fmt::format("message {} became dead letter {}: retry_exhausted", row.msg_id, letter));
  }
  cursors_.SaveClosures(context_.pacer.Closures());
  cursors_.Put("started_at", ToMillis(now));
  cursors_.Flush();
  transaction.Commit();
  if (!interrupted.empty())
    log::Warn("start",
              fmt::format("{} messages were in hand when the last process ended; they are handled again",
                          interrupted.size()));
}

void Pump::Step(milliseconds longest) {
  if (!pending_) {
    Look();
    doing_ = "starting calls";
    Start();
    doing_ = "waiting for answers";
    WaitAndTake(longest);
  }
  doing_ = "committing";
  Commit();
  doing_ = "between turns";
}

void Pump::Look() {
  const milliseconds now = context_.clock.Steady();
  if (now - secrets_at_ >= kLook) {
    secrets_at_ = now;
    if (context_.secrets.Refresh()) context_.pacer.ProbeAll();
  }
  const int64_t version = context_.store.DataVersion();
  const bool rows_changed = version != data_version_;
  data_version_ = version;
  if (rows_changed) confirmer_.Look();
  sessions_.Refresh(rows_changed);
}

void Pump::Start() {
  gateway_.StartClockCheck();
  const bool idle = worker_.in_hand() == 0 && !worker_.has_results();
  confirmer_.Start(idle);
  consumer_.Start(worker_.Startable());
  worker_.Start();
}

size_t Pump::Room() const {
  const size_t most = 4 * static_cast<size_t>(context_.settings.batch);
  return worker_.in_hand() >= most ? 0 : most - worker_.in_hand();
}

bool Pump::ReleaseDue() const {
  return context_.clock.Steady() - released_at_ >= kLook;
}

milliseconds Pump::Patience(milliseconds longest) {
  milliseconds patience = longest;
  const auto sooner = [&](std::optional<milliseconds> pause) {
    if (pause) patience = std::min(patience, std::max(*pause, 0ms));
  };
  if (!draining_) sooner(consumer_.Pause());
  sooner(worker_.Pause());
  sooner(confirmer_.Pause());
  next_due_ = inbox_.EarliestDue(!worker_.has_suspect());
  if (next_due_ && Room() > 0 && worker_.Startable() && !draining_) sooner(*next_due_ - context_.clock.Now());
  if (worker_.has_results()) patience = 0ms;
  return patience;
}

void Pump::Take(std::vector<HttpDone> done) {
  for (HttpDone& one : done)
    consumer_.Take(one) || worker_.Take(one) || confirmer_.Take(one) || gateway_.TakeClockCheck(one);
}

// Ends when nothing claimed is left to start or in flight, or a little after the first result.
void Pump::WaitAndTake(milliseconds longest) {
  milliseconds patience = Patience(longest);
  std::optional<milliseconds> first;
  do {
    Take(context_.http.Wait(patience));
    worker_.Start();
    const milliseconds now = context_.clock.Steady();
    if (!first && AnythingToWrite()) first = now;
    if (!first) return;
    patience = *first + kTurn - now;
  } while (patience > 0ms && worker_.in_flight() > 0);
}

bool Pump::AnythingToWrite() {
  return consumer_.has_answer() || worker_.has_results() || confirmer_.has_answer();
}

void Pump::Commit() {
  const Time now = context_.clock.Now();
  next_due_ = inbox_.EarliestDue(!worker_.has_suspect());
  work_due_ = !draining_ && next_due_ && *next_due_ <= now && Room() > 0;
  // Rows wait for an interface that is closed, but its probe may go.
  if (work_due_ && !worker_.Startable())
    work_due_ = worker_.in_hand() == 0 && context_.pacer.Delay(worker_.api(), "") <= 1ms;
  const bool closures_changed = context_.pacer.changes() != closures_saved_;
  const bool release = (ReleaseDue() || closures_changed) && worker_.AnyToRelease(now);
  const bool rows = consumer_.has_entries() || worker_.has_results() || confirmer_.has_answer();
  if (!pending_ && !rows && !work_due_ && !closures_changed && !release && !NoteDue() && !ErrorNoteDue()) {
    worker_.Add(consumer_.Written());  // at most an empty answer: a quiet day writes nothing
    return;
  }
  pending_ = true;
#ifdef TMC_MISTAKES
  if (Planted(Mistake::kConfirmBeforeCommit)) consumer_.ConfirmAtOnce();
#endif
  try {
    Write(false);
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kRefused) throw;
    log::Warn("commit", std::string("a turn was refused by the database, its rows are written one by one: ") +
                            error.what());
    Write(true);
  }
  pending_ = false;
  const bool settled = worker_.has_results();
  if (consumer_.has_answer() || confirmer_.has_answer() || settled) confirmer_.Look();
  worker_.Written();
  worker_.Add(consumer_.Written());
  worker_.Add(std::move(claimed_));
  claimed_.clear();
  confirmer_.Written();
}

bool Pump::NoteDue() const {
  if (consumer_.has_entries()) return true;
  const bool old = context_.clock.Steady() - consumed_noted_ >= kNoteEvery;
  return consumer_.has_answer() && (old || !error_noted_.empty());
}

// A quiet day's failures, too, are written about every ten seconds at most.
bool Pump::ErrorNoteDue() const {
  const auto& error = consumer_.last_error();
  if (!error || context_.clock.Steady() - error_noted_at_ < kNoteEvery) return false;
  return Sentence(*error) != error_noted_;
}

int64_t Pump::NextClaim() {
  cursors_.Put("claim", claim_ + 1);
  return claim_ + 1;
}

void Pump::Write(bool careful) {
  const Time now = context_.clock.Now();
  const uint64_t closures = context_.pacer.changes();
  const bool note = NoteDue();
  claimed_.clear();
  cursors_.Forget();
  Transaction transaction(context_.store);
  const bool claims = consumer_.has_entries() || work_due_;
  const int64_t claim = claims ? NextClaim() : claim_;
  worker_.Write(now, careful);
  const bool keep_unclaimed = draining_ || !worker_.Startable();
  consumer_.Write(now, keep_unclaimed ? 0 : claim, Room(), careful);
  confirmer_.Write(now);
  if (closures != closures_saved_) cursors_.SaveClosures(context_.pacer.Closures());
  if (ReleaseDue() || closures != closures_saved_) worker_.Release(now);
  if (work_due_) ClaimDue(now);
  const std::string error = consumer_.last_error() ? Sentence(*consumer_.last_error()) : "";
  if (note) cursors_.Put("last_consume_at", ToMillis(now));
  if (error != error_noted_) cursors_.PutMeta("consume_error", error);
  cursors_.Flush();
  transaction.Commit();
  claim_ = claim;
  closures_saved_ = closures;
  if (ReleaseDue()) released_at_ = context_.clock.Steady();
  if (note) consumed_noted_ = context_.clock.Steady();
  if (!error.empty()) error_noted_at_ = context_.clock.Steady();
  error_noted_ = error;
}

void Pump::ClaimDue(Time now) {
  const int64_t claim = claim_ + 1;
  const auto room = static_cast<int64_t>(worker_.Startable() ? Room() : 1);
  claimed_ = inbox_.Claim(now, claim, room, kClaimBytes, false);
  const bool together = Planted(Mistake::kClaimTogether);
  if (worker_.has_suspect() && !together) return;
  for (ClaimedRow& row : inbox_.Claim(now, claim, together ? room : 1, kClaimBytes, true))
    claimed_.push_back(std::move(row));
}

void Pump::Drain() {
  draining_ = true;
  consumer_.Stop();
}

bool Pump::Drained() {
  return !pending_ && !consumer_.in_flight() && !AnythingToWrite() && worker_.in_hand() == 0 &&
         !confirmer_.owes();
}

size_t Pump::GiveUp() {
  Transaction transaction(context_.store);
  cursors_.SaveClosures(context_.pacer.Closures());
  const size_t given_back = worker_.GiveBackAll();
  transaction.Commit();
  return given_back;
}

bool Pump::Busy() {
  if (pending_ || AnythingToWrite() || worker_.in_hand() > 0) return true;
  if (confirmer_.owes() && !confirmer_.NeedsPerson()) return true;
  return !worker_.NeedsPerson() && inbox_.EarliestDue().has_value();
}

}  // namespace tmc
