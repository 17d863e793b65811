// Who may run on which database.
#include <doctest/doctest.h>
#include <unistd.h>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

Ended RunBeside(Scene& scene, const Words& more) {
  return scene.Spawn({.words = scene.RunWords(more)})->Wait();
}

}  // namespace

TEST_CASE("Instances: a second agent on one database leaves with 75 and names the first") {
  Scene scene;
  Child& first = scene.Start({"--reconcile-interval", "0"});
  REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
  const Ended second = RunBeside(scene, {});
  CHECK(second.status == 75);
  CHECK(second.err.find("process " + std::to_string(first.pid())) != std::string::npos);
  CHECK(second.err.find(scene.Db()) != std::string::npos);
  const Ended once = scene.Once();
  CHECK(once.status == 75);
  CHECK(first.Running());
}

TEST_CASE("Instances: with --if-not-running the second is silent and fine, for cron") {
  Scene scene;
  scene.Start({"--reconcile-interval", "0"});
  REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
  const Ended second = RunBeside(scene, {"--if-not-running"});
  CHECK(second.status == 0);
  CHECK(second.out == "");
  CHECK(second.err == "");
}

TEST_CASE("Instances: the lock goes with the process, however it ended") {
  Scene scene;
  Child& first = scene.Start({"--reconcile-interval", "0"});
  REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
  first.Kill();
  const Ended next = scene.Once({"--if-not-running"});
  CHECK_MESSAGE(next.status == 0, next.err);
  CHECK(next.err != "");  // it ran
}

TEST_CASE("Instances: of two that start at once, one runs") {
  Scene scene;
  const auto a = scene.Spawn({.words = scene.RunWords({"--reconcile-interval", "0"})});
  const auto b = scene.Spawn({.words = scene.RunWords({"--reconcile-interval", "0"})});
  REQUIRE(WaitUntil([&] { return a->Running() != b->Running(); }));
  Child& loser = a->Running() ? *b : *a;
  CHECK(loser.Wait().status == 75);
}

namespace {

// The lock's file holds the number of a process that lives, but is no agent: this one's.
Ended OnceWithStrangeNumber(const char* program, const Words& environment) {
  Scene scene;
  scene.folder.File("tmc.db.lock", std::to_string(getpid()));
  Words words = scene.RunWords({"--once"});
  words[0] = program;
  return scene.Spawn({.words = words, .environment = environment})->Wait();
}

}  // namespace

TEST_CASE("Instances: what stands in the lock's file locks nobody out") {
  const Ended ended = OnceWithStrangeNumber(TMC_AGENT, {});
  CHECK_MESSAGE(ended.status == 0, ended.err);
#ifdef TMC_AGENT_MISTAKEN
  CHECK_MESSAGE(OnceWithStrangeNumber(TMC_AGENT_MISTAKEN, {"TMC_MISTAKE=pid-file"}).status == 75,
                "a lock by number would be found out");
#endif
}

TEST_CASE("Instances: a slip in the very first start binds the database to nothing") {
  Scene scene;
  CHECK(scene.Once({"--app-key", "999"}).status == 77);
  CHECK(scene.Once().status == 0);
  CHECK(scene.Rows("SELECT value FROM meta WHERE key = 'app_key'") == "12345678");
}

TEST_CASE("Instances: a database of another app key or group is refused, and nothing is called") {
  Scene scene({"--group", "east"});
  REQUIRE(scene.Once({"--group", "east"}).status == 0);
  const int calls = scene.Calls("");
  for (const Words& other :
       {Words{"--group", "east", "--app-key", "87654321"}, Words{"--group", "west"}, Words{}}) {
    const Ended ended = scene.Once(other);
    CHECK(ended.status == 78);
    CHECK(ended.err.find("belongs to") != std::string::npos);
  }
  CHECK(scene.Calls("") == calls);
  CHECK(scene.Once({"--group", "east"}).status == 0);
}
