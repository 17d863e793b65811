// Bad input: a command line that cannot be obeyed.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

struct Refusal {
  const char* about;
  Words more;           // behind or instead of the good flags
  const char* without;  // this flag and its value are left out
  int status;
  const char* named;
};

Words Without(Words words, std::string_view flag) {
  const auto at = std::find(words.begin(), words.end(), flag);
  if (at != words.end()) words.erase(at, at + 2);
  return words;
}

std::set<std::string> Names(const Scene& scene) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(scene.folder.Path("")))
    if (const std::string name = entry.path().filename(); !name.starts_with("child-")) names.insert(name);
  return names;
}

const Refusal kRefusals[] = {
    {"no app key", {}, "--app-key", 78, "--app-key"},
    {"no secret", {}, "--app-secret-file", 78, "--app-secret-file"},
    {"no database", {}, "--db", 78, "--db"},
    {"plain http to another machine", {"--gateway", "http://example.com/rest"}, "", 78, "--gateway"},
    {"idle times the wrong way round", {"--idle-min", "10s", "--idle-max", "1s"}, "", 78, "--idle-m"},
    {"an unknown flag", {"--parralel", "4"}, "", 64, "--parralel"},
    {"a stray word", {"now"}, "", 64, "now"},
    {"a batch below the platform's least", {"--batch", "5"}, "", 64, "--batch"},
    {"a batch beyond its most", {"--batch", "201"}, "", 64, "--batch"},
    {"no calls at all", {"--rate", "0"}, "", 64, "--rate"},
    {"a rate that is no number", {"--rate", "many"}, "", 64, "--rate"},
    {"a value missing", {"--parallel"}, "", 64, "--parallel"},
    {"an unknown platform", {"--platform", "amazon"}, "", 64, "--platform"},
    {"a flag twice", {"--parallel", "4", "--parallel", "5"}, "", 64, "--parallel"},
};

}  // namespace

TEST_CASE("Bad input: flags that cannot be obeyed are named before anything is opened") {
  Scene scene;
  scene.Message("1001");
  const auto before = Names(scene);
  for (const Refusal& refusal : kRefusals) {
    CAPTURE(refusal.about);
    Words words = Without(scene.RunWords(refusal.more), refusal.without);
    words.insert(words.begin() + 2, "--once");
    const Ended ended = scene.Spawn({.words = words})->Wait();
    CHECK_MESSAGE(ended.status == refusal.status, ended.err);
    CHECK_MESSAGE(ended.err.find(refusal.named) != std::string::npos, ended.err);
    CHECK(ended.out == "");
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  }
  const Ended unknown = scene.Agent({"runn", "--db", scene.Db()});
  CHECK(unknown.status == 64);
  CHECK(unknown.err.find("runn") != std::string::npos);
  CHECK(Names(scene) == before);
  CHECK(scene.Calls("") == 0);
}
