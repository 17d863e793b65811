// Bad input: a database that cannot be used at the start, or for a while.
#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/blackbox/scene.h"
#include "tests/blackbox/small_disk.h"

using namespace tmc;
using namespace std::chrono_literals;

namespace {

constexpr char kApplied[] =
    "SELECT count(*) FROM inbound_message WHERE state = 'applied' AND confirmed_at IS NOT NULL";

// A database that the agent has made and left, and a message that waits at the platform since.
struct Used {
  Scene scene;

  Used() {
    for (int i = 0; i < 40; ++i) {
      scene.Order(std::to_string(1001 + i));
      scene.Message(std::to_string(1001 + i));
    }
    REQUIRE(scene.Once({"--reconcile-interval", "0"}).status == 0);
    scene.Message("1001");
    scene.Delete("/record");
  }
  std::string Bytes() const { return FileContent(scene.Db()); }
  void Write(const std::string& bytes) const { scene.folder.File("tmc.db", bytes); }

  // 74 and one sentence that names the file; nobody was called, and the file is what it was.
  void IsRefused(std::string_view sentence) {
    const std::string before = Bytes();
    const Ended ended = scene.Once();
    CHECK_MESSAGE(ended.status == 74, ended.err);
    CHECK_MESSAGE(ended.err.find(sentence) != std::string::npos, ended.err);
    CHECK(ended.err.find(scene.Db()) != std::string::npos);
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
    CHECK_MESSAGE(Bytes() == before, "the file is untouched");
    CHECK(scene.Calls("") == 0);
  }
};

void CannotStart(Scene& scene, const Ended& ended, std::string_view path) {
  CHECK_MESSAGE(ended.status == 74, ended.err);
  CHECK(ended.err.find(path) != std::string::npos);
  CHECK_MESSAGE(std::count(ended.err.begin(), ended.err.end(), '\n') == 1, ended.err);
  CHECK(scene.Calls("") == 0);
}

// Holds the database's write lock for so long while a message comes, then sees it applied.
// The log from the lock's begin to the end.
std::string LockedFor(std::chrono::seconds time) {
  Scene scene;
  scene.Order("1001");
  Child& agent = scene.Start({"--reconcile-interval", "1s", "--reconcile-lag", "0"});
  CHECK(WaitUntil([&] { return scene.Calls("consume") > 1; }));
  SQLite::Database other(scene.Db(), SQLite::OPEN_READWRITE, 5000);
  other.exec("BEGIN IMMEDIATE");
  const std::string id = scene.Message("1001");
  CHECK_FALSE(WaitUntil([&] { return !agent.Running() || !scene.Confirmed().empty(); }, time));
  other.exec("ROLLBACK");
  CHECK(scene.RowsBecome(kApplied, "1", 10s) == "1");
  CHECK(scene.Confirmed() == std::set{id});
  CHECK(scene.Violations() == "");
  const Ended ended = scene.Stop();
  CHECK_MESSAGE(ended.status == 0, ended.err);
  return ended.err;
}

}  // namespace

TEST_CASE("Bad input: the database is locked by another program for 4 s, nobody notices") {
  const std::string log = LockedFor(4s);
  CHECK_MESSAGE(log.find("lock") == std::string::npos, log);
  CHECK_MESSAGE(log.find("warn") == std::string::npos, log);
}

TEST_CASE("Bad input: the database is locked by another program for 12 s, warnings, then it goes on") {
  const std::string log = LockedFor(12s);
  CHECK_MESSAGE(log.find("another program holds the database's lock") != std::string::npos, log);
}

TEST_CASE("Bad input: at the start the database is damaged") {
  Used used;
  std::string bytes = used.Bytes();
  const size_t page = 4096;
  REQUIRE(bytes.size() > 8 * page);
  SUBCASE("a page is zero") {
    std::fill_n(bytes.begin() + 3 * page, page, '\0');
  }
  SUBCASE("the second half is missing") {
    bytes.resize(bytes.size() / page / 2 * page);
  }
  SUBCASE("cut in the middle of a page") {
    bytes.resize(bytes.size() / 2 + 77);
  }
  used.Write(bytes);
  used.IsRefused("damaged");
}

