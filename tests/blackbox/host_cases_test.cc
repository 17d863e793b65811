// Faults of the machine that others met in the field: clocks, window borders, locks, modes, commas.
#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/blackbox/scene.h"

using namespace tmc;
using namespace std::chrono_literals;

namespace {

const Words kPasses{"--reconcile-interval", "1s", "--reconcile-lag", "0"};

// A whole second so long ago, as the platform writes it.
std::string Ago(std::chrono::seconds time) {
  const auto then = std::chrono::system_clock::now() - time + 8h;
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(then)));
}

std::string OrderAt(int tid, const std::string& at) {
  return fmt::format(R"({{"tid":"{}","status":"WAIT_SELLER_SEND_GOODS","at":"{}"}},)", tid, at);
}

// `given`: the one that is as wide as a person made it.
void NoBitsForOthers(const Scene& scene, const std::string& given) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(scene.folder.Path("state"))) {
    if (entry.path() != given) CHECK_MESSAGE((ModeOf(entry.path()) & 0077) == 0, entry.path());
    ++files;
  }
  CHECK(files >= 2);
}

}  // namespace

TEST_CASE("Cases: B28 a local clock three minutes off skips no order, and is spoken of once") {
  for (const char* offset : {"-3m", "3m"}) {
    CAPTURE(offset);
    Scene scene({"--clock-offset", offset});
    Child& agent = scene.Start(kPasses);
    REQUIRE(WaitUntil([&] { return scene.Calls("increment.get") > 1; }));
    scene.Post("/orders", R"({"tid":"1001","status":"WAIT_SELLER_SEND_GOODS","at":"+0s"})");
    CHECK(scene.RowsBecome("SELECT order_id, source FROM order_snapshot", "1001|reconcile") ==
          "1001|reconcile");
    CHECK(agent.Running());
    const Ended ended = scene.Stop();
    CHECK(ended.status == 0);
    const size_t said = ended.err.find("clock");
    REQUIRE_MESSAGE(said != std::string::npos, ended.err);
    CHECK(ended.err.find("clock", ended.err.find('\n', said)) == std::string::npos);
    CHECK(scene.Violations() == "");
  }
}

TEST_CASE("Cases: B43 250 orders of one second, more on both sides of it, come each once") {
  Scene scene;
  scene.Post("/switches", R"({"shuffle_ties":true})");
  std::string orders = "[";
  for (int i = 0; i < 250; ++i) orders += OrderAt(2000 + i, Ago(1200s));
  for (int i = 0; i < 3; ++i) orders += OrderAt(3000 + i, Ago(1201s)) + OrderAt(4000 + i, Ago(1199s));
  orders.back() = ']';
  scene.Post("/orders", orders);
  const Words patient{"--once-wait", "90s"};  // a pass looks again after 10 s where a reading brought nothing
  CHECK(scene.Once(patient).status == 0);
  CHECK(scene.Rows("SELECT count(*) FROM order_history") == "256");
  CHECK(scene.Calls("fullinfo.get") == 256);
  CHECK(scene.Calls("increment.get") < 200);
  CHECK(scene.Rows("SELECT count(*) FROM short_slice") == "0");
  // No storm after a restart.
  scene.Delete("/record");
  CHECK(scene.Once(patient).status == 0);
  CHECK(scene.Calls("fullinfo.get") == 0);
  CHECK(scene.Calls("increment.get") < 10);
  CHECK(scene.Rows("SELECT count(*) FROM order_history") == "256");
  CHECK(scene.Violations() == "");
}

TEST_CASE("Cases: B55 another program that locks, reads, opens and closes all the time costs nothing") {
  Scene scene;
  Child& agent = scene.Start(kPasses);
  REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
  std::atomic<bool> over = false;
  const auto each_5_ms = [&](auto&& action) {
    return std::jthread([&over, action] {
      for (; !over; std::this_thread::sleep_for(5ms)) action();  // the fault itself, not a wait for something
    });
  };
  SQLite::Database other(scene.Db(), SQLite::OPEN_READWRITE, 5000);
  std::set<std::string> ids;
  {
    const auto locker = each_5_ms([&] { other.exec("BEGIN IMMEDIATE; COMMIT"); });
    const auto reader = each_5_ms([&] { scene.Rows("SELECT count(*) FROM inbound_message"); });
    for (int i = 0; i < 60; ++i) {
      scene.Order(std::to_string(1001 + i));
      ids.insert(scene.Message(std::to_string(1001 + i)));
      if (i % 10 == 0)
        for (const Words& command : {Words{"status"}, Words{"dlq", "list"}, Words{"orders", "list"}}) {
          Words words = command;
          words.insert(words.end(), {"--db", scene.Db()});
          CHECK(scene.Agent(words).status == 0);
        }
    }
    CHECK(WaitUntil([&] { return scene.Confirmed() == ids; }));
    over = true;
  }
  CHECK(scene.Rows("PRAGMA integrity_check") == "ok");
  CHECK(agent.Running());
  const Ended ended = scene.Stop();
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK_MESSAGE(ended.err.find("lock") == std::string::npos, ended.err);
  CHECK(scene.Rows("SELECT count(*), max(attempts) FROM inbound_message WHERE channel = 'tmc'") == "60|0");
  CHECK(scene.Rows("SELECT count(*) FROM order_history") == "60");
  CHECK(scene.Rows("PRAGMA integrity_check") == "ok");
}

