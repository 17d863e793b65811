#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "agent/context.h"
#include "agent/http.h"
#include "agent/pump.h"
#include "agent/reconciler.h"

namespace tmc {

// What belongs to one loop: its own connections.
struct Workplace {
  Workplace(const Shared& shared, const StoreOptions& store_options, const HttpSettings& http_settings,
            uint64_t seed)
      : store(store_options), http(MakeCurlClient(http_settings)), context(shared, store, *http, seed) {}
  Store store;
  std::unique_ptr<HttpClient> http;
  Context context;
};

// The running agent: owns the loops and their threads; starts, watches, drains and stops them. Holds the run
// lock of its database (taken by the caller) for as long as it lives.
class Agent {
 public:
  Agent(const Shared& shared, const StoreOptions& store, const HttpSettings& http, uint64_t seed);
  // Until a signal, --max-runtime or a failure; returns the exit status of the contract.
  int Run(std::optional<milliseconds> max_runtime);
  // `run --once`, in the caller's thread.
  int RunOnce();
  // `reconcile --from --to` where no agent runs: lists, then works off what it opened.
  int RunWindow(Time from, Time to, PassReport* report);

 private:
  void Prepare();
  bool StepPump(std::stop_token stop);
  bool StepReconciler(std::stop_token stop);
  void ConsumeUntilQuiet();
  void FinishPass(milliseconds deadline);
  void WorkOff(milliseconds deadline);
  int OnceStatus(int64_t letters_before);
  bool Stopped(milliseconds wait = 0ms);
  template <typename Work>
  void Patiently(Work step);
  void Reload();  // HUP
  bool CredentialsRefused() const;
  void DrainNow();
  void Report(class Loop& pump, class Loop& reconciler);

  const Shared& shared_;
  const StoreOptions store_options_;
  Workplace pump_place_, reconcile_place_;
  Pump pump_;
  Reconciler reconciler_;
  std::optional<milliseconds> drain_until_;  // steady; set by the first look after a stop was asked for
  std::atomic<int> stop_status_{0};
  bool stopped_ = false;  // `run --once`: a signal came
};

// The database is this platform's, app key's and group's; a new one becomes so. A sentence when it is not.
std::optional<std::string> ForeignDatabase(Store& store, std::string_view platform, const Settings& settings);

}  // namespace tmc
