#pragma once

#include <sqlite3.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tmc {

// The locks of one database file between the connections of one process (sqlite.org/lockingv3.html).
class FileLocks {
 public:
  // `held` is the caller's level and becomes the new one; SQLITE_OK or SQLITE_BUSY.
  int Lock(const void* owner, int& held, int wanted);
  void Unlock(const void* owner, int& held, int wanted);
  bool Reserved() const { return writer_ != nullptr; }

 private:
  int readers_ = 0;
  const void* writer_ = nullptr;  // holds RESERVED or more
  bool pending_ = false, exclusive_ = false;
};

// WAL's shared memory and its locks, for one database file.
class SharedMemory {
 public:
  struct Holding {
    bool joined = false;
    uint16_t shared = 0, exclusive = 0;  // slots
  };
  char* Region(size_t index, size_t size, bool extend, Holding& holding);  // nullptr: there is none
  int Lock(int offset, int count, int flags, Holding& holding);
  void Leave(Holding& holding);  // the last one to leave takes the content away

 private:
  std::vector<std::unique_ptr<char[]>> regions_;
  std::array<int, SQLITE_SHM_NLOCK> slots_{};  // readers, or -1: one writer
  int users_ = 0;
};

}  // namespace tmc
