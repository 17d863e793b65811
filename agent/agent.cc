#include "agent/agent.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <ctime>

#include "agent/dead_letters.h"
#include "agent/log.h"
#include "agent/loop.h"
#include "agent/stop_signals.h"
#include "agent/views.h"

namespace tmc {

std::optional<std::string> ForeignDatabase(Store& store, std::string_view platform,
                                           const Settings& settings) {
  Cursors cursors(store, std::string(platform));
  const std::pair<const char*, std::string> marks[] = {
      {"platform", std::string(platform)}, {"app_key", settings.app_key}, {"group", settings.group}};
  Transaction transaction(store);
  const bool empty =
      Views(store, std::string(platform)).Empty();  // a slip in the very first start binds nothing
  for (const auto& [key, value] : marks) {
    const auto held = cursors.Meta(key);
    if (held && *held != value && !empty)
      return fmt::format(
          "the database belongs to {} \"{}\", not \"{}\"; use a --db of its own for each platform, app key "
          "and group",
          key, *held, value);
    if (held != value) cursors.PutMeta(key, value);
  }
  transaction.Commit();
  return std::nullopt;
}

Agent::Agent(const Shared& shared, const StoreOptions& store, const HttpSettings& http, uint64_t seed)
    : shared_(shared),
      store_options_(store),
      pump_place_(shared, store, http, seed),
      reconcile_place_(shared, store, http, seed + 1),
      pump_(pump_place_.context),
      reconciler_(reconcile_place_.context) {}

void Agent::Prepare() {
  // Another program may hold the lock for longer than the busy timeout: that is waited for, like later on.
  while (true) {
    try {
      return pump_.Recover();
    } catch (const StoreError& error) {
      if (error.kind() != StoreError::Kind::kBusy || Stopped()) throw;
      log::Warn("start",
                std::string("another program holds the database's lock, trying again: ") + error.what());
    }
  }
}

bool Agent::StepPump(std::stop_token stop) {
  if (!stop.stop_requested()) {
    pump_.Step();
    return true;
  }
  const milliseconds now = shared_.clock.Steady();
  if (!drain_until_) {
    drain_until_ = now + shared_.settings.drain_timeout;
    pump_.Drain();
  }
  if (pump_.Drained()) return false;
  if (now < *drain_until_) {
    pump_.Step(std::min(milliseconds(100ms), *drain_until_ - now));
    return true;
  }
  const size_t given_back = pump_.GiveUp();
  const bool owes = pump_.OwesConfirms();
  log::Warn("stop", fmt::format("the drain's time is over: {} messages given back, {}", given_back,
                                owes ? "settled messages are still to be confirmed by the next start"
                                     : "nothing owed"));
  if (given_back > 0 || owes) stop_status_ = 75;
  return false;
}

bool Agent::StepReconciler(std::stop_token stop) {
  if (stop.stop_requested()) return false;
  reconciler_.Step();
  return true;
}

// USR1: over a connection of its own, in the thread that waits for signals.
void Agent::Report(Loop& pump, Loop& reconciler) {
  log::Info("status", fmt::format("pump: {} ({} turns); reconciler: {} ({} steps)", pump_.doing(),
                                  pump.steps(), reconciler_.doing(), reconciler.steps()));
  try {
    Store store({.path = store_options_.path, .read_only = true});
    const StatusView view = Views(store, std::string(shared_.platform.Name())).Status(shared_.clock.Now());
    int64_t open = 0, letters = 0;
    for (const auto& [state, rows] : view.open) open += rows;
    for (const auto& [reason, count] : view.letters) letters += count;
    log::Info(
        "status",
        fmt::format("{} messages open, {} confirms owed, {} dead letters, {} settled in the last minute",
                    open, view.owed_confirms, letters, view.settled_last_minute));
    for (const Closure& closure : view.closures)
      log::Info("status", fmt::format("{} is {}: {}", closure.scope, closure.ban ? "banned" : "closed",
                                      closure.detail));
  } catch (const std::runtime_error& error) {
    log::Warn("status", std::string("the database cannot be looked at now: ") + error.what());
  }
}

void Agent::Reload() {
  log::Reopen();
  shared_.secrets.Refresh();
  shared_.pacer.ProbeAll();
}

int Agent::Run(std::optional<milliseconds> max_runtime) {
  Prepare();
  Loop pump("pump", [this](std::stop_token stop) { return StepPump(stop); });
  Loop reconciler("reconciler", [this](std::stop_token stop) { return StepReconciler(stop); });
  const auto stop_all = [&] {
    pump.Stop();
    reconciler.Stop();
    pump_place_.http->Wake();
    reconcile_place_.http->Wake();
  };
  pump.Start();
  reconciler.Start();
  const milliseconds began = shared_.clock.Steady();
  milliseconds moved = began;
  uint64_t seen[2] = {0, 0};
  bool stopping = false;
  while (!(pump.ended() && reconciler.ended())) {
    const int signal = stop_signals::Wait(stopping ? 50ms : 500ms);
    const milliseconds now = shared_.clock.Steady();
    if (signal == SIGHUP) Reload();
    if (signal == SIGUSR1) Report(pump, reconciler);
    const bool asked = signal == SIGTERM || signal == SIGINT;
    if (asked && stopping) {
      log::Warn("stop", "a second signal: leaving at once, the next start recovers");
      _exit(75);
    }
    const bool failed = pump.ended() || reconciler.ended();
    if (!stopping && (asked || failed || (max_runtime && now - began >= *max_runtime))) {
      log::Info("stop", "stopping: no new messages, finishing what is in hand");
      stopping = true;
      stop_all();
    }
    if (pump.steps() != seen[0] && (reconciler.steps() != seen[1] || reconciler.ended())) {
      moved = now;
      seen[0] = pump.steps();
      seen[1] = reconciler.steps();
    }
    if (now - moved > shared_.settings.stall_timeout && !pump.ended()) {
      Report(pump, reconciler);
      log::Error("stall", "a loop has not moved for --stall-timeout; leaving, the next start recovers");
      _exit(70);
    }
  }
  for (const Loop* loop : {&pump, &reconciler})
    if (loop->exit_status() != 0) return loop->exit_status();
  return stop_status_;
}

}  // namespace tmc
