#include "tests/power/machine.h"

namespace tmc {

struct Machine::Process {
  struct Place {
    Place(Process& process, uint64_t seed)
        : store(process.machine.options_),
          http(process.machine.scenario_.heart, process.machine.scenario_.clock),
          context(process.shared, store, http, seed) {
      if (process.machine.pragma) store.Exec(process.machine.pragma);
    }
    Store store;
    HeartClient http;
    Context context;
  };
  explicit Process(Machine& its_machine);
  Machine& machine;
  Secrets secrets;
  PlatformClock platform_clock;
  Pacer pacer;
  Shared shared;
  std::optional<Place> pump_place, reconcile_place;
  std::optional<Pump> pump;
  std::optional<Reconciler> reconciler;
};

// In the order of agent/commands/run.cc.
Machine::Process::Process(Machine& its_machine)
    : machine(its_machine),
      secrets({machine.folder_.Path("secret"), machine.folder_.Path("sessions"), "", ""}),
      platform_clock(machine.scenario_.clock),
      pacer(machine.settings_.rate, machine.scenario_.clock, 1),
      shared{machine.settings_, *machine.platform_, machine.scenario_.clock, platform_clock, pacer, secrets} {
  if (const auto problem = secrets.Load()) throw std::logic_error(problem->text);
  {
    Store store(machine.options_);
    if (const auto foreign = ForeignDatabase(store, machine.platform_->Name(), machine.settings_))
      throw std::logic_error(*foreign);
  }
  pump_place.emplace(*this, 1);
  reconcile_place.emplace(*this, 2);
  pump.emplace(pump_place->context);
  reconciler.emplace(reconcile_place->context);
  pump->Recover();
}

Machine::Machine(Scenario& scenario, MemoryVfs& disk) : scenario_(scenario), disk_(disk) {
  settings_.app_key = "12345678";
  settings_.rate = 1000;
  settings_.reconcile_interval = 1h;
  settings_.reconcile_backfill = 30min;
  settings_.idle_max = 1s;
  options_ = {.path = "/tmc.db", .create = true, .vfs = disk.name(), .busy_timeout = 0ms};
  platform_ = top::MakeTop({.app_key = settings_.app_key, .group = settings_.group});
  folder_.File("secret", "helloworld\n");
  folder_.File("sessions", "900001 sess-A\n");
}

Machine::~Machine() = default;

void Machine::Close() {
  process_.reset();
}

Machine::End Machine::Live(bool stay) {
  constexpr int kMostSteps = 20'000;
  error_.clear();
  End end = End::kStuck;
  try {
    process_ = std::make_unique<Process>(*this);
    for (int i = 0; i < kMostSteps && end == End::kStuck; ++i)
      if (Step()) end = End::kOver;
  } catch (const StoreError& error) {
    const bool start_full = !process_ && error.kind() == StoreError::Kind::kFull;
    end = start_full ? End::kRefused : error.kind() == StoreError::Kind::kFatal ? End::kLeft : End::kWrong;
    error_ = error.what();
  } catch (const StoreUnusable& error) {
    end = End::kRefused;
    error_ = error.what();
  } catch (const std::exception& error) {
    end = End::kWrong;
    error_ = error.what();
  }
  if (disk_.faults().dead() && end != End::kWrong) end = End::kStopped;
  if (!stay) Close();
  return end;
}

// A turn of each loop, as agent/loop.cc treats it. True: the scenario is over.
bool Machine::Step() {
  Pump& pump = *process_->pump;
  Reconciler& reconciler = *process_->reconciler;
  try {
    pump.Step();
    reconciler.Step(0ms);
    if (!scenario_.AllConfirmed() || pump.Busy() || reconciler.passes() == 0 || !reconciler.Idle())
      return false;
    scenario_.Next();
    if (scenario_.chapter() != Scenario::Chapter::kUntold)
      return scenario_.chapter() == Scenario::Chapter::kOver;
    reconciler.AskRegular();
    reconciler.Step(0ms);
    return false;
  } catch (const StoreError& error) {
    if (disk_.faults().dead() || error.kind() == StoreError::Kind::kFatal ||
        error.kind() == StoreError::Kind::kRefused)
      throw;
    ++waits_;
    scenario_.clock.Advance(error.kind() == StoreError::Kind::kFull ? 2s : 10ms);
    return false;
  }
}

}  // namespace tmc
