// What signals do to a running agent; none of them loses a row.
#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

constexpr char kTid[] = "3812000000000210193";
const Words kQuiet{"--reconcile-interval", "0"};

Words With(Words more) {
  more.insert(more.end(), kQuiet.begin(), kQuiet.end());
  return more;
}

void Hang(Scene& scene) {
  scene.Order(kTid);
  scene.Message(kTid);
  scene.Fault(R"({"api":"fullinfo.get","hang":true,"times":0})");
}

}  // namespace

TEST_CASE("Signals: TERM finishes what is in hand, confirms it, and leaves with 0") {
  Scene scene;
  for (int n = 0; n < 20; ++n) {
    scene.Order(std::to_string(3812000000000210100 + n));
    scene.Message(std::to_string(3812000000000210100 + n));
  }
  scene.Fault(R"({"api":"fullinfo.get","delay":"100ms","times":0})");
  scene.Start(kQuiet);
  REQUIRE(WaitUntil([&] { return scene.Calls("fullinfo.get") > 0; }));
  const Ended ended = scene.Stop();
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Rows("SELECT count(*) FROM inbound_message WHERE state = 'enriching'") == "0");
  CHECK(scene.Rows(
            "SELECT count(*) FROM inbound_message WHERE settled_at IS NOT NULL AND confirmed_at IS NULL") ==
        "0");
  CHECK(scene.Rows("SELECT count(*) > 0 FROM inbound_message WHERE confirmed_at IS NOT NULL") == "1");
  CHECK(scene.Rows("SELECT max(attempts) FROM inbound_message") == "0");
}

TEST_CASE("Signals: TERM with a hung read gives the claim back within --drain-timeout") {
  Scene scene;
  Hang(scene);
  scene.Start(With({"--drain-timeout", "1s"}));
  REQUIRE(WaitUntil([&] { return scene.Calls("fullinfo.get") > 0; }));
  const auto began = std::chrono::steady_clock::now();
  CHECK(scene.Stop().status == 75);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(10));
  CHECK(scene.Rows("SELECT state, attempts, due_at IS NOT NULL FROM inbound_message") == "received|0|1");
  scene.Delete("/faults");
  CHECK(scene.Once(kQuiet).status == 0);
  CHECK(scene.Rows("SELECT state FROM inbound_message") == "applied");
}

TEST_CASE("Signals: a second TERM leaves at once, and the next start recovers") {
  Scene scene;
  Hang(scene);
  Child& agent = scene.Start(With({"--drain-timeout", "10m"}));
  REQUIRE(WaitUntil([&] { return scene.Calls("fullinfo.get") > 0; }));
  agent.Signal(SIGTERM);
  REQUIRE(WaitUntil([&] { return agent.Err().find("stopping") != std::string::npos; }));
  CHECK(agent.Running());
  CHECK(scene.Stop().status == 75);
  scene.Delete("/faults");
  CHECK(scene.Once(kQuiet).status == 0);
  CHECK(scene.Rows("SELECT state, confirmed_at IS NOT NULL FROM inbound_message") == "applied|1");
}

TEST_CASE("Signals: HUP opens the log file anew, narrow, USR1 writes the status to it") {
  Scene scene;
  const std::string log = scene.folder.Path("agent.log"), old = scene.folder.Path("agent.log.1");
  Child& agent = scene.Start(With({"--log-file", log}));
  REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
  std::filesystem::rename(log, old);
  agent.Signal(SIGHUP);
  CHECK(WaitUntil([&] { return std::filesystem::exists(log); }));
  CHECK(ModeOf(log) == 0600);
  agent.Signal(SIGUSR1);
  CHECK(WaitUntil([&] { return scene.folder.Read("agent.log").find("pump: ") != std::string::npos; }));
  CHECK(scene.folder.Read("agent.log.1").find("pump: ") == std::string::npos);
  CHECK(scene.Stop().status == 0);
}

TEST_CASE("Signals: PIPE and closed outputs harm nobody") {
  Scene scene;
  Words words{"/bin/sh", "-c", "exec \"$@\" >&- 2>&-", "sh"};
  const Words run = scene.RunWords(kQuiet);
  words.insert(words.end(), run.begin(), run.end());
  const auto agent = scene.Spawn({.words = words});
  REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
  agent->Signal(SIGPIPE);
  scene.Order(kTid);
  scene.Message(kTid);
  CHECK(scene.RowsBecome("SELECT state FROM inbound_message WHERE confirmed_at IS NOT NULL", "applied") ==
        "applied");
  agent->Signal(SIGTERM);
  CHECK(agent->Wait().status == 0);
  CHECK(scene.Rows("PRAGMA integrity_check") == "ok");
}
