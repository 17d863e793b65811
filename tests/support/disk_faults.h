#pragma once

#include <cstdint>

namespace tmc {

// What becomes of each call to a disk, counted from the last Reset().
class DiskFaults {
 public:
  enum class Call { kOpen, kRead, kWrite, kTruncate, kSync, kDelete, kSize, kShare };
  enum class Fate {
    kDone,
    kDies,  // the machine stops in it: it may be half done
    kDead,  // the machine has stopped: it is not done
    kIoError,
    kFull,
  };
  void Reset() { *this = DiskFaults(); }
  // The n-th change (write, truncate, sync, delete) is the last, and is not reported as done.
  void CrashAt(uint64_t n) { crash_at_ = n; }
  // The n-th call, and `times` - 1 after it, are I/O errors.
  void FailAt(uint64_t n, uint64_t times = 1) { fail_at_ = n, fail_end_ = n + times; }
  // The n-th sync is an I/O error, and the system forgets what it should have written, as Linux does.
  void FailSyncAt(uint64_t n) { fail_sync_at_ = n; }
  // The n-th write, and `times` - 1 after it, find no room.
  void FullAt(uint64_t n, uint64_t times = 1) { full_at_ = n, full_end_ = n + times; }
  void Full(bool full) { full_ = full; }  // no write finds room until told otherwise
  void Die() { dead_ = true; }            // every call from now on is an I/O error
  bool dead() const { return dead_; }
  uint64_t changes() const { return changes_; }
  uint64_t calls() const { return calls_; }
  uint64_t writes() const { return writes_; }
  uint64_t syncs() const { return syncs_; }
  uint64_t failed() const { return failed_; }
  Fate Next(Call call);

 private:
  uint64_t crash_at_ = 0, fail_at_ = 0, fail_end_ = 0, full_at_ = 0, full_end_ = 0, fail_sync_at_ = 0;
  uint64_t changes_ = 0, calls_ = 0, writes_ = 0, syncs_ = 0, failed_ = 0;
  bool full_ = false, dead_ = false;
};

}  // namespace tmc
