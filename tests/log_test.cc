#include "agent/log.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "agent/json.h"
#include "tests/support/temp_folder.h"

using namespace tmc;

namespace {

// The log is the process's: whatever a test opened is closed again.
struct OpenLog {
  explicit OpenLog(const std::string& file, log::Level level = log::Level::kInfo,
                   log::Format format = log::Format::kText) {
    log::Open(level, format, file);
  }
  ~OpenLog() { log::Open(log::Level::kInfo, log::Format::kText, ""); }
};

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

const std::string kForged = "x\n[2026-03-05 00:00:00.000] [info] order 1 confirmed\r\x1B[2J";

const std::vector<std::string> kHostile = {kForged,
                                           "\xC2\x85",
                                           "\xE2\x80\xA8",
                                           "\xE2\x80\xA9",
                                           "\xE2\x80\xAE"
                                           "cod.exe",
                                           std::string("a\0b", 3),
                                           "{} {0} {:1000000000} %n %s",
                                           "\xD5\xC5\xC8\xFD",
                                           "\x7F",
                                           std::string(1'000'000, 'x'),
                                           std::string(1'000'000, '\n')};

}  // namespace

TEST_CASE("Log: what a terminal or a line reader would obey is escaped") {
  CHECK(log::Printable(kForged) == "x\\n[2026-03-05 00:00:00.000] [info] order 1 confirmed\\r\\u001b[2J");
  CHECK(log::Printable(std::string_view("a\0b\t", 4)) == "a\\u0000b\\t");
  CHECK(log::Printable("\xC2\x85\xE2\x80\xA8\xE2\x80\xA9\x7F") == "\\u0085\\u2028\\u2029\\u007f");
  CHECK(log::Printable("\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8F\xD8\x9C") == "\\u202e\\u2066\\u200f\\u061c");
  CHECK(log::Printable("中文 é 😀 {} %n \"\\") == "中文 é 😀 {} %n \"\\");
}

TEST_CASE("Log: bytes that are not UTF-8 become the replacement character") {
  CHECK(log::Printable("a\xFF\xE4\xB8") == "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("Log: a long text is cut with a mark, between two characters") {
  CHECK(log::Printable(std::string(2048, 'x')) == std::string(2048, 'x'));
  CHECK(log::Printable(std::string(2050, 'x')) == std::string(2048, 'x') + "…[2 more bytes]");
  CHECK(log::Printable("中中中", 8) == "中中…[3 more bytes]");
}

TEST_CASE("Log: one record is one line in text") {
  const TempFolder folder;
  const OpenLog open(folder.Path("log"));
  for (const std::string& text : kHostile) log::Warn("order.read", text);
  const auto lines = LinesOf(folder.Read("log"));
  REQUIRE(lines.size() == kHostile.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i].substr(24) == " warn  order.read: " + log::Printable(kHostile[i]));
    CHECK(lines[i][10] == 'T');
    CHECK(lines[i][23] == 'Z');
  }
}

TEST_CASE("Log: one record is one JSON object a line") {
  const TempFolder folder;
  const OpenLog open(folder.Path("log"), log::Level::kInfo, log::Format::kJson);
  for (const std::string& text : kHostile) log::Error(text, text);
  const auto lines = LinesOf(folder.Read("log"));
  REQUIRE(lines.size() == kHostile.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    json::Document document;
    REQUIRE_FALSE(document.Parse(lines[i]));
    CHECK(document.root()["ts"].Text()->size() == 24);
    CHECK(document.root()["level"].Text() == "error");
    CHECK(document.root()["event"].Text() == log::Printable(kHostile[i], 64));
    CHECK(document.root()["msg"].Text() == log::Printable(kHostile[i]));
  }
}

TEST_CASE("Log: records below the level are left out") {
  const TempFolder folder;
  const OpenLog open(folder.Path("log"), log::Level::kWarn);
  log::Debug("a", "1");
  log::Info("a", "2");
  log::Warn("a", "3");
  log::Error("a", "4");
  CHECK(LinesOf(folder.Read("log")).size() == 2);
}

TEST_CASE("Log: the file is the owner's alone whatever the umask, and is added to") {
  const TempFolder folder;
  const mode_t before = umask(0);
  {
    const OpenLog open(folder.Path("log"));
    log::Info("a", "first");
  }
  umask(before);
  CHECK(ModeOf(folder.Path("log")) == 0600);
  const OpenLog again(folder.Path("log"));
  log::Info("a", "second");
  CHECK(LinesOf(folder.Read("log")).size() == 2);
}

TEST_CASE("Log: a file that cannot be opened is a sentence") {
  CHECK_THROWS_WITH_AS(log::Open(log::Level::kInfo, log::Format::kText, "/nowhere/log"),
                       "could not open the log file /nowhere/log: No such file or directory",
                       std::runtime_error);
}

TEST_CASE("Log: after Reopen records go to a new file, none is lost between") {
  const TempFolder folder;
  const OpenLog open(folder.Path("log"));
  std::jthread writer([] {
    for (int i = 0; i < 1000; ++i) log::Info("n", std::to_string(i));
  });
  std::filesystem::rename(folder.Path("log"), folder.Path("log.1"));
  log::Reopen();
  writer.join();
  log::Info("n", "1000");
  const auto older = LinesOf(folder.Read("log.1")), newer = LinesOf(folder.Read("log"));
  REQUIRE(older.size() + newer.size() == 1001);
  CHECK(newer.back().ends_with("info  n: 1000"));
  CHECK(ModeOf(folder.Path("log")) == 0600);
}

TEST_CASE("Log: a Reopen that fails keeps the old file and says so there") {
  const TempFolder folder;
  std::filesystem::create_directory(folder.Path("a"));
  const OpenLog open(folder.Path("a/log"));
  std::filesystem::rename(folder.Path("a"), folder.Path("b"));
  log::Reopen();
  log::Info("n", "on");
  const auto lines = LinesOf(folder.Read("b/log"));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("could not open the log file") != std::string::npos);
  CHECK(lines[1].ends_with("n: on"));
}

TEST_CASE("Log: threads do not tear each other's lines") {
  const TempFolder folder;
  const OpenLog open(folder.Path("log"));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([i] {
        for (int n = 0; n < 500; ++n) log::Info("n", std::string(200, static_cast<char>('a' + i)));
      });
  }
  const auto lines = LinesOf(folder.Read("log"));
  REQUIRE(lines.size() == 2000);
  for (const std::string& line : lines) {
    REQUIRE(line.size() == 24 + 10 + 200);
    REQUIRE(line.substr(34) == std::string(200, line.back()));
  }
}

// Run by the next test in a process of its own, where nothing was opened.
TEST_CASE("Log child: writes before Open" * doctest::skip()) {
  log::Debug("a", "quiet");
  log::Info("a", "loud {}");
}

TEST_CASE("Log: before Open records from info on go to standard error") {
  const TempFolder folder;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      "'" + program + "' --no-skip --test-case='Log child*' >/dev/null 2>" + folder.Path("err");
  REQUIRE(std::system(command.c_str()) == 0);
  const auto lines = LinesOf(folder.Read("err"));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].ends_with(" info  a: loud {}"));
}
