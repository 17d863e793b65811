#include "agent/store.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "agent/cursors.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_vfs.h"
#include "tests/support/temp_folder.h"

using namespace tmc;

namespace {

StoreOptions At(const TempFolder& folder, milliseconds busy = 0ms) {
  return {.path = folder.Path("tmc.db"), .create = true, .busy_timeout = busy};
}

std::string WhyUnusable(const StoreOptions& options) {
  try {
    Store store(options);
  } catch (const StoreUnusable& error) {
    return error.what();
  }
  return "";
}

void Fill(const TempFolder& folder) {
  Store store(At(folder));
  Cursors cursors(store, "top");
  Transaction transaction(store);
  for (int i = 0; i < 2000; ++i) cursors.PutMeta("key" + std::to_string(i), std::string(100, 'x'));
  transaction.Commit();
}

// Whether another process sees the lock that says "a connection is open" on SQLite's lock bytes.
bool LockedForOthers(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    const int fd = open(path.c_str(), O_RDWR);
    struct flock range {};
    range.l_type = F_WRLCK;
    range.l_start = 0x40000000 + 2;
    range.l_len = 510;
    _exit(fcntl(fd, F_GETLK, &range) == 0 && range.l_type != F_UNLCK ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 1;
}

}  // namespace

TEST_CASE("Store: a new database is narrow whatever the umask, with its companions") {
  for (const mode_t mask : {0000, 0022, 0077}) {
    TempFolder folder;
    const mode_t before = umask(mask);
    Store store(At(folder));
    Cursors(store, "top").PutMeta("a", "b");
    umask(before);
    for (const char* suffix : {"", "-wal", "-shm"}) CHECK(ModeOf(folder.Path("tmc.db") + suffix) == 0600);
  }
}

TEST_CASE("Store: nothing is committed into a file that was deleted or replaced") {
  TempFolder folder;
  const std::string path = folder.Path("a.db");
  Store store({.path = path, .create = true});
  const auto commit = [&] {
    Transaction transaction(store);
    store.Exec("INSERT OR REPLACE INTO meta VALUES ('k', 'v')");
    transaction.Commit();
  };
  commit();
  std::filesystem::rename(path, path + ".away");
  SUBCASE("deleted") {}
  SUBCASE("replaced") {
    std::filesystem::copy_file(path + ".away", path);
  }
  try {
    commit();
    FAIL("committed");
  } catch (const StoreError& error) {
    CHECK(error.kind() == StoreError::Kind::kFatal);
  }
  std::filesystem::remove(path);
  std::filesystem::rename(path + ".away", path);
  commit();
}

TEST_CASE("Store: a wide file is narrowed") {
  TempFolder folder;
  Fill(folder);
  chmod(folder.Path("tmc.db").c_str(), 0644);
  Store store(At(folder));
  CHECK(ModeOf(folder.Path("tmc.db")) == 0600);
}

TEST_CASE("Store: a second connection does not end the first one's locks") {
  TempFolder folder;
  Store first(At(folder));
  Cursors(first, "top").PutMeta("a", "b");
  Store second(At(folder));
  CHECK(LockedForOthers(folder.Path("tmc.db")));
}

TEST_CASE("Store: what is no database of ours is refused with one sentence, and left byte for byte") {
  TempFolder folder;
  SUBCASE("a picture") {
    folder.File("tmc.db", std::string("\xFF\xD8\xFF\xE0JFIF") + std::string(4096, 'x'));
  }
  SUBCASE("a page of zeros inside") {
    Fill(folder);
    std::fstream file(folder.Path("tmc.db"), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8192);
    file << std::string(4096, '\0');
  }
  SUBCASE("cut by half") {
    Fill(folder);
    std::filesystem::resize_file(folder.Path("tmc.db"),
                                 std::filesystem::file_size(folder.Path("tmc.db")) / 2);
  }
  SUBCASE("a newer version") {
    Store store(At(folder));
    store.Exec("PRAGMA user_version = 999");
  }
  SUBCASE("another program's") {
    Store store(At(folder));
    store.Exec("PRAGMA application_id = 7");
  }
  const std::string before = folder.Read("tmc.db");
  const std::string why = WhyUnusable(At(folder));
  CHECK(why.find("tmc.db") != std::string::npos);
  CHECK(folder.Read("tmc.db") == before);
}

TEST_CASE("Store: an empty file beside a live -wal is not a fresh install") {
  TempFolder folder;
  folder.File("tmc.db", "");
  folder.File("tmc.db-wal", "rows");
  CHECK(WhyUnusable(At(folder)).find("-wal") != std::string::npos);
  CHECK(folder.Read("tmc.db-wal") == "rows");
}

TEST_CASE("Store: a directory that is not there is named") {
  CHECK(WhyUnusable({.path = "/nowhere/tmc.db", .create = true}).find("/nowhere/tmc.db") !=
        std::string::npos);
}

TEST_CASE("Store: a lock held by another connection is busy, and nothing else") {
  TempFolder folder;
  Store one(At(folder)), other(At(folder));
  Transaction lock(one);
  try {
    Transaction refused(other);
    FAIL("the lock was given twice");
  } catch (const StoreError& error) {
    CHECK(error.kind() == StoreError::Kind::kBusy);
  }
}

TEST_CASE("Store: a transaction that is not committed leaves nothing") {
  TempFolder folder;
  Store store(At(folder));
  Cursors cursors(store, "top");
  {
    Transaction transaction(store);
    cursors.PutMeta("a", "b");
  }
  CHECK_FALSE(cursors.Meta("a"));
}

TEST_CASE("Store: what is refused behind a savepoint is undone alone") {
  TempFolder folder;
  Store store(At(folder));
  Cursors cursors(store, "top");
  Transaction transaction(store);
  std::string why;
  cursors.PutMeta("kept", "1");
  store.Guard(
      true,
      [&] {
        cursors.PutMeta("undone", "1");
        store.Exec("INSERT INTO meta (key, value) VALUES ('kept', NULL)");
      },
      [&](const std::string& reason) { why = reason; });
  transaction.Commit();
  CHECK(why.find("NOT NULL") != std::string::npos);
  CHECK(cursors.Meta("kept"));
  CHECK_FALSE(cursors.Meta("undone"));
}

TEST_CASE("Store: the log is folded into the database, unless somebody reads an older state") {
  FakeClock clock;
  MemoryVfs disk("fold", clock);
  const StoreOptions options{.path = "/tmc.db", .vfs = disk.name(), .busy_timeout = 0ms};
  Store store(options), reader(options);
  reader.Exec("BEGIN");
  CHECK(reader.SchemaVersion() == Store::NewestSchema());
  store.Exec("INSERT INTO meta VALUES ('a', 'b')");
  CHECK_FALSE(store.FoldLog());
  reader.Exec("COMMIT");
  CHECK(disk.Size("/tmc.db-wal") > 0);
  CHECK(store.FoldLog());
  CHECK(disk.Size("/tmc.db-wal") == 0);
}

TEST_CASE("Store: a value that cannot be bound is a StoreError, as any other failure of a statement") {
  FakeClock clock;
  MemoryVfs disk("bind", clock);
  Store store({.path = "/tmc.db", .vfs = disk.name()});
  CHECK_THROWS_AS(store.Use("SELECT :a").Bind(":b", 1), StoreError);
  CHECK_THROWS_AS(store.Use("SELECT :a").Bind(":b", "text"), StoreError);
  CHECK_THROWS_AS(store.Use("SELECT :a").Blob(":b", "bytes"), StoreError);
  CHECK_THROWS_AS(store.Use("SELECT :a").Null(":b"), StoreError);
}

TEST_CASE("Store: a RETURNING that was not read out does not hold up the commit") {
  FakeClock clock;
  MemoryVfs disk("returning", clock);
  Store store({.path = "/tmc.db", .vfs = disk.name()});
  constexpr char kInsert[] = "INSERT INTO meta VALUES (:key, 'b') RETURNING key";
  for (const char* key : {"a", "b"}) {
    Transaction transaction(store);
    CHECK(store.Use(kInsert).Bind(":key", key).Step());
    transaction.Commit();
  }
  auto count = store.Use("SELECT count(*) FROM meta");
  CHECK(count.Step());
  CHECK(count.Int(0) == 2);
}