TEST_CASE("Cases: B59 nobody else can read a file of the agent, whatever the umask") {
  for (const char* mask : {"000", "022", "077"}) {
    CAPTURE(mask);
    Scene scene;
    const std::string state = scene.folder.Path("state"), log = state + "/agent.log";
    std::filesystem::create_directory(state);
    Words words{"/bin/sh", "-c", fmt::format("umask {}; exec \"$@\"", mask), "sh"};
    for (const std::string& word : scene.RunWords({"--db", state + "/tmc.db", "--log-file", log}))
      words.push_back(word);
    for (int start = 0; start < 2; ++start) {
      const auto agent = scene.Spawn({.words = words});
      scene.Order(std::to_string(1001 + start));
      const std::string id = scene.Message(std::to_string(1001 + start));
      CHECK(WaitUntil([&] { return scene.Confirmed().contains(id); }));
      NoBitsForOthers(scene, "");
      std::filesystem::rename(log, log + ".1");
      agent->Signal(SIGHUP);
      CHECK(WaitUntil([&] { return std::filesystem::exists(log); }));
      NoBitsForOthers(scene, "");
      agent->Signal(SIGTERM);
      CHECK(agent->Wait().status == 0);
    }
    // A log file that a person made too wide is spoken of; it may be logrotate's choice.
    std::filesystem::permissions(log, std::filesystem::perms(0644));
    CHECK(scene.Once({"--db", state + "/tmc.db", "--log-file", log}).status == 0);
    CHECK(FileContent(log).find("chmod 640 " + log) != std::string::npos);
    NoBitsForOthers(scene, log);
  }
}

TEST_CASE("Cases: B72 a log that is cut from outside is written on from its begin, a removed one after HUP") {
  Scene scene;
  const std::string log = scene.folder.Path("agent.log");
  Child& agent = scene.Start({"--log-file", log, "--reconcile-interval", "0"});
  const auto fails = [&] {  // whatever is logged
    const size_t size = FileContent(log).size();
    scene.Fault(R"({"api":"consume","times":1,"status":502})");
    return WaitUntil([&] { return FileContent(log).size() != size; });
  };
  CHECK(fails());
  std::filesystem::resize_file(log, 0);
  CHECK(fails());
  CHECK(FileContent(log).find('\0') == std::string::npos);
  std::filesystem::remove(log);
  agent.Signal(SIGHUP);
  CHECK(WaitUntil([&] { return std::filesystem::exists(log); }));
  CHECK(fails());
  for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", agent.pid()))) {
    std::error_code gone;
    CHECK(std::filesystem::read_symlink(entry, gone).string().find("(deleted)") == std::string::npos);
  }
  CHECK(scene.Stop().status == 0);
}

TEST_CASE("Cases: B75 a comma splits no value, save in the one list that says so") {
  Scene scene;
  std::filesystem::create_directory(scene.folder.Path("a,b"));
  const std::string db = scene.folder.Path("a,b/tmc.db"), log = scene.folder.Path("a,b/x,\"y\".log");
  scene.folder.File("a,b/session", "session-1\n");
  scene.Order("1001");
  scene.Post("/scenario", R"({"app":{"groups":["{\"k\":\"1\",\"l\":\"2\"}"]}})");
  scene.Post("/messages",
             R"({"topic":"taobao_trade_TradeBuyerPay","tid":"1001","group":"{\"k\":\"1\",\"l\":\"2\"}"})");
  const Ended ended =
      scene.Once({"--db", db, "--log-file", log, "--session-file", scene.folder.Path("a,b/session"),
                  "--group", R"({"k":"1","l":"2"})", "--reconcile-interval", "0"});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(std::filesystem::exists(log));
  SQLite::Database database(db);
  CHECK(database.execAndGet("SELECT count(*) FROM inbound_message WHERE state = 'applied'").getInt() == 1);
  const auto permit = [&](const char* topics) {
    return scene.Agent({"permit", "--gateway", scene.gateway(), "--app-key", "12345678", "--app-secret-file",
                        scene.folder.Path("secret"), "--session-file", scene.folder.Path("session"), "--yes",
                        "--topics", topics});
  };
  CHECK(permit("taobao_trade_TradeCreate,,taobao_trade_TradeBuyerPay").status == 64);
  CHECK(scene.Calls("permit") == 0);
  CHECK(permit("taobao_trade_TradeCreate,taobao_trade_TradeBuyerPay").status == 0);
  const Ended help = scene.Agent({"permit", "--help"});
  CHECK(help.out.find("separated by commas") != std::string::npos);
}
