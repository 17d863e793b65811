#include "tests/support/disk_faults.h"

namespace tmc {

DiskFaults::Fate DiskFaults::Next(Call call) {
  if (dead_) return Fate::kDead;
  const bool write = call == Call::kWrite;
  const bool change = write || call == Call::kTruncate || call == Call::kSync || call == Call::kDelete;
  ++calls_;
  changes_ += change;
  writes_ += write;
  syncs_ += call == Call::kSync;
  if (change && changes_ == crash_at_) {
    dead_ = true;
    return Fate::kDies;
  }
  if (call == Call::kSync && syncs_ == fail_sync_at_) return ++failed_, Fate::kIoError;
  if (calls_ >= fail_at_ && calls_ < fail_end_) return ++failed_, Fate::kIoError;
  if (write && (full_ || (writes_ >= full_at_ && writes_ < full_end_))) return ++failed_, Fate::kFull;
  return Fate::kDone;
}

}  // namespace tmc
