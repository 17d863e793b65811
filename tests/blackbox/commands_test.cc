// The commands of a person, beside a running agent and after it.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <sstream>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

constexpr char kTid[] = "3812000000000210193";

// A day that is over: one order applied, one letter.
struct Day : Scene {
  std::string good, bad;
  Day() {
    Order(kTid);
    good = Message(kTid);
    bad = MessageOf(R"({"topic":"taobao_trade_TradeCreate","content":"{\"tid\":"})");
    const Ended ended = Once({"--reconcile-interval", "0"});
    REQUIRE_MESSAGE(ended.status == 65, ended.err);
  }
  Ended Do(Words words) {
    words.insert(words.end(), {"--db", Db()});
    return Agent(words);
  }
};

}  // namespace

TEST_CASE("Commands: each prints text, and with --json lines that parse") {
  Day day;
  for (const Words& words :
       {Words{"status"}, Words{"trace", "--msg-id", day.good}, Words{"trace", "--order-id", kTid},
        Words{"orders", "list"}, Words{"orders", "show", kTid}, Words{"dlq", "list"},
        Words{"dlq", "show", "1"}, Words{"version"}}) {
    CAPTURE(words[0]);
    const Ended text = day.Do(words);
    CHECK(text.status == 0);
    CHECK(text.out != "");
    CHECK(text.err == "");
    Words with_json = words;
    with_json.push_back("--json");
    const Ended json = day.Do(with_json);
    CHECK(json.status == 0);
    CHECK(json.out != "");
    std::istringstream lines(json.out);
    for (std::string line; std::getline(lines, line);) {
      json::Document document;
      CHECK_MESSAGE(!document.Parse(line), line);
      CHECK(document.root().IsObject());
    }
  }
}

TEST_CASE("Commands: the status says what fails, and no more once it works") {
  Scene scene;
  const auto status = [&] { return scene.Agent({"status", "--db", scene.Db()}).out; };
  scene.Fault(R"({"api":"consume","times":0,"status":404,"body":"no such page"})");
  const Ended lost = scene.Once({"--once-wait", "1s", "--reconcile-interval", "0"});
  CHECK(lost.status == 69);
  CHECK(lost.err.find("could not be asked for messages") != std::string::npos);
  CHECK(status().find("HTTP status 404 (is the path of --gateway right?)") != std::string::npos);
  scene.Delete("/faults");
  CHECK(scene.Once({"--reconcile-interval", "0"}).status == 0);
  CHECK(status().find("404") == std::string::npos);

  scene.Post("/sessions", R"({"shop":"123456789","dead":true})");
  CHECK(scene.Once().status == 77);
  CHECK(status().find("closed      shop:") != std::string::npos);
  CHECK(scene.Rows("SELECT count(*) FROM tally WHERE name = 'last_reconcile_at'") == "0");
}

TEST_CASE("Commands: output that cannot be written is no success") {
  Scene scene;
  REQUIRE(scene.Once({"--reconcile-interval", "0"}).status == 0);
  for (const char* command : {"status", "version"}) {
    const Ended ended = scene
                            .Spawn({.words = {"/bin/sh", "-c", "exec \"$@\" >/dev/full", "sh", AgentProgram(),
                                              command, "--db", scene.Db()}})
                            ->Wait();
    CHECK(ended.status == 74);
    CHECK(ended.err.find("standard output") != std::string::npos);
  }
}

TEST_CASE("Commands: a window that was cut off by a signal says so") {
  Scene scene;
  scene.Fault(R"({"api":"increment.get","hang":true,"times":0})");
  Words words = scene.RunWords({});
  for (const char* flag : {"--idle-max", "--reconcile-backfill"})
    words.erase(std::find(words.begin(), words.end(), flag), std::find(words.begin(), words.end(), flag) + 2);
  words[1] = "reconcile";
  words.insert(words.end(), {"--from", "2020-01-01", "--to", "2999-01-01", "--drain-timeout", "1s"});
  const auto pass = scene.Spawn({.words = words});
  CHECK(WaitUntil([&] { return scene.Calls("increment.get") > 0; }));
  pass->Signal(SIGTERM);
  const Ended ended = pass->Wait();
  CHECK_MESSAGE(ended.status == 75, ended.err);
  CHECK(ended.err.find("89 days") != std::string::npos);
}

TEST_CASE("Commands: a setting that no start can obey is 78, a window that nothing lists as well") {
  Scene scene;
  const Ended group = scene.Once({"--db-group", "no-such-group-here"});
  CHECK(group.status == 78);
  CHECK(group.err.find("no-such-group-here") != std::string::npos);
  const Ended window = scene.Agent({"reconcile", "--db", scene.Db(), "--from", "2020-01-01", "--to",
                                    "2020-01-02", "--app-key", "12345678"});
  CHECK(window.status == 78);
  CHECK(window.err.find("89 days") != std::string::npos);
  CHECK(scene.Calls("") == 0);
}

TEST_CASE("Commands: a letter is discarded with a word only, and resolved once") {
  Day day;
  CHECK(day.Do({"dlq", "discard", "1"}).status == 64);
  CHECK(day.Do({"dlq", "discard", "1", "--why", "a test, as agreed"}).status == 0);
  CHECK(day.Do({"dlq", "replay", "1"}).status == 65);
  CHECK(day.Do({"dlq", "list"}).out == "");
  CHECK(day.Rows("SELECT resolution, why FROM dead_letter") == "discarded|a test, as agreed");
}
