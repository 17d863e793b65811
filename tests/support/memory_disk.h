#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/simulator/chance.h"

namespace tmc {

// A file as an ordinary disk keeps it: what is read back at once, and what a sync has made safe. Writes and
// truncates since then may be kept, lost or torn by a power loss, whatever came after them.
class MemoryFile {
 public:
  void Write(size_t offset, std::string_view bytes);
  void Truncate(size_t size);
  void Sync();
  void Forget();  // a failed sync: read back like written, and never to be written again
  void PowerLoss(sim::Chance& chance);
  const std::string& bytes() const { return now_; }

  int handles = 0;

 private:
  struct Change {
    bool truncate;
    size_t offset;  // of a truncate: the new size
    std::string bytes;
  };
  static void Apply(std::string& content, const Change& change);
  std::string now_, durable_;
  std::vector<Change> pending_;
};

// Names of files; making and deleting one is safe only once the directory was synced.
class MemoryDisk {
 public:
  static constexpr size_t kSector = 512;

  MemoryFile* Find(const std::string& name) const;
  MemoryFile& Make(const std::string& name);  // "": a temporary file, gone with its last handle
  void Delete(const std::string& name, bool sync_directory);
  void SyncDirectory();
  void Close(MemoryFile& file);  // one handle less
  // No handle is left: what the disk holds when the power comes back.
  void PowerLoss(uint64_t seed);
  void CopyFrom(const MemoryDisk& other);

 private:
  using Names = std::map<std::string, MemoryFile*>;
  static void Apply(Names& names, const std::string& name, MemoryFile* file);
  void Collect();  // files that nothing names or holds
  std::vector<std::unique_ptr<MemoryFile>> files_;
  Names now_, durable_;
  std::vector<std::pair<std::string, MemoryFile*>> pending_;  // nullptr: deleted
};

}  // namespace tmc
