#pragma once

#include <cstdint>
#include <string>

namespace tmc {

struct StoreOptions;

// The database as a file: made with a narrow mode, and looked at before SQLite may touch it.
namespace store_file {

// Refuses what can be no database of ours before a lock or a file is made beside it: a missing folder, or a
// folder or device in the file's place; throws StoreUnusable.
void CheckPlace(const StoreOptions& options);
bool GroupExists(const std::string& name);
// Makes the file where it is missing; throws StoreUnusable for one that must not be opened.
void Prepare(const StoreOptions& options);
// Narrows the file, its -wal and its -shm, once it is known to be ours.
void Narrow(const StoreOptions& options);
// The owner alone, or the owner and the group named.
void SetMode(const std::string& path, const StoreOptions& options);
int64_t Size(const std::string& path);  // -1: missing

}  // namespace store_file
}  // namespace tmc
