// The whole agent in this process, its loops in their threads: started and stopped again and again while
// messages come. Its point is a run under the thread sanitizer.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "adapters/top/platform.h"
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/stop_signals.h"
#include "tests/blackbox/scene.h"

using namespace tmc;
using namespace std::chrono_literals;

namespace {

constexpr int kStarts = 200;

// One start to its end. `until` runs beside it and sends the one signal that ends it.
template <typename Until>
int RunAgent(Scene& scene, uint64_t seed, Until until) {
  Settings settings;
  settings.app_key = "12345678";
  settings.rate = 2000;
  settings.idle_min = settings.idle_max = 20ms;
  settings.reconcile_interval = 50ms;
  settings.reconcile_lag = 0ms;
  settings.reconcile_backfill = 1h;
  const SystemClock clock;
  const auto platform = top::MakeTop({.gateway = scene.gateway(), .app_key = settings.app_key, .group = ""});
  Secrets secrets({scene.folder.Path("secret"), scene.folder.Path("session"), "", ""});
  REQUIRE_FALSE(secrets.Load());
  PlatformClock platform_clock(clock);
  Pacer pacer(settings.rate, clock, seed);
  const Shared shared{settings, *platform, clock, platform_clock, pacer, secrets};
  Agent agent(shared, {.path = scene.Db(), .create = true}, {.connections = 4, .ca_file = ""}, seed);
  const std::jthread beside(until);
  return agent.Run(std::nullopt);
}

void Tell(int signal) {
  kill(getpid(), signal);
}

// What was sent after the end must not meet the next start.
void ForgetSignals() {
  while (stop_signals::Wait(0ms) != 0) {
  }
}

}  // namespace

TEST_CASE("Threads: 200 starts and stops while messages come, nothing is lost and nothing races") {
  stop_signals::Block();
  log::Open(log::Level::kError, log::Format::kText, "");
  Scene scene;
  std::mt19937_64 random(1);
  std::set<std::string> ids;
  for (int i = 0; i < kStarts; ++i) {
    const std::string tid = std::to_string(1001 + i);
    scene.Post("/orders", fmt::format(R"({{"tid":"{}","status":"WAIT_SELLER_SEND_GOODS","at":"-1s"}})", tid));
    if (i % 3) ids.insert(scene.Message(tid));
    const int before = scene.Calls("");
    const auto moment = std::chrono::milliseconds(random() % 30);
    const int status = RunAgent(scene, random(), [&, i] {
      if (i % 4 == 0) WaitUntil([&] { return scene.Calls("") > before; });
      std::this_thread::sleep_for(moment);  // the moment is the test's input
      if (i % 5 == 0) Tell(SIGHUP);
      if (i % 7 == 0) Tell(SIGUSR1);
      Tell(SIGTERM);
    });
    CHECK(status == 0);
    ForgetSignals();
  }
  scene.Post("/redeliver", "{}");
  const Ended ended = scene.Once({"--reconcile-lag", "0"});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Confirmed() == ids);
  CHECK(scene.Rows("SELECT count(*) FROM order_history") == std::to_string(kStarts));
  CHECK(scene.Rows("PRAGMA integrity_check") == "ok");
  CHECK(scene.Violations() == "");
}
