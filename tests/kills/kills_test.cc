// The real binary under load, ended at random moments. TMC_KILLS says how many ends (a long run: 10000).
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>

#include "tests/kills/siege.h"

using namespace tmc;
using namespace std::chrono_literals;

namespace {

constexpr int kEach = 50;  // ends of one siege, before it is judged to the end

int Number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

uint64_t Seed() {
  return static_cast<uint64_t>(Number("TMC_KILLS_SEED", 1));
}

}  // namespace

TEST_CASE("Kills: nothing is lost and nothing done twice, whenever the process is killed") {
  const int kills = Number("TMC_KILLS", TMC_KILLS_DEFAULT);
  for (int done = 0; done < kills;) {
    const uint64_t seed = Seed() + static_cast<uint64_t>(done / kEach);
    CAPTURE(seed);
    Siege siege(seed);
    for (int i = 0; i < kEach && done < kills; ++i, ++done) {
      siege.Load();
      Child& agent = siege.Start();
      Siege::Pass(siege.Moment(i % 10 == 0 ? 1500 : 250));
      CHECK_MESSAGE(agent.Running(), agent.Err());
      if (i % 5 == 0) {  // in the middle of a drain
        agent.Signal(SIGTERM);
        Siege::Pass(siege.Moment(20));
      }
      agent.Kill();
      siege.JudgeNow();
    }
    siege.JudgeAtTheEnd();
    MESSAGE("seed " << seed << ": " << done << " kills");
  }
}

TEST_CASE("Kills: a process that stood still for longer than a redelivery goes on as if nothing was") {
  Siege siege(Seed());
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 4; ++k) siege.Load();
    Child& agent = siege.Start();
    REQUIRE(WaitUntil([&] { return siege.scene.Calls("consume") > 0; }));
    Siege::Pass(siege.Moment(300));
    agent.Signal(SIGSTOP);
    Siege::Pass(1500ms);
    siege.Load();
    agent.Signal(SIGCONT);
    Siege::Pass(siege.Moment(300));
    if (i % 2 == 0) CHECK(siege.scene.Stop().status == 0);
    agent.Kill();
    siege.JudgeNow();
  }
  siege.JudgeAtTheEnd();
}

TEST_CASE("Kills: every ordered pair of signals, close together, loses nothing") {
  const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};
  Siege siege(Seed());
  for (const int first : signals) {
    for (const int second : signals) {
      CAPTURE(first);
      CAPTURE(second);
      siege.Load();
      Child& agent = siege.Start();
      REQUIRE(WaitUntil([&] { return siege.scene.Calls("consume") > 0; }));
      agent.Signal(first);
      Siege::Pass(siege.Moment(10));
      agent.Signal(second);
      const auto stops = [](int signal) { return signal == SIGTERM || signal == SIGINT; };
      if (stops(first) || stops(second)) {
        const int status = agent.Wait().status;
        CHECK_MESSAGE((status == 0 || (stops(first) && stops(second) && status == 75)), status);
      } else {
        CHECK(agent.Running());
        CHECK(siege.scene.Stop().status == 0);
      }
      siege.JudgeNow();
    }
  }
  siege.JudgeAtTheEnd();
}
