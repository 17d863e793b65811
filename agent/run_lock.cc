#include "agent/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "agent/mistakes.h"

namespace tmc {
namespace {

// The whole file, also when it is empty.
struct flock WriteLock() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

// Two names of one database must lead to one lock.
std::string LockFileOf(const std::string& db) {
  std::error_code failed;
  const auto path = std::filesystem::weakly_canonical(db, failed);
  return (failed ? db : path.string()) + ".lock";
}

std::runtime_error Failure(std::string_view what, const std::string& file) {
  return std::runtime_error(
      fmt::format("could not {} {}: {}", what, file, std::generic_category().message(errno)));
}

#ifdef TMC_MISTAKES
bool TakeByNumber(int descriptor) {
  char number[16] = "";
  if (pread(descriptor, number, sizeof number - 1, 0) > 0 && kill(std::atoi(number), 0) == 0) return false;
  const std::string own = std::to_string(getpid());
  return pwrite(descriptor, own.data(), own.size(), 0) > 0;
}
#endif

}  // namespace

RunLock::RunLock(const std::string& db)
    : file_(LockFileOf(db)), descriptor_(open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (descriptor_ < 0 && errno == EACCES)
    throw std::runtime_error(
        "could not open the lock file " + file_ +
        ": Permission denied; run this as its owner, or give it and the folder to this user");
  if (descriptor_ < 0) throw Failure("open the lock file", file_);
}

RunLock::~RunLock() {
  close(descriptor_);
}

bool RunLock::Take() {
#ifdef TMC_MISTAKES
  if (Planted(Mistake::kPidFile)) return TakeByNumber(descriptor_);
#endif
  struct flock lock = WriteLock();
  if (fcntl(descriptor_, F_SETLK, &lock) == 0) return true;
  if (errno == EACCES || errno == EAGAIN) return false;
  throw Failure("lock", file_);
}

std::optional<pid_t> RunLock::Holder() const {
  struct flock lock = WriteLock();
  if (fcntl(descriptor_, F_GETLK, &lock) != 0) throw Failure("ask for the lock on", file_);
  if (lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

}  // namespace tmc
