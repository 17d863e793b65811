#include "tests/support/memory_vfs.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <doctest/doctest.h>
#include <sqlite3.h>

#include "agent/store.h"
#include "tests/support/fake_clock.h"

namespace tmc {
namespace {

struct Connection : SQLite::Database {
  explicit Connection(const MemoryVfs& disk, int flags = SQLite::OPEN_READWRITE)
      : Database(std::string("/t.db"), flags, 0, disk.name()) {}
  int Try(const std::string& sql) { return tryExec(sql); }
  int64_t Count() { return execAndGet("SELECT count(*) FROM t").getInt64(); }
};

void Prepare(Connection& connection, const std::string& sync = "FULL") {
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec("PRAGMA synchronous = " + sync);
  connection.exec("CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, body TEXT)");
}

// Commits rows until the machine stops at its n-th change; how many commits were reported as done.
int64_t CommitUntilDead(MemoryVfs& disk, const std::string& sync, uint64_t n) {
  int64_t done = 0;
  try {
    Connection connection(disk);
    Prepare(connection, sync);
    disk.faults().CrashAt(disk.faults().changes() + n);
    for (; done < 20; ++done) connection.exec("INSERT INTO t (body) VALUES (zeroblob(5000))");
  } catch (const SQLite::Exception&) {
  }
  return done;
}

// The least number of rows that is left of 20 commits, less the number reported, over every stop and some
// seeds.
int64_t WorstLoss(const std::string& sync) {
  FakeClock clock;
  int64_t worst = 0;
  for (uint64_t n = 1; n <= 150; ++n) {
    MemoryVfs disk("worst", clock);
    const int64_t done = CommitUntilDead(disk, sync, n);
    for (uint64_t seed = 0; seed < 5; ++seed) {
      MemoryVfs survivor("survivor", clock);
      survivor.CopyFrom(disk);
      survivor.PowerLoss(seed);
      int64_t held = 0;
      try {
        Connection connection(survivor);
        if (connection.execAndGet("PRAGMA integrity_check").getString() == "ok") held = connection.Count();
      } catch (const SQLite::Exception&) {
      }
      worst = std::min(worst, held - done);
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("MemoryVfs: connections share rows, one writes, readers keep their snapshot") {
  FakeClock clock;
  MemoryVfs disk("shared", clock);
  Connection first(disk), second(disk);
  Prepare(first);
  CHECK(second.Try("BEGIN") == SQLITE_OK);
  CHECK(second.Count() == 0);
  CHECK(first.Try("BEGIN IMMEDIATE") == SQLITE_OK);
  CHECK(first.Try("INSERT INTO t VALUES (1, 'a')") == SQLITE_OK);
  CHECK((second.Try("INSERT INTO t VALUES (2, 'b')") & 0xff) == SQLITE_BUSY);
  CHECK(first.Try("COMMIT") == SQLITE_OK);
  CHECK(second.Count() == 0);
  CHECK(second.Try("COMMIT") == SQLITE_OK);
  CHECK(second.Count() == 1);
  CHECK(second.Try("INSERT INTO t VALUES (2, 'b')") == SQLITE_OK);
  CHECK(Connection(disk, SQLite::OPEN_READONLY).Count() == 2);
}

TEST_CASE("MemoryVfs: without WAL, a writer waits for readers and keeps new ones out") {
  FakeClock clock;
  MemoryVfs disk("journal", clock);
  Connection writer(disk), reader(disk), late(disk);
  writer.exec("CREATE TABLE t (id INTEGER PRIMARY KEY)");
  CHECK(reader.Try("BEGIN") == SQLITE_OK);
  CHECK(reader.Count() == 0);
  CHECK(writer.Try("BEGIN IMMEDIATE") == SQLITE_OK);
  CHECK(late.Try("BEGIN IMMEDIATE") == SQLITE_BUSY);
  CHECK(late.Count() == 0);
  CHECK(writer.Try("INSERT INTO t VALUES (1)") == SQLITE_OK);
  CHECK(writer.Try("COMMIT") == SQLITE_BUSY);
  CHECK(late.Try("SELECT count(*) FROM t") == SQLITE_BUSY);
  CHECK(reader.Try("COMMIT") == SQLITE_OK);
  CHECK(writer.Try("COMMIT") == SQLITE_OK);
  CHECK(late.Count() == 1);
}

TEST_CASE("MemoryVfs: two disks do not see each other, one seed gives one course") {
  FakeClock clock;
  MemoryVfs one("one", clock, 7), two("two", clock, 7);
  std::string chances[2];
  for (MemoryVfs* disk : {&one, &two}) {
    Connection connection(*disk);
    Prepare(connection);
    CHECK(connection.Count() == 0);
    connection.exec("INSERT INTO t (body) VALUES (datetime('now'))");
    CHECK(connection.execAndGet("SELECT body FROM t").getString() == "2026-01-01 00:00:00");
  }
  CHECK(one.faults().changes() == two.faults().changes());
  CHECK(one.open_files() == 0);
  clock.Advance(1h);
  Connection again(one);
  CHECK(again.execAndGet("SELECT datetime('now')").getString() == "2026-01-01 01:00:00");
}

TEST_CASE("MemoryVfs: no power loss takes a commit that was synced, nor damages the database") {
  CHECK(WorstLoss("FULL") == 0);
}

TEST_CASE("MemoryVfs: a power loss takes commits that were not synced") {
  CHECK(WorstLoss("OFF") < 0);
}

TEST_CASE("MemoryVfs: the n-th call fails, and a disk is full for as long as it is said") {
  FakeClock clock;
  MemoryVfs disk("faults", clock);
  Connection connection(disk);
  Prepare(connection);
  disk.faults().Full(true);
  CHECK(connection.Try("INSERT INTO t VALUES (1, 'a')") == SQLITE_FULL);
  {
    const MemoryVfs::Aside aside(disk);
    CHECK(connection.Try("INSERT INTO t VALUES (1, 'a')") == SQLITE_OK);
  }
  disk.faults().Full(false);
  disk.faults().FailAt(disk.faults().calls() + 1);
  CHECK((connection.Try("INSERT INTO t VALUES (2, 'a')") & 0xff) == SQLITE_IOERR);
  CHECK(connection.Try("INSERT INTO t VALUES (2, 'a')") == SQLITE_OK);
  disk.faults().Die();
  CHECK((connection.Try("INSERT INTO t VALUES (3, 'a')") & 0xff) == SQLITE_IOERR);
}

TEST_CASE("MemoryVfs: the agent's store stands on it") {
  FakeClock clock;
  MemoryVfs disk("store", clock);
  {
    Store store({.path = "/tmc.db", .vfs = disk.name()});
    CHECK(store.SchemaVersion() == Store::NewestSchema());
  }
  CHECK(disk.Size("/tmc.db") > 0);
  CHECK(disk.Size("/tmc.db-wal") == -1);
}

}  // namespace tmc