TEST_CASE("Bad input: at the start the database is something else") {
  Used used;
  SUBCASE("a picture") {
    used.Write("\xFF\xD8\xFF\xE0" + std::string(6000, '\x5A') + "\xFF\xD9");
    used.IsRefused("is not a SQLite database");
  }
  SUBCASE("a few bytes, in a file of another's mode") {
    used.Write("hello\n");
    chmod(used.scene.Db().c_str(), 0664);
    used.IsRefused("is not a SQLite database");
    CHECK(ModeOf(used.scene.Db()) == 0664);
  }
  SUBCASE("another program's database") {
    std::filesystem::remove(used.scene.Db());
    SQLite::Database(used.scene.Db(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE contacts (name TEXT)");
    chmod(used.scene.Db().c_str(), 0600);
    used.IsRefused("not one of tmc-agent's");
  }
  SUBCASE("from a newer version") {
    SQLite::Database(used.scene.Db(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
    used.IsRefused("newer tmc-agent");
  }
}

TEST_CASE("Bad input: at the start the database's directory is missing, none, or not writable") {
  Scene scene;
  scene.Message("1001");
  scene.folder.File("file", "not a directory\n");
  std::string path = scene.folder.Path("missing/tmc.db");
  SUBCASE("missing") {}
  SUBCASE("a file in its place") {
    path = scene.folder.Path("file/tmc.db");
  }
  SUBCASE("not writable") {
    if (geteuid() == 0) {
      MESSAGE("skipped: root writes where it likes");
      return;
    }
    path = scene.folder.Path("closed/tmc.db");
    mkdir(scene.folder.Path("closed").c_str(), 0500);
  }
  SUBCASE("a directory in the database's place") {
    path = scene.folder.Path("folder");
    mkdir(path.c_str(), 0755);
  }
  CannotStart(scene, scene.Once({"--db", path}), path);
  CHECK_FALSE(std::filesystem::exists(path + ".lock"));
  if (std::filesystem::is_directory(path)) CHECK(ModeOf(path) == 0755);
  CHECK_FALSE(std::filesystem::is_regular_file(path));
}

TEST_CASE("Bad input: at the start the disk is full") {
  Scene scene;
  scene.Order("1001");
  scene.Order("1002");
  scene.Message("1001");
  SmallDisk disk(scene.folder.Path("disk"), 1024);
  if (!disk.missing().empty()) {
    MESSAGE("skipped: " << disk.missing());
    return;
  }
  const std::string db = disk.Path("tmc.db");
  SUBCASE("with no database yet") {
    disk.Fill();
    CannotStart(scene, scene.Once({"--db", db}), db);
  }
  SUBCASE("with a database") {
    const Ended first = scene.Once({"--db", db});
    CHECK_MESSAGE(std::filesystem::file_size(db) > 0, first.err);
    scene.Message("1002");
    scene.Delete("/record");
    const std::string before = FileContent(db);
    disk.Fill();
    CannotStart(scene, scene.Once({"--db", db}), db);
    CHECK(FileContent(db) == before);
  }
  // And with room again it starts.
  disk.MakeRoom();
  CHECK(scene.Once({"--db", db}).status == 0);
}

TEST_CASE("Bad input: at the start no byte can be written") {
  Used used;
  const std::string before = used.Bytes();
  Launch launch{.words = used.scene.RunWords({"--once"})};
  launch.file_limit = 0;
  const Ended ended = used.scene.Spawn(launch)->Wait();
  CHECK(ended.status == 74);
  CHECK(used.Bytes() == before);
  CHECK(used.scene.Calls("") == 0);
}

TEST_CASE("Bad input: the database is deleted while the agent runs, nothing more is confirmed") {
  Scene scene;
  Child& agent = scene.Start({"--reconcile-interval", "0"});
  REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(scene.Db() + suffix);
  scene.Order("1001");
  scene.Message("1001");
  const Ended ended = agent.Wait();
  CHECK(ended.status == 74);
  CHECK(ended.err.find("deleted or replaced") != std::string::npos);
  CHECK(scene.Confirmed().empty());
}

TEST_CASE("Bad input: the disk is full while the agent runs") {
  Scene scene;
  SmallDisk disk(scene.folder.Path("disk"), 16 << 10);
  if (!disk.missing().empty()) {
    MESSAGE("skipped: " << disk.missing());
    return;
  }
  const Words flags{"--db", disk.Path("tmc.db"), "--reconcile-interval", "0"};
  scene.Order("1001");
  const std::string first = scene.Message("1001");
  Child& agent = scene.Start(flags);
  CHECK(WaitUntil([&] { return scene.Confirmed() == std::set{first}; }));

  disk.Fill();
  // More than the files hold already.
  json::Writer draft;
  draft.BeginObject().Member("topic", "taobao_item_ItemUpdate");
  draft.Member("content", R"({"note":")" + std::string(300'000, 'x') + "\"}").EndObject();
  const std::string message = draft.Take();
  std::set<std::string> ids{first};
  for (int i = 0; i < 6; ++i) ids.insert(scene.MessageOf(message));
  CHECK(WaitUntil([&] { return agent.Err().find("no room on the disk") != std::string::npos; }));
  // Nothing is called any more, whatever comes.
  const int calls = scene.Calls("");
  ids.insert(scene.Message("1001"));
  CHECK_FALSE(WaitUntil([&] { return !agent.Running() || scene.Calls("") != calls; }, 2500ms));
  CHECK(scene.Confirmed() == std::set{first});

  disk.MakeRoom();
  CHECK(WaitUntil([&] { return scene.Confirmed() == ids; }));
  CHECK(agent.Err().find("there is room on the disk again") != std::string::npos);
  const Ended ended = scene.Stop();
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Violations() == "");
}
