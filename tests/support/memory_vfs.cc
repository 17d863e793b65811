#include "tests/support/memory_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "tests/support/memory_disk.h"
#include "tests/support/memory_locks.h"

namespace tmc {

// What the connections share; the mutex guards all of it.
struct MemoryVfs::World {
  World(std::string own_name, const Clock& own_clock, uint64_t seed)
      : name(std::move(own_name)), clock(own_clock), chance(seed) {}
  DiskFaults::Fate Next(DiskFaults::Call call) { return aside ? DiskFaults::Fate::kDone : faults.Next(call); }
  const std::string name;
  const Clock& clock;
  std::mutex mutex;
  sim::Chance chance;
  MemoryDisk disk;
  DiskFaults faults;
  int aside = 0, handles = 0;
  std::map<std::string, FileLocks> locks;
  std::map<std::string, SharedMemory> shared;
  sqlite3_vfs vfs{};
};

namespace {

using World = MemoryVfs::World;
using Call = DiskFaults::Call;
using Fate = DiskFaults::Fate;

// SQLite makes room for it and hands it back with each call.
struct Handle {
  sqlite3_file base;
  World* world;
  MemoryFile* file;
  std::string name;
  bool gone_with_it, syncs_directory;
  int level;  // of the file's lock
  SharedMemory::Holding holding;
};

Handle& Of(sqlite3_file* file) {
  return *reinterpret_cast<Handle*>(file);
}

World& Of(sqlite3_vfs* vfs) {
  return *static_cast<World*>(vfs->pAppData);
}

int Code(Fate fate, int io_error) {
  if (fate == Fate::kDone) return SQLITE_OK;
  return fate == Fate::kFull ? SQLITE_FULL : io_error;
}

int Close(sqlite3_file* base) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  handle.world->locks[handle.name].Unlock(&handle, handle.level, SQLITE_LOCK_NONE);
  if (handle.gone_with_it && !handle.name.empty()) handle.world->disk.Delete(handle.name, false);
  handle.world->disk.Close(*handle.file);
  --handle.world->handles;
  handle.~Handle();
  return SQLITE_OK;
}

int Read(sqlite3_file* base, void* into, int amount, sqlite3_int64 offset) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  if (handle.world->Next(Call::kRead) != Fate::kDone) return SQLITE_IOERR_READ;
  const std::string& bytes = handle.file->bytes();
  const auto from = std::min(static_cast<size_t>(offset), bytes.size());
  const auto wanted = static_cast<size_t>(amount);
  const size_t had = std::min(wanted, bytes.size() - from);
  std::memcpy(into, bytes.data() + from, had);
  std::memset(static_cast<char*>(into) + had, 0, wanted - had);
  return had == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int Write(sqlite3_file* base, const void* from, int amount, sqlite3_int64 offset) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  const Fate fate = handle.world->Next(Call::kWrite);
  if (fate == Fate::kDone || fate == Fate::kDies)
    handle.file->Write(static_cast<size_t>(offset),
                       {static_cast<const char*>(from), static_cast<size_t>(amount)});
  return Code(fate, SQLITE_IOERR_WRITE);
}

int Truncate(sqlite3_file* base, sqlite3_int64 size) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  const Fate fate = handle.world->Next(Call::kTruncate);
  if (fate == Fate::kDone || fate == Fate::kDies) handle.file->Truncate(static_cast<size_t>(size));
  return Code(fate, SQLITE_IOERR_TRUNCATE);
}

int Sync(sqlite3_file* base, int) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  const Fate fate = handle.world->Next(Call::kSync);
  if (fate == Fate::kIoError) handle.file->Forget();
  if (fate != Fate::kDone) return SQLITE_IOERR_FSYNC;
  handle.file->Sync();
  if (std::exchange(handle.syncs_directory, false)) handle.world->disk.SyncDirectory();
  return SQLITE_OK;
}

int FileSize(sqlite3_file* base, sqlite3_int64* size) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  *size = static_cast<sqlite3_int64>(handle.file->bytes().size());
  return Code(handle.world->Next(Call::kSize), SQLITE_IOERR_FSTAT);
}

