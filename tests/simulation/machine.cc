#include "tests/simulation/machine.h"

#include <algorithm>

namespace tmc::simulation {
namespace {
constexpr milliseconds kBusyRest = 5010ms;  // the busy timeout and the loop's pause
constexpr milliseconds kFullRest = 2s;
constexpr milliseconds kRestart = 10s;
constexpr milliseconds kSpinTime = 10s;
constexpr int kMostSpins = 5000;

// Something was complained of: no need to go on.
struct Enough {};
}  // namespace

Machine::Machine(Stage& stage, Witness& witness, Judge& judge, const Settings& settings, milliseconds longest)
    : stage_(stage),
      witness_(witness),
      judge_(judge),
      settings_(settings),
      longest_(longest),
      platform_(top::MakeTop({.app_key = settings.app_key, .group = settings.group})),
      pump_wire_(stage, witness, [this](milliseconds most) { Sleep(most, true); }),
      reconciler_wire_(stage, witness, [this](milliseconds most) {
        const milliseconds now = stage_.agenda.Now();
        reconciler_wakes_ = reconciler_wire_.HasAnswers() ? now : now + most;
      }) {
  starts_at_ = stage.agenda.Now();
}

void Machine::Renew() {
  std::string lines;
  for (const sim::Shop& shop : stage_.platform().shops.all())
    lines += shop.user_id + " " + shop.session + "\n";
  stage_.folder.File("sessions", lines);
}

void Machine::Start() {
  stage_.history.Add("== the agent starts");
  secrets_ = std::make_unique<Secrets>(
      SecretSources{stage_.folder.Path("secret"), stage_.folder.Path("sessions"), "", ""});
  if (const auto problem = secrets_->Load()) stage_.Complain("the secrets are refused: " + problem->text);
  platform_clock_ = std::make_unique<PlatformClock>(stage_.agenda.agent);
  pacer_ = std::make_unique<Pacer>(settings_.rate, stage_.agenda.agent, stage_.seed + starts_);
  shared_ = std::make_unique<Shared>(
      Shared{settings_, *platform_, stage_.agenda.agent, *platform_clock_, *pacer_, *secrets_});
  const StoreOptions options{
      .path = kDatabase, .create = true, .vfs = stage_.disk.name(), .busy_timeout = 0ms};
  store_ = std::make_unique<Store>(options);
  reconciler_store_ = std::make_unique<Store>(options);
  context_ = std::make_unique<Context>(*shared_, *store_, pump_wire_, stage_.seed * 16 + starts_);
  reconciler_context_ = std::make_unique<Context>(*shared_, *reconciler_store_, reconciler_wire_,
                                                  stage_.seed * 16 + starts_ + 8);
  auto pump = std::make_unique<Pump>(*context_);
  pump->Recover();
  reconciler_ = std::make_unique<Reconciler>(*reconciler_context_);
  pump_ = std::move(pump);
  reconciler_wakes_ = stage_.agenda.Now();
  ++starts_;
  witness_.ProcessStarted(settings_.rate);
  judge_.Started();
}

void Machine::Drop() {
  pump_.reset();
  reconciler_.reset();
  context_.reset();
  reconciler_context_.reset();
  store_.reset();
  reconciler_store_.reset();
  stop_asked_ = crash_asked_ = false;
  drain_until_.reset();
}

void Machine::End(const std::string& how, milliseconds down) {
  stage_.history.Add("== the agent {}; down for {} s", how, down.count() / 1000);
  stage_.crash_after = -1;
  pump_wire_.Forget();
  reconciler_wire_.Forget();
  Drop();
  starts_at_ = stage_.agenda.Now() + down;
}

// Nothing of what the process would still do reaches the disk; it may be the machine that died, too.
void Machine::Perish(const std::string& how, milliseconds down) {
  pump_wire_.Forget();
  reconciler_wire_.Forget();
  witness_.ProcessEnded([this](const std::string& scope) { return judge_.BanLeft(scope); });
  stage_.disk.faults().Die();
  judge_.Crashed();
  End(how, down);
  if (stage_.Has(Kind::kPowerLoss) && stage_.chance.Hit(0.4)) {
    stage_.history.Add("== and the machine with it");
    stage_.disk.PowerLoss(stage_.chance.Next());
    stage_.Fired(Kind::kPowerLoss);
  } else {
    stage_.disk.Reopen();
  }
  stage_.disk.faults().Full(stage_.full);
}

void Machine::Crash(milliseconds down) {
  if (!up()) return StayDown(down);
  crash_asked_ = true;
  down_ = down;
}

void Machine::Stop(milliseconds down) {
  if (!up()) return StayDown(down);
  stop_asked_ = true;
  down_ = down;
}

void Machine::StayDown(milliseconds down) {
  starts_at_ = std::max(starts_at_, stage_.agenda.Now() + down);
}

void Machine::RunUntil(milliseconds when) {
  while (stage_.agenda.Now() < when && stage_.complaints.empty()) {
    if (up()) {
      StepOnce();
      continue;
    }
    Happen();
    if (stage_.agenda.Now() < starts_at_) {
      stage_.agenda.AdvanceTo(std::min({when, starts_at_, stage_.agenda.Next()}));
      continue;
    }
    try {
      Start();
    } catch (const StoreUnusable& error) {
      NotStarted(error.what());
    } catch (const StoreError& error) {
      NotStarted(error.what());
    }
  }
}

void Machine::NotStarted(const std::string& why) {
  stage_.history.Add("== the agent does not start: {}", why);
  judge_.NotStarted(why);
  if (stage_.disk.faults().dead()) return Perish("dies at its start", kRestart);
  End("does not start", kRestart);
}

void Machine::StepOnce() {
  NoSpinning();
  try {
    if (!TryStep()) Leave();
  } catch (const Enough&) {
  } catch (const StoreError& error) {
    // The reconciler's, while the pump rested from one of its own.
    judge_.Fatal(error.what());
    Leave();
  } catch (const simulation::Crash&) {
    stage_.Fired(Kind::kCrash);
    Perish("is killed", crash_asked_ ? down_ : stage_.Duration(1s, 10min));
  }
}

void Machine::Leave() {
  if (!stage_.disk.faults().dead()) return End("leaves because of the database", kRestart);
  stage_.Fired(Kind::kCrashInCommit);
  Perish("dies while it writes", stage_.Duration(1s, 10min));
}

// False: the process leaves.
bool Machine::TryStep() {
  try {
    stop_asked_ ? StepDraining() : pump_->Step(longest_);
    judge_.Look();
    return true;
  } catch (const StoreError& error) {
    return Survive(error);
  }
}

bool Machine::Survive(const StoreError& error) {
  stage_.history.Add("== the database: {}", error.what());
  if (stage_.disk.faults().dead()) return false;
  switch (error.kind()) {
    case StoreError::Kind::kBusy:
      judge_.Busy();
      Sleep(kBusyRest, false);
      return true;
    case StoreError::Kind::kFull:
      judge_.Full();
      if (stop_asked_) return false;
      Sleep(kFullRest, false);
      return true;
    case StoreError::Kind::kFatal:
      judge_.Fatal(error.what());
      return false;
    case StoreError::Kind::kRefused:
      break;
  }
  stage_.Complain(std::string("the agent leaves with 70: ") + error.what());
  return false;
}

// As Agent does after a signal.
void Machine::StepDraining() {
  const milliseconds now = stage_.agenda.Now();
  if (!drain_until_) {
    drain_until_ = now + settings_.drain_timeout;
    pump_->Drain();
  }
  bool over = pump_->Drained();
  if (!over && now < *drain_until_) {
    pump_->Step(std::min<milliseconds>(100ms, *drain_until_ - now));
    return;
  }
  if (!over) pump_->GiveUp();
  stage_.Fired(Kind::kStopStart);
  End("has stopped", down_);
  judge_.AfterStop();
}

void Machine::StepReconciler() {
  try {
    NoSpinning();
    reconciler_wakes_ = milliseconds::max();
    reconciler_->Step(longest_);
    judge_.Look();
  } catch (const StoreError& error) {
    stage_.history.Add("== the reconciler's database: {}", error.what());
    if (stage_.disk.faults().dead()) throw;
    if (error.kind() == StoreError::Kind::kBusy) {
      judge_.Busy();
      reconciler_wakes_ = stage_.agenda.Now() + kBusyRest;
    } else if (error.kind() == StoreError::Kind::kFull) {
      judge_.Full();
      reconciler_wakes_ = stage_.agenda.Now() + kFullRest;
    } else {
      throw;
    }
  }
}

void Machine::Happen() {
  stage_.agenda.RunDue();
  pump_wire_.Move();
  reconciler_wire_.Move();
}

void Machine::Sleep(milliseconds most, bool for_answers) {
  const milliseconds until = stage_.agenda.Now() + most;
  const bool draining = stop_asked_;
  while (true) {
    Happen();
    if (!stage_.complaints.empty()) throw Enough{};
    if (crash_asked_) throw simulation::Crash{};
    const milliseconds now = stage_.agenda.Now();
    if (now >= until || (for_answers && pump_wire_.HasAnswers()) || stop_asked_ != draining) return;
    if (!stop_asked_ && (reconciler_wakes_ <= now || reconciler_wire_.HasAnswers())) {
      StepReconciler();
      continue;
    }
    milliseconds next = std::min({until, stage_.agenda.Next(), pump_wire_.Next()});
    if (!stop_asked_) next = std::min({next, reconciler_wakes_, reconciler_wire_.Next()});
    stage_.agenda.AdvanceTo(std::max(next, now + 1ms));
  }
}

// A loop that never rests.
void Machine::NoSpinning() {
  const milliseconds now = stage_.agenda.Now();
  if (now - spun_at_ > kSpinTime) {
    spun_at_ = now;
    spins_ = 0;
  }
  if (++spins_ == kMostSpins) stage_.Complain(fmt::format("the agent spins: {} steps in 10 s", kMostSpins));
}

bool Machine::Busy() {
  return !up() || pump_->Busy();
}

}  // namespace tmc::simulation
