#include "tests/simulation/run.h"

#include <fstream>
#include <iterator>

#include "agent/log.h"
#include "tests/simulation/judge.h"
#include "tests/simulation/lives.h"
#include "tests/simulation/machine.h"
#include "tests/simulation/operator.h"
#include "tests/simulation/troubles.h"
#include "tests/simulation/witness.h"

namespace tmc::simulation {
namespace {

// The agent's log of one world, in memory where the machine has it. Without the stamps, which are real time.
class Journal {
 public:
  explicit Journal(Stage& stage) : path_(stage.folder.Path("log")) {
    log::Open(log::Level::kDebug, log::Format::kText, path_);
  }
  ~Journal() { log::Open(log::Level::kDebug, log::Format::kText, "/dev/null"); }
  std::string Text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  const std::string path_;
};

template <typename T>
T OneOf(Stage& stage, std::initializer_list<T> choices) {
  return choices.begin()[stage.chance.Below(choices.size())];
}

Settings ChooseSettings(Stage& stage) {
  Settings settings;
  settings.app_key = "12345678";
  settings.rate = OneOf(stage, {5.0, 20.0, 200.0});
  settings.batch = OneOf(stage, {10, 40, 100, 200});
  settings.parallel = static_cast<int>(stage.Between(1, 8));
  settings.max_attempts = OneOf(stage, {6, 12});
  settings.idle_max = OneOf<milliseconds>(stage, {5s, 20s, 60s});
  settings.reconcile_interval = OneOf<milliseconds>(stage, {5min, 10min, 20min});
  settings.reconcile_backfill = 2h;
  return settings;
}

// Two whole passes, and what they opened worked off.
void Reconcile(Stage& stage, Machine& machine) {
  for (int round = 0; round < 2 && stage.complaints.empty(); ++round) {
    const int64_t before = machine.reconciler()->passes();
    machine.reconciler()->AskRegular();
    const milliseconds late = stage.agenda.Now() + 30min;
    while (stage.complaints.empty() &&
           (machine.reconciler()->passes() == before || !machine.reconciler()->Idle() || machine.Busy())) {
      machine.RunUntil(stage.agenda.Now() + 5s);
      if (stage.agenda.Now() > late)
        return stage.Complain("a round of reconciliation in calm takes over 30 min");
    }
  }
}

}  // namespace

Ending RunWorld(uint64_t seed, bool with_history) {
  Stage stage(seed);
  stage.history.on = with_history;
  const Journal journal(stage);
  Judge judge(stage);
  Witness witness(stage);
  witness.state_of = [&](const std::string& id) { return judge.StateOf(id); };
  stage.trouble = stage.Duration(20min, 5h);
  ChooseKinds(stage);
  if (stage.Has(Kind::kLost) && stage.chance.Hit(0.15)) {
    stage.off_at = milliseconds(stage.Between(0, stage.trouble.count()));
    stage.off_for = stage.Duration(24h + 10min, 40h);
    stage.trouble += stage.off_for;
  }
  const Settings settings = ChooseSettings(stage);
  Machine machine(stage, witness, judge, settings, OneOf<milliseconds>(stage, {1s, 5s, 15s, 30s}));
  PlanShops(stage);
  stage.folder.File("secret", "helloworld\n");
  machine.Renew();
  PlanLives(stage);
  PlanTroubles(stage, machine, witness, judge);
  machine.RunUntil(stage.agenda.begin() + stage.trouble);
  judge.ConfirmedThere();
  Calm(stage, machine, witness, judge);
  machine.RunUntil(stage.agenda.Now() + 5min);
  ReplayLetters(stage, false);
  machine.RunUntil(stage.agenda.Now() + 40min);
  if (stage.complaints.empty()) Reconcile(stage, machine);
  if (stage.complaints.empty()) judge.Verdict(journal.Text());
  witness.CountHandOuts();
  return {stage.complaints, stage.fired, stage.agenda.SinceBegin().count(), stage.history.text()};
}

}  // namespace tmc::simulation
