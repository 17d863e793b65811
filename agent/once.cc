// `run --once` and one-shot windows: the same loops' steps, one after the other in one thread.
#include <signal.h>

#include <algorithm>
#include <utility>

#include "agent/agent.h"
#include "agent/dead_letters.h"
#include "agent/log.h"
#include "agent/stop_signals.h"

namespace tmc {
namespace {
constexpr int kQuietAnswers = 2;
constexpr milliseconds kStep = 200ms;

}  // namespace

// One step; a busy or full database is waited for, like in the loops.
template <typename Work>
void Agent::Patiently(Work step) {
  try {
    step();
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kBusy && error.kind() != StoreError::Kind::kFull) throw;
    log::Warn("once", std::string("the database cannot be written now, trying again: ") + error.what());
    Stopped(kStep);
  }
}

bool Agent::CredentialsRefused() const {
  const auto closures = shared_.pacer.Closures();
  return std::any_of(closures.begin(), closures.end(), [](const Closure& closure) { return !closure.ban; });
}

// A TERM or INT ends every phase; HUP does what it does to the running agent.
bool Agent::Stopped(milliseconds wait) {
  const int signal = stop_signals::Wait(wait);
  if (signal == SIGHUP) Reload();
  if (signal == SIGTERM || signal == SIGINT) stopped_ = true;
  return stopped_;
}

// A backlog may take its time; only what brings nothing new is waited for no longer than --once-wait.
void Agent::ConsumeUntilQuiet() {
  milliseconds until = shared_.clock.Steady() + shared_.settings.once_wait;
  int64_t taken = 0;
  while (pump_.quiet_answers() < kQuietAnswers && shared_.clock.Steady() < until && !Stopped()) {
    Patiently([&] { pump_.Step(kStep); });
    if (pump_.taken() > std::exchange(taken, pump_.taken()))
      until = shared_.clock.Steady() + shared_.settings.once_wait;
    const auto& error = pump_.consume_error();
    if (error && (error->fault == Fault::kAgent || error->fault == Fault::kApi)) return;
  }
}

void Agent::FinishPass(milliseconds deadline) {
  const int64_t before = reconciler_.passes();
  while (reconciler_.passes() == before && shared_.clock.Steady() < deadline && !Stopped())
    Patiently([&] { reconciler_.Step(kStep); });
}

void Agent::WorkOff(milliseconds deadline) {
  while (pump_.Busy() && shared_.clock.Steady() < deadline && !Stopped())
    Patiently([&] { pump_.Step(kStep); });
}

void Agent::DrainNow() {
  pump_.Drain();
  const milliseconds until = shared_.clock.Steady() + shared_.settings.drain_timeout;
  while (!pump_.Drained() && shared_.clock.Steady() < until) {
    Patiently([&] { pump_.Step(kStep); });
    if (shared_.pacer.Closed("", "")) break;
  }
  pump_.GiveUp();
}

int Agent::OnceStatus(int64_t letters_before) {
  DeadLetters letters(pump_place_.store, std::string(shared_.platform.Name()));
  if (CredentialsRefused()) return 77;
  const bool pass_failed = reconciler_.report().failure.has_value();
  if (pump_.consume_failures() > 0 || pass_failed) return 69;
  if (!shared_.pacer.Closures().empty() || pump_.inbox().Retryable() > 0 || pump_.OwesConfirms()) return 75;
  return letters.Newest() > letters_before ? 65 : 0;
}

int Agent::RunOnce() {
  Prepare();
  DeadLetters letters(pump_place_.store, std::string(shared_.platform.Name()));
  const int64_t letters_before = letters.Newest();
  ConsumeUntilQuiet();
  const milliseconds deadline = shared_.clock.Steady() + shared_.settings.once_wait;
  if (shared_.settings.reconcile_interval > 0ms) FinishPass(deadline);
  WorkOff(deadline);
  DrainNow();
  return OnceStatus(letters_before);
}

int Agent::RunWindow(Time from, Time to, PassReport* report) {
  Prepare();
  pump_.StopConsuming();
  reconciler_.Ask(from, to);
  const milliseconds deadline =
      shared_.clock.Steady() + std::max<milliseconds>(shared_.settings.once_wait, 10min);
  FinishPass(deadline);
  *report = reconciler_.report();
  WorkOff(shared_.clock.Steady() + shared_.settings.once_wait);
  DrainNow();
  if (CredentialsRefused()) return 77;
  return report->failure ? 69 : 0;
}

}  // namespace tmc