int Lock(sqlite3_file* base, int level) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  if (handle.world->faults.dead() && !handle.world->aside) return SQLITE_IOERR_LOCK;
  return handle.world->locks[handle.name].Lock(&handle, handle.level, level);
}

int Unlock(sqlite3_file* base, int level) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  handle.world->locks[handle.name].Unlock(&handle, handle.level, level);
  return SQLITE_OK;
}

int CheckReservedLock(sqlite3_file* base, int* reserved) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  *reserved = handle.world->locks[handle.name].Reserved();
  return SQLITE_OK;
}

int ShmMap(sqlite3_file* base, int region, int size, int extend, void volatile** memory) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  *memory = nullptr;
  if (handle.world->Next(Call::kShare) != Fate::kDone) return SQLITE_IOERR_SHMMAP;
  *memory = handle.world->shared[handle.name].Region(static_cast<size_t>(region), static_cast<size_t>(size),
                                                     extend != 0, handle.holding);
  return SQLITE_OK;
}

int ShmLock(sqlite3_file* base, int offset, int count, int flags) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  const bool dead = handle.world->faults.dead() && !handle.world->aside;
  if (dead && (flags & SQLITE_SHM_LOCK)) return SQLITE_IOERR_SHMLOCK;
  return handle.world->shared[handle.name].Lock(offset, count, flags, handle.holding);
}

void ShmBarrier(sqlite3_file* base) {
  const std::lock_guard guard(Of(base).world->mutex);
}

int ShmUnmap(sqlite3_file* base, int) {
  Handle& handle = Of(base);
  const std::lock_guard guard(handle.world->mutex);
  handle.world->shared[handle.name].Leave(handle.holding);
  return SQLITE_OK;
}

const sqlite3_io_methods kMethods = {
    2,
    Close,
    Read,
    Write,
    Truncate,
    Sync,
    FileSize,
    Lock,
    Unlock,
    CheckReservedLock,
    [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },            // xFileControl
    [](sqlite3_file*) { return static_cast<int>(MemoryDisk::kSector); },  // xSectorSize
    [](sqlite3_file*) { return 0; },                                      // xDeviceCharacteristics
    ShmMap,
    ShmLock,
    ShmBarrier,
    ShmUnmap,
    nullptr,
    nullptr,
};

