#include "agent/run_lock.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>

#include "tests/support/temp_folder.h"

using namespace tmc;

namespace {

// A process that takes the lock, says so, and holds it until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& db) {
    int says[2];
    REQUIRE(pipe(says) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      RunLock lock(db);
      const char taken = lock.Take() ? 'y' : 'n';
      if (write(says[1], &taken, 1) == 1) pause();
      _exit(1);
    }
    close(says[1]);
    char taken = 0;
    REQUIRE(read(says[0], &taken, 1) == 1);
    close(says[0]);
    taken_ = taken == 'y';
  }
  ~Holder() { Kill(); }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }
  bool taken() const { return taken_; }

 private:
  pid_t pid_ = 0;
  bool taken_ = false;
};

}  // namespace

TEST_CASE("RunLock: the holder is named, and a dead one holds nothing") {
  const TempFolder folder;
  Holder other(folder.Path("a.db"));
  REQUIRE(other.taken());
  RunLock lock(folder.Path("a.db"));
  CHECK_FALSE(lock.Take());
  CHECK(lock.Holder() == other.pid());
  other.Kill();
  CHECK(lock.Take());
  CHECK(lock.Take());
  CHECK_FALSE(lock.Holder());
}

TEST_CASE("RunLock: it ends with its object, the file stays and is the owner's alone") {
  const TempFolder folder;
  const mode_t before = umask(0);
  auto lock = std::make_unique<RunLock>(folder.Path("a.db"));
  umask(before);
  REQUIRE(lock->Take());
  CHECK_FALSE(Holder(folder.Path("a.db")).taken());
  lock.reset();
  CHECK(Holder(folder.Path("a.db")).taken());
  CHECK(ModeOf(folder.Path("a.db.lock")) == 0600);
}

TEST_CASE("RunLock: two names of one database lead to one lock, two databases do not") {
  const TempFolder folder;
  folder.File("a.db", "");
  std::filesystem::create_symlink(folder.Path("a.db"), folder.Path("b.db"));
  const Holder other(folder.Path("a.db"));
  RunLock same(folder.Path("b.db")), different(folder.Path("c.db"));
  CHECK_FALSE(same.Take());
  CHECK(different.Take());
}

TEST_CASE("RunLock: a folder that is not there is a sentence") {
  CHECK_THROWS_WITH_AS(RunLock("/nowhere/a.db"),
                       "could not open the lock file /nowhere/a.db.lock: No such file or directory",
                       std::runtime_error);
}
