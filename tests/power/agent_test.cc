#include "agent/agent.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "adapters/top/platform.h"
#include "tests/simulator/control.h"
#include "tests/simulator/server.h"
#include "tests/support/memory_vfs.h"
#include "tests/support/temp_folder.h"

namespace tmc {
namespace {

// The agent as `run` makes it, with its threads and sockets; only the disk is in memory.
struct Running {
  Running() {
    Post("/shops", R"({"user_id":"900001","nick":"seller_a","session":"sess-A"})");
    for (int i = 10; i < 20; ++i) {
      Post("/orders", fmt::format(R"({{"tid":"38120000000000{}","at":"-1h"}})", i));
      Post("/messages", fmt::format(R"({{"topic":"taobao_trade_TradeCreate","tid":"38120000000000{}"}})", i));
    }
    settings.app_key = "12345678";
    settings.rate = 1000;
    settings.reconcile_interval = 0ms;
    folder.File("secret", "helloworld\n");
    folder.File("sessions", "900001 sess-A\n");
    Store(options).Exec("SELECT 1");  // made before anything fails
  }

  void Post(const std::string& path, const std::string& body) {
    sim::SimRequest request;
    request.path = path;
    request.body = body;
    REQUIRE(sim::Control(heart).Handle(request).status == 200);
  }

  // A process that runs until it fails, or --once.
  int Live(bool once) {
    sim::Server server(heart, {});
    const auto platform =
        top::MakeTop({.gateway = fmt::format("http://127.0.0.1:{}/router/rest", server.gateway_port()),
                      .app_key = settings.app_key,
                      .group = settings.group});
    Secrets secrets({folder.Path("secret"), folder.Path("sessions"), "", ""});
    REQUIRE_FALSE(secrets.Load());
    PlatformClock platform_clock(clock);
    Pacer pacer(settings.rate, clock, 1);
    const Shared shared{settings, *platform, clock, platform_clock, pacer, secrets};
    Agent agent(shared, options, HttpSettings{}, 1);
    return once ? agent.RunOnce() : agent.Run(30s);
  }

  int64_t Count(const std::string& sql) {
    SQLite::Database database(options.path, SQLite::OPEN_READWRITE, 0, disk.name());
    return database.execAndGet(sql).getInt64();
  }

  SystemClock clock;
  TempFolder folder;
  MemoryVfs disk{"running", clock};
  StoreOptions options{.path = "/tmc.db", .create = true, .vfs = disk.name()};
  Settings settings;
  sim::Heart heart{clock, 1};
};

}  // namespace

TEST_CASE("Power: a failed sync ends the agent with 74, and the next start recovers") {
  Running running;
  int at_start = 0, in_loops = 0;
  for (uint64_t n = 1; n <= 6; ++n) {
    running.disk.Reopen();
    running.Post("/redeliver", "{}");  // what was handed out to a process that failed
    running.disk.faults().FailSyncAt(n);
    try {
      const int status = running.Live(false);
      CHECK(status == 74);
      ++in_loops;
    } catch (const StoreError& error) {  // main leaves with 74 for it
      CHECK(error.kind() == StoreError::Kind::kFatal);
      ++at_start;
    }
  }
  CHECK(at_start > 0);
  CHECK(in_loops > 1);
  running.disk.Reopen();
  running.Post("/redeliver", "{}");
  CHECK(running.Live(true) == 0);
  CHECK(running.heart.world().queue.Count().confirmed == 10);
  CHECK(running.Count("SELECT count(*) FROM inbound_message WHERE state = 'applied'") == 10);
  CHECK(running.Count("SELECT count(*) FROM order_history") == 10);
}

}  // namespace tmc