int Open(sqlite3_vfs* vfs, const char* path, sqlite3_file* base, int flags, int* out_flags) {
  World& world = Of(vfs);
  const std::lock_guard guard(world.mutex);
  base->pMethods = nullptr;
  if (world.Next(Call::kOpen) != Fate::kDone) return SQLITE_CANTOPEN;
  const std::string name = path ? path : "";
  MemoryFile* file = path ? world.disk.Find(name) : nullptr;
  // The agent makes its database by itself, before SQLite opens it.
  const bool own = (flags & SQLITE_OPEN_MAIN_DB) && (flags & SQLITE_OPEN_READWRITE);
  if (!file && !own && !(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
  if (!file) file = &world.disk.Make(name);
  ++file->handles;
  ++world.handles;
  constexpr int kJournals = SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
  new (base) Handle{.base = {&kMethods},
                    .world = &world,
                    .file = file,
                    .name = name,
                    .gone_with_it = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0,
                    .syncs_directory = (flags & SQLITE_OPEN_CREATE) && (flags & kJournals),
                    .level = SQLITE_LOCK_NONE,
                    .holding = {}};
  if (out_flags) *out_flags = flags;
  return SQLITE_OK;
}

int Delete(sqlite3_vfs* vfs, const char* path, int sync_directory) {
  World& world = Of(vfs);
  const std::lock_guard guard(world.mutex);
  if (!world.disk.Find(path)) return SQLITE_IOERR_DELETE_NOENT;
  const Fate fate = world.Next(Call::kDelete);
  if (fate == Fate::kDone || fate == Fate::kDies)
    world.disk.Delete(path, fate == Fate::kDone && sync_directory);
  return Code(fate, SQLITE_IOERR_DELETE);
}

// Like the system's: an empty file counts as none.
int Access(sqlite3_vfs* vfs, const char* path, int, int* result) {
  World& world = Of(vfs);
  const std::lock_guard guard(world.mutex);
  const MemoryFile* file = world.disk.Find(path);
  *result = file && !file->bytes().empty();
  return Code(world.Next(Call::kSize), SQLITE_IOERR_ACCESS);
}

int FullPathname(sqlite3_vfs*, const char* path, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", path);
  return SQLITE_OK;
}

int Randomness(sqlite3_vfs* vfs, int size, char* out) {
  World& world = Of(vfs);
  const std::lock_guard guard(world.mutex);
  for (int i = 0; i < size; ++i) out[i] = static_cast<char>(world.chance.Next() & 0xff);
  return size;
}

int Sleep(sqlite3_vfs*, int microseconds) {
  std::this_thread::yield();
  return microseconds;
}

int CurrentTimeInt64(sqlite3_vfs* vfs, sqlite3_int64* time) {
  constexpr int64_t kUnixEpoch = 210866760000000;  // milliseconds of the Julian calendar
  *time = kUnixEpoch + ToMillis(Of(vfs).clock.Now());
  return SQLITE_OK;
}

int CurrentTime(sqlite3_vfs* vfs, double* days) {
  sqlite3_int64 time = 0;
  CurrentTimeInt64(vfs, &time);
  *days = static_cast<double>(time) / 86400000.0;
  return SQLITE_OK;
}

int GetLastError(sqlite3_vfs*, int, char*) {
  return 0;
}

}  // namespace

MemoryVfs::MemoryVfs(std::string name, const Clock& clock, uint64_t seed)
    : world_(std::make_unique<World>(std::move(name), clock, seed)) {
  sqlite3_vfs& vfs = world_->vfs;
  vfs.iVersion = 2;
  vfs.szOsFile = sizeof(Handle);
  vfs.mxPathname = 512;
  vfs.zName = world_->name.c_str();
  vfs.pAppData = world_.get();
  vfs.xOpen = Open;
  vfs.xDelete = Delete;
  vfs.xAccess = Access;
  vfs.xFullPathname = FullPathname;
  vfs.xRandomness = Randomness;
  vfs.xSleep = Sleep;
  vfs.xCurrentTime = CurrentTime;
  vfs.xGetLastError = GetLastError;
  vfs.xCurrentTimeInt64 = CurrentTimeInt64;
  sqlite3_vfs_register(&vfs, 0);
}

MemoryVfs::~MemoryVfs() {
  sqlite3_vfs_unregister(&world_->vfs);
}

const std::string& MemoryVfs::name() const {
  return world_->name;
}

DiskFaults& MemoryVfs::faults() {
  return world_->faults;
}

void MemoryVfs::PowerLoss(uint64_t seed) {
  const std::lock_guard guard(world_->mutex);
  world_->disk.PowerLoss(seed);
  world_->faults.Reset();
}

void MemoryVfs::Reopen() {
  const std::lock_guard guard(world_->mutex);
  world_->faults.Reset();
}

void MemoryVfs::CopyFrom(const MemoryVfs& other) {
  const std::lock_guard guard(world_->mutex);
  world_->disk.CopyFrom(other.world_->disk);
}

MemoryVfs::Aside::Aside(MemoryVfs& disk) : disk_(disk) {
  const std::lock_guard guard(disk_.world_->mutex);
  ++disk_.world_->aside;
}

MemoryVfs::Aside::~Aside() {
  const std::lock_guard guard(disk_.world_->mutex);
  --disk_.world_->aside;
}

int64_t MemoryVfs::Size(const std::string& path) const {
  const std::lock_guard guard(world_->mutex);
  const MemoryFile* file = world_->disk.Find(path);
  return file ? static_cast<int64_t>(file->bytes().size()) : -1;
}

int MemoryVfs::open_files() const {
  const std::lock_guard guard(world_->mutex);
  return world_->handles;
}

}  // namespace tmc
