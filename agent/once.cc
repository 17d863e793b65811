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
  const auto because = [](int status, const std::string& why) {
    log::Warn("once", why);
    return status;
  };
  if (CredentialsRefused()) return because(77, "credentials or a permission are refused, see `status`");
  const auto& failure = reconciler_.report().failure;
  if (pump_.consume_failures() > 0)
    return because(69, "the platform could not be asked for messages: " + Sentence(*pump_.consume_error()));
  if (failure) return because(69, "the platform could not be asked for orders: " + Sentence(*failure));
  const int64_t waiting = pump_.inbox().Retryable();
  if (waiting > 0) return because(75, std::to_string(waiting) + " messages are to be tried again later");
  if (pump_.OwesConfirms()) return because(75, "settled messages are still to be confirmed");
  if (!shared_.pacer.Closures().empty()) return because(75, "the platform limits our calls, see `status`");
  const int64_t newest = letters.Newest();
  if (newest > letters_before) return because(65, "new dead letters: see `tmc-agent dlq list`");
  return 0;
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
  const bool whole = reconciler_.Idle();
  WorkOff(shared_.clock.Steady() + shared_.settings.once_wait);
  DrainNow();
  if (CredentialsRefused()) return 77;
  if (report->failure) return 69;
  if (!whole) log::Warn("reconcile", "stopped before the window was read; ask for it again");
  return whole ? 0 : 75;
}

}  // namespace tmc
