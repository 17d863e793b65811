#include "tests/support/memory_locks.h"

namespace tmc {

int FileLocks::Lock(const void* owner, int& held, int wanted) {
  if (held >= wanted) return SQLITE_OK;
  if (writer_ && writer_ != owner && (wanted > SQLITE_LOCK_SHARED || pending_)) return SQLITE_BUSY;
  if (wanted == SQLITE_LOCK_SHARED) {
    ++readers_;
  } else {
    writer_ = owner;
  }
  if (wanted == SQLITE_LOCK_EXCLUSIVE) {
    pending_ = true;  // keeps new readers out until the old ones have gone
    held = SQLITE_LOCK_PENDING;
    if (readers_ > 1) return SQLITE_BUSY;
    exclusive_ = true;
  }
  held = wanted;
  return SQLITE_OK;
}

void FileLocks::Unlock(const void* owner, int& held, int wanted) {
  if (held <= wanted) return;
  if (held > SQLITE_LOCK_SHARED && writer_ == owner) {
    writer_ = nullptr;
    pending_ = exclusive_ = false;
  }
  if (wanted == SQLITE_LOCK_NONE) --readers_;
  held = wanted;
}

char* SharedMemory::Region(size_t index, size_t size, bool extend, Holding& holding) {
  if (!holding.joined) ++users_;
  holding.joined = true;
  if (index >= regions_.size() && !extend) return nullptr;
  while (index >= regions_.size()) regions_.push_back(std::make_unique<char[]>(size));
  return regions_[index].get();
}

int SharedMemory::Lock(int offset, int count, int flags, Holding& holding) {
  const auto mask = static_cast<uint16_t>(((1 << count) - 1) << offset);
  const bool shared = flags & SQLITE_SHM_SHARED;
  uint16_t& mine = shared ? holding.shared : holding.exclusive;
  if (flags & SQLITE_SHM_UNLOCK) {
    for (int slot = offset; slot < offset + count; ++slot)
      if (mine & (1 << slot)) slots_[static_cast<size_t>(slot)] -= shared ? 1 : -1;
    mine = static_cast<uint16_t>(mine & ~mask);
    return SQLITE_OK;
  }
  if ((mine & mask) == mask) return SQLITE_OK;
  for (int slot = offset; slot < offset + count; ++slot) {
    const int held = slots_[static_cast<size_t>(slot)];
    if (shared ? held < 0 : held != 0) return SQLITE_BUSY;
  }
  for (int slot = offset; slot < offset + count; ++slot) slots_[static_cast<size_t>(slot)] += shared ? 1 : -1;
  mine = static_cast<uint16_t>(mine | mask);
  return SQLITE_OK;
}

void SharedMemory::Leave(Holding& holding) {
  if (!holding.joined) return;
  for (int slot = 0; slot < SQLITE_SHM_NLOCK; ++slot) {
    if (holding.shared & (1 << slot)) --slots_[static_cast<size_t>(slot)];
    if (holding.exclusive & (1 << slot)) slots_[static_cast<size_t>(slot)] = 0;
  }
  holding = {};
  if (--users_ == 0) regions_.clear();
}

}  // namespace tmc
