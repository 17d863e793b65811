#include "tests/simulation/troubles.h"

#include <array>

#include "tests/simulation/operator.h"

namespace tmc::simulation {
namespace {

using sim::Fault;

constexpr std::array kApis{"consume", "confirm", "trade.fullinfo.get", "increment.get", "*"};

// Fills the agenda with the faults of one world.
class Planner {
 public:
  Planner(Stage& stage, Machine& machine, Witness& witness, Judge& judge)
      : stage_(stage), machine_(machine), witness_(witness), judge_(judge) {}
  void Plan();

 private:
  // Begins `what` at up to `most` moments; each ends after a while, at the latest when all trouble does.
  void Episodes(Kind kind, int64_t most, milliseconds shortest, milliseconds longest,
                std::function<void(Time until, milliseconds length)> begin, std::function<void()> end = {});
  // Spoils calls of one interface, or of any, until then.
  void Hit(const char* api, Time until, double chance, const std::function<void(Fault&)>& how);
  const char* AnyApi() { return kApis[stage_.chance.Below(kApis.size())]; }
  void Queue();
  void Wire();
  void Errors();
  void Refusals();
  void Sessions();
  void Lag();
  void Clock();
  void Database();
  void Process();

  Stage& stage_;
  Machine& machine_;
  Witness& witness_;
  Judge& judge_;
};

void Planner::Episodes(Kind kind, int64_t most, milliseconds shortest, milliseconds longest,
                       std::function<void(Time, milliseconds)> begin, std::function<void()> end) {
  if (!stage_.Has(kind)) return;
  const int64_t trouble = stage_.trouble.count();
  for (int64_t count = stage_.Between(0, most); count > 0; --count) {
    const milliseconds at(stage_.Between(0, trouble - 1));
    const milliseconds length = std::min(stage_.Duration(shortest, longest), milliseconds(trouble) - at);
    stage_.agenda.At(stage_.agenda.begin() + at, [this, kind, begin, length] {
      stage_.history.Add("** {} for {} s", kKindNames[static_cast<size_t>(kind)], length.count() / 1000);
      begin(stage_.platform().Now() + length, length);
    });
    if (end) stage_.agenda.At(stage_.agenda.begin() + at + length, end);
  }
}

void Planner::Hit(const char* api, Time until, double chance, const std::function<void(Fault&)>& how) {
  Fault fault;
  fault.api = api;
  fault.until = until;
  fault.chance = chance;
  fault.times = 0;
  how(fault);
  stage_.platform().faults.Add(std::move(fault));
}

void Planner::Queue() {
  sim::QueueRules& rules = stage_.platform().queue.rules;
  rules.visibility = stage_.Duration(5min, 50min);
  if (stage_.Has(Kind::kDuplicate)) rules.duplicates = stage_.chance.Hit(0.5) ? 0.1 : 0;
  rules.duplicate_gap = stage_.Duration(1ms, 1h);
  if (stage_.Has(Kind::kReorder)) rules.reorder = static_cast<size_t>(stage_.Between(0, 50));
  rules.partial = stage_.chance.Hit(0.3);
  stage_.platform().switches.style.unknown_fields = stage_.chance.Hit(0.2);
  stage_.platform().switches.shuffle_ties = stage_.chance.Hit(0.5);
}

void Planner::Wire() {
  const auto lost = [this](const char* api) {
    return [this, api](Time until, milliseconds) {
      constexpr std::array kEndings{sim::Ending::kDrop, sim::Ending::kReset, sim::Ending::kCut,
                                    sim::Ending::kHang};
      Hit(api, until, 0.7, [&](Fault& fault) {
        fault.ending = kEndings[stage_.chance.Below(kEndings.size())];
        fault.after = true;
      });
    };
  };
  Episodes(Kind::kConfirmAnswerLost, 4, 10s, 10min, lost("confirm"));
  Episodes(Kind::kConsumeAnswerLost, 4, 10s, 10min, lost("consume"));
  Episodes(Kind::kNoAnswer, 3, 10s, 20min, [this](Time until, milliseconds) {
    Hit(AnyApi(), until, 0.6, [&](Fault& fault) {
      fault.ending = stage_.chance.Hit(0.5) ? sim::Ending::kDrop : sim::Ending::kReset;
    });
  });
  Episodes(Kind::kHang, 2, 10s, 5min, [this](Time until, milliseconds) {
    Hit(AnyApi(), until, 0.5, [&](Fault& fault) {
      fault.ending = sim::Ending::kHang;
      fault.after = stage_.chance.Hit(0.5);
    });
  });
}

void Planner::Errors() {
  const auto error = [this](double chance, sim::ApiError what) {
    return [this, chance, what](Time until, milliseconds) {
      Hit(AnyApi(), until, chance, [&](Fault& fault) { fault.error = what; });
    };
  };
  Episodes(Kind::kOutsideError, 3, 10s, 40min,
           error(0.7, {15, "Remote service error", "isp.remote-service-timeout", "busy"}));
  Episodes(Kind::kOutsideError, 2, 10s, 20min, [this](Time until, milliseconds) {
    Hit(AnyApi(), until, 0.7, [&](Fault& fault) {
      fault.status = stage_.chance.Hit(0.5) ? 502 : 200;
      fault.body = "<html><body>busy</body></html>";
      fault.content_type = "text/html";
    });
  });
  Episodes(Kind::kAgentError, 1, 10s, 20min, error(0.8, {25, "Invalid signature", "", ""}));
  Episodes(Kind::kApiError, 1, 10s, 20min, error(0.8, {11, "Insufficient isv permissions", "", ""}));
  Episodes(Kind::kMessageError, 2, 10s, 10min, [this](Time until, milliseconds) {
    Hit("trade.fullinfo.get", until, 0.3, [](Fault& fault) {
      fault.error = sim::ApiError{15, "Remote service error", "isv.invalid-parameter:tid", "bad"};
    });
  });
}

void Planner::Refusals() {
  Episodes(Kind::kConfirmRefused, 3, 10s, 5min, [this](Time until, milliseconds) {
    Hit("confirm", until, 0.5, [](Fault& fault) { fault.is_success = false; });
  });
  Episodes(
      Kind::kConfirmRefused, 2, 1min, 1h,
      [this](Time, milliseconds) {
        const auto& queue = stage_.platform().queue.messages();
        if (!queue.empty()) stage_.platform().refused_ids.insert(queue[stage_.chance.Below(queue.size())].id);
      },
      [this] { stage_.platform().refused_ids.clear(); });
  Episodes(Kind::kBan, 3, 1s, 15min, [this](Time until, milliseconds length) {
    Hit(AnyApi(), until, 1, [&](Fault& fault) {
      fault.times = 1;
      fault.ban = length;
      fault.ban_app = stage_.chance.Hit(0.2);
    });
  });
}

void Planner::Sessions() {
  Episodes(
      Kind::kSessionDead, 2, 1min, 1h,
      [this](Time, milliseconds) {
        auto& shops = stage_.platform().shops;
        shops.at(stage_.chance.Below(shops.all().size())).dead = true;
      },
      [this] {
        auto& shops = stage_.platform().shops;
        for (size_t i = 0; i < shops.all().size(); ++i) {
          if (!shops.at(i).dead) continue;
          shops.at(i).dead = false;
          if (!stage_.chance.Hit(0.5)) continue;
          shops.at(i).session = fmt::format("sess-{}-{}", i, stage_.Between(1, 1000000));
          machine_.Renew();
        }
      });
}

void Planner::Lag() {
  sim::Switches& switches = stage_.platform().switches;
  Episodes(
      Kind::kReadLag, 3, 1min, 1h,
      [this, &switches](Time, milliseconds) {
        switches.read_lag = stage_.Duration(1s, 2min);
        if (stage_.chance.Hit(0.5)) switches.list_lag = stage_.Duration(1s, 2min);
        if (stage_.chance.Hit(0.3)) switches.stale = 0.3;
      },
      [&switches] {
        switches.read_lag = switches.list_lag = 0ms;
        switches.stale = 0;
      });
  // A list leaves such an order out, too. A change that is hidden for longer than two windows overlap could
  // not be found by anybody.
  Episodes(
      Kind::kMovedRows, 3, 10min, 2h,
      [this, &switches](Time, milliseconds) {
        switches.move_rows = static_cast<size_t>(stage_.Between(1, 3));
      },
      [&switches] { switches.move_rows = 0; });
  Episodes(
      Kind::kHiddenOrder, 4, 1s, 2min,
      [this](Time, milliseconds) {
        auto& orders = stage_.platform().trades.orders();
        const Time young = stage_.platform().Now() - 3min;
        for (sim::Order& order : orders)
          if (order.truths.back().from > young && stage_.chance.Hit(0.5)) order.hidden_reads = 1000;
      },
      [this] {
        for (sim::Order& order : stage_.platform().trades.orders()) order.hidden_reads = 0;
      });
}

void Planner::Clock() {
  Episodes(Kind::kClockJump, 3, 1s, 2s, [this](Time, milliseconds) {
    const milliseconds jump = stage_.Duration(1s, 3h) * (stage_.chance.Hit(0.5) ? 1 : -1);
    stage_.agenda.agent.SetWall(stage_.agenda.agent.Now() + jump);
    stage_.Fired(Kind::kClockJump);
    witness_.ClockJumped();
    stage_.history.Add("** the agent's clock jumps by {} s", jump.count() / 1000);
  });
}

void Planner::Database() {
  Episodes(
      Kind::kDatabaseBusy, 3, 100ms, 1min, [this](Time, milliseconds) { judge_.Lock(); },
      [this] { judge_.Unlock(); });
  Episodes(
      Kind::kDiskFull, 2, 1s, 2min,
      [this](Time, milliseconds) { stage_.disk.faults().Full(stage_.full = true); },
      [this] { stage_.disk.faults().Full(stage_.full = false); });
  Episodes(Kind::kCrashInCommit, 3, 1s, 2s, [this](Time, milliseconds) {
    DiskFaults& disk = stage_.disk.faults();
    if (!disk.dead()) disk.CrashAt(disk.changes() + static_cast<uint64_t>(stage_.Between(1, 200)));
  });
}

void Planner::Process() {
  if (stage_.off_for > 0ms)
    stage_.agenda.At(stage_.agenda.begin() + stage_.off_at, [this] {
      stage_.chance.Hit(0.5) ? machine_.Stop(stage_.off_for) : machine_.Crash(stage_.off_for);
    });
  Episodes(Kind::kReplay, 3, 1s, 2s,
           [this](Time, milliseconds) { ReplayLetters(stage_, stage_.chance.Hit(0.5)); });
  Episodes(Kind::kStopStart, 2, 1s, 20min, [this](Time, milliseconds length) { machine_.Stop(length); });
  Episodes(Kind::kCrash, 4, 1s, 10min, [this](Time, milliseconds length) {
    if (stage_.chance.Hit(0.5)) return machine_.Crash(length);
    stage_.crash_after = stage_.Between(0, 30);
  });
}

void Planner::Plan() {
  Queue();
  Wire();
  Errors();
  Refusals();
  Sessions();
  Lag();
  Clock();
  Database();
  Process();
}

}  // namespace

void ChooseKinds(Stage& stage) {
  const bool swarm = stage.chance.Hit(0.5);
  for (bool& kind : stage.enabled) kind = !swarm || stage.chance.Hit(0.5);
  // A platform that shows the older of two truths with one modified time, once that second is over, cannot be
  // understood by anybody.
  if (stage.Has(Kind::kReadLag) && stage.Has(Kind::kSameSecond))
    stage.enabled[static_cast<size_t>(stage.chance.Hit(0.5) ? Kind::kReadLag : Kind::kSameSecond)] = false;
}

void PlanTroubles(Stage& stage, Machine& machine, Witness& witness, Judge& judge) {
  // Lives as long as the agenda that calls it.
  const auto planner = std::make_shared<Planner>(stage, machine, witness, judge);
  planner->Plan();
  stage.agenda.At(stage.agenda.begin() + stage.trouble, [planner] {});
}

void Calm(Stage& stage, Machine& machine, Witness& witness, Judge& judge) {
  stage.history.Add("== calm");
  sim::World& world = stage.platform();
  world.faults.Clear();
  world.limits.Clear();
  world.refused_ids.clear();
  world.switches.read_lag = world.switches.list_lag = 0ms;
  world.switches.stale = 0;
  world.switches.move_rows = 0;
  for (size_t i = 0; i < world.shops.all().size(); ++i) world.shops.at(i).dead = false;
  for (sim::Order& order : world.trades.orders()) order.hidden_reads = 0;
  stage.crash_after = -1;
  judge.Unlock();
  stage.full = false;
  stage.disk.faults().Full(false);
  stage.disk.faults().CrashAt(0);
  machine.Renew();
  stage.agenda.agent.SetWall(stage.agenda.platform.Now());
  witness.ClockJumped();
  world.queue.Redeliver(world.Now());
}

}  // namespace tmc::simulation
