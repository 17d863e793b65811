#include "tests/support/memory_disk.h"

#include <algorithm>

namespace tmc {
namespace {

std::string Garbage(sim::Chance& chance, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(chance.Below(256));
  return bytes;
}

bool Half(sim::Chance& chance) {
  return chance.Below(2) == 0;
}

}  // namespace

void MemoryFile::Apply(std::string& content, const Change& change) {
  if (change.truncate) return content.resize(std::min(content.size(), change.offset));
  if (content.size() < change.offset + change.bytes.size())
    content.resize(change.offset + change.bytes.size());
  content.replace(change.offset, change.bytes.size(), change.bytes);
}

void MemoryFile::Write(size_t offset, std::string_view bytes) {
  pending_.push_back({false, offset, std::string(bytes)});
  Apply(now_, pending_.back());
}

void MemoryFile::Truncate(size_t size) {
  pending_.push_back({true, size, {}});
  Apply(now_, pending_.back());
}

void MemoryFile::Sync() {
  for (const Change& change : pending_) Apply(durable_, change);
  pending_.clear();
}

// As Linux does: the pages count as clean.
void MemoryFile::Forget() {
  pending_.clear();
}

// What SQLite counts on (sqlite.org/atomiccommit.html, section 2) and no more: a sector is written from one
// end to the other, other bytes of a sector that was being written may be damaged, a file may have grown
// before its bytes came.
void MemoryFile::PowerLoss(sim::Chance& chance) {
  static constexpr uint64_t kKept[] = {0, 10, 50, 90, 100};
  const uint64_t kept = kKept[chance.Below(std::size(kKept))];
  for (Change& change : pending_) {
    if (chance.Below(100) < kept) {
      Apply(durable_, change);
      continue;
    }
    if (change.truncate || !Half(chance)) continue;
    const size_t end = change.offset + change.bytes.size();
    const size_t first = change.offset / MemoryDisk::kSector * MemoryDisk::kSector;
    const size_t last = (end + MemoryDisk::kSector - 1) / MemoryDisk::kSector * MemoryDisk::kSector;
    if (durable_.size() < end) durable_ += Garbage(chance, end - durable_.size());
    if (Half(chance)) {
      Apply(durable_, {false, first, Garbage(chance, change.offset - first)});
      if (end < durable_.size())
        Apply(durable_, {false, end, Garbage(chance, std::min(last, durable_.size()) - end)});
    }
    const size_t cut = chance.Below(change.bytes.size() + 1);
    if (Half(chance))
      Apply(durable_, {false, change.offset, change.bytes.substr(0, cut)});
    else
      Apply(durable_, {false, change.offset + cut, change.bytes.substr(cut)});
  }
  pending_.clear();
  now_ = durable_;
}

MemoryFile* MemoryDisk::Find(const std::string& name) const {
  const auto found = now_.find(name);
  return found == now_.end() ? nullptr : found->second;
}

MemoryFile& MemoryDisk::Make(const std::string& name) {
  files_.push_back(std::make_unique<MemoryFile>());
  MemoryFile* file = files_.back().get();
  if (!name.empty()) {
    now_[name] = file;
    pending_.emplace_back(name, file);
  }
  return *file;
}

void MemoryDisk::Apply(Names& names, const std::string& name, MemoryFile* file) {
  if (file)
    names[name] = file;
  else
    names.erase(name);
}

void MemoryDisk::Delete(const std::string& name, bool sync_directory) {
  now_.erase(name);
  pending_.emplace_back(name, nullptr);
  if (sync_directory) SyncDirectory();
}

void MemoryDisk::SyncDirectory() {
  for (const auto& [name, file] : pending_) Apply(durable_, name, file);
  pending_.clear();
  Collect();
}

void MemoryDisk::Close(MemoryFile& file) {
  if (--file.handles == 0) Collect();
}

void MemoryDisk::Collect() {
  const auto named = [](const Names& names, const MemoryFile* file) {
    return std::any_of(names.begin(), names.end(), [&](const auto& name) { return name.second == file; });
  };
  std::erase_if(files_, [&](const auto& file) {
    const bool waits = std::any_of(pending_.begin(), pending_.end(),
                                   [&](const auto& change) { return change.second == file.get(); });
    return file->handles == 0 && !waits && !named(now_, file.get()) && !named(durable_, file.get());
  });
}

void MemoryDisk::PowerLoss(uint64_t seed) {
  sim::Chance chance(seed);
  const bool all = Half(chance);  // most file systems keep the order of such changes
  for (const auto& [name, file] : pending_)
    if (all || Half(chance)) Apply(durable_, name, file);
  pending_.clear();
  now_ = durable_;
  Collect();
  for (const auto& [name, file] : now_) file->PowerLoss(chance);
}

void MemoryDisk::CopyFrom(const MemoryDisk& other) {
  files_.clear();
  std::map<const MemoryFile*, MemoryFile*> copies;
  copies[nullptr] = nullptr;
  for (const auto& file : other.files_) {
    files_.push_back(std::make_unique<MemoryFile>(*file));
    files_.back()->handles = 0;
    copies[file.get()] = files_.back().get();
  }
  now_ = other.now_;
  durable_ = other.durable_;
  pending_ = other.pending_;
  for (Names* names : {&now_, &durable_})
    for (auto& [name, file] : *names) file = copies[file];
  for (auto& [name, file] : pending_) file = copies[file];
}

}  // namespace tmc
