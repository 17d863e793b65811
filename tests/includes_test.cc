// scripts/includes: the direction of includes, as a rule that a breach of breaks the build.
#include <doctest/doctest.h>
#include <stdio.h>
#include <sys/wait.h>

#include <array>

#include "tests/support/temp_folder.h"

using namespace tmc;

namespace {

const std::string kSource = std::string(TMC_TEST_DATA) + "/../..";

struct Run {
  int status;
  std::string said;
};

Run Includes(const std::string& tree) {
  const std::string command = kSource + "/scripts/includes '" + tree + "' 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string said;
  std::array<char, 4096> part;
  while (const size_t got = fread(part.data(), 1, part.size(), pipe)) said.append(part.data(), got);
  return {WEXITSTATUS(pclose(pipe)), said};
}

// A small tree that obeys every rule.
struct Tree {
  TempFolder folder;
  Tree() {
    Put("agent/main.cc", "#include \"adapters/top/platform.h\"\n");
    Put("agent/pump.cc", "#include \"agent/inbox.h\"\n");
    Put("agent/inbox.cc", "#include \"agent/store.h\"\n#include \"schema/inbox.sql.h\"\n");
    Put("agent/store.cc", "#include <SQLiteCpp/SQLiteCpp.h>\n#include <sqlite3.h>\n");
    Put("agent/json.cc", "#include <rapidjson/document.h>\n");
    Put("agent/http.cc", "#include <curl/curl.h>\n");
    Put("agent/options.cc", "#include <cxxopts.hpp>\n");
    Put("agent/log.cc", "#include <spdlog/spdlog.h>\n");
    Put("adapters/top/platform.cc", "#include \"agent/platform.h\"\n#include \"adapters/top/sign.h\"\n");
    Put("adapters/ali1688/platform.cc", "#include \"agent/message.h\"\n");
    Put("tests/pump_test.cc", "#include \"agent/pump.h\"\n");
  }
  void Put(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(folder.Path(path)).parent_path());
    folder.File(path, content);
  }
  Run Check() const { return Includes(folder.Path("")); }
};

}  // namespace

TEST_CASE("Includes: the project's own tree goes one way") {
  const Run run = Includes(kSource);
  INFO(run.said);
  CHECK(run.status == 0);
}

TEST_CASE("Includes: a small tree that obeys passes") {
  const Run run = Tree().Check();
  INFO(run.said);
  CHECK(run.status == 0);
}

TEST_CASE("Includes: each kind of breach is found, and its file named") {
  const std::pair<const char*, const char*> breaches[] = {
      {"agent/agent.cc", "#include \"adapters/top/platform.h\""},
      {"agent/commands/run.cc", "#include \"adapters/top/platform.h\""},
      {"agent/clock.h", "#include \"tests/support/fake_clock.h\""},
      {"adapters/top/wire.cc", "#include \"tests/support/top_samples.h\""},
      {"adapters/top/wire.cc", "#include \"agent/inbox.h\""},
      {"adapters/top/wire.h", "#include \"agent/pump.h\""},
      {"adapters/top/wire.cc", "#include \"agent/pacer.h\""},
      {"adapters/ali1688/wire.cc", "#include \"adapters/top/sign.h\""},
      {"adapters/top/wire.cc", "#include \"adapters/ali1688/sign.h\""},
      {"agent/pump.h", "#include \"schema/inbox.sql.h\""},
      {"agent/worker.cc", "#include <SQLiteCpp/Database.h>"},
      {"agent/reconciler.cc", "#include <sqlite3.h>"},
      {"agent/inbox.h", "#include <SQLiteCpp/Database.h>"},
      {"agent/agent.cc", "#include \"schema/inbox.sql.h\""},
      {"agent/event.cc", "#include <rapidjson/writer.h>"},
      {"adapters/top/wire.cc", "#include \"rapidjson/document.h\""},
      {"agent/agent.cc", "#include <curl/curl.h>"},
      {"agent/main.cc", "#include <cxxopts.hpp>"},
      {"agent/loop.cc", "#include <spdlog/spdlog.h>"},
      {"agent/order.h", "#include \"agent/store.h\""},
      {"agent/verdict.cc", "#include \"agent/pump.h\""},
      {"agent/loop.cc", "  #  include   <curl/multi.h>"},
  };
  for (const auto& [path, line] : breaches) {
    CAPTURE(path);
    CAPTURE(line);
    const Tree tree;
    tree.Put(path, std::string("#pragma once\n") + line + "\n");
    const Run run = tree.Check();
    CHECK(run.status == 1);
    CHECK(run.said.find(path) != std::string::npos);
  }
}
