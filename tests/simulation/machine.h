#pragma once

#include <memory>
#include <optional>
#include <string>

#include "adapters/top/platform.h"
#include "agent/agent.h"
#include "tests/simulation/books.h"
#include "tests/simulation/judge.h"
#include "tests/simulation/stage.h"
#include "tests/simulation/wire.h"

namespace tmc::simulation {

// The agent's process: the real loops over real connections, stepped in virtual time. While the pump waits,
// the reconciler takes its steps, as another thread would. It stops, crashes and is started again.
class Machine {
 public:
  Machine(Stage& stage, Witness& witness, Judge& judge, const Settings& settings, milliseconds longest);
  ~Machine() { Drop(); }

  void RunUntil(milliseconds when);  // or until something was complained of
  // From the agenda:
  void Crash(milliseconds down);  // at once
  void Stop(milliseconds down);   // as SIGTERM does
  void Renew();                   // the session file was written anew

  bool up() const { return pump_ != nullptr; }
  bool Busy();
  Reconciler* reconciler() { return reconciler_.get(); }

 private:
  void Start();
  void Drop();
  void Perish(const std::string& how, milliseconds down);
  void StayDown(milliseconds down);
  void NotStarted(const std::string& why);
  void End(const std::string& how, milliseconds down);
  void StepOnce();
  bool TryStep();
  void Leave();
  void StepDraining();
  void StepReconciler();
  bool Survive(const StoreError& error);  // false: the process leaves
  void Sleep(milliseconds most, bool for_answers);
  void Happen();
  void NoSpinning();

  Stage& stage_;
  Witness& witness_;
  Judge& judge_;
  const Settings settings_;
  const milliseconds longest_;
  std::unique_ptr<Platform> platform_;
  Wire pump_wire_, reconciler_wire_;
  std::unique_ptr<Secrets> secrets_;
  std::unique_ptr<PlatformClock> platform_clock_;
  std::unique_ptr<Pacer> pacer_;
  std::unique_ptr<Shared> shared_;
  std::unique_ptr<Store> store_, reconciler_store_;
  std::unique_ptr<Context> context_, reconciler_context_;
  std::unique_ptr<Pump> pump_;
  std::unique_ptr<Reconciler> reconciler_;
  milliseconds reconciler_wakes_{0}, starts_at_{0};
  std::optional<milliseconds> drain_until_;
  bool stop_asked_ = false;
  bool crash_asked_ = false;
  milliseconds down_{0};
  uint64_t starts_ = 0;
  milliseconds spun_at_{0};
  int spins_ = 0;
};

}  // namespace tmc::simulation
