#include "agent/store_file.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "agent/log.h"
#include "agent/store.h"

namespace tmc::store_file {
namespace {

// Nothing here may open an existing database: closing a descriptor of a file ends all POSIX locks of the
// process on it, also those of SQLite's connections, and another program's last close would then take the
// -wal away from under us (sqlite.org/howtocorrupt.html, 2.2).

std::string Reason() {
  return std::strerror(errno);
}

gid_t GroupId(const std::string& name) {
  const group* found = getgrnam(name.c_str());
  if (!found) throw StoreUnusable("there is no group " + name + " on this machine (--db-group)");
  return found->gr_gid;
}

void Make(const StoreOptions& options, mode_t mode) {
  const int fd = open(options.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0 && errno != EEXIST)
    throw StoreUnusable(options.path + " cannot be made: " + Reason() +
                        "; check the directory and its owner");
  if (fd >= 0) {
    fchmod(fd, mode);
    close(fd);
  }
}

mode_t ModeOf(const StoreOptions& options) {
  return options.group.empty() ? 0600 : 0660;
}

}  // namespace

bool GroupExists(const std::string& name) {
  return getgrnam(name.c_str()) != nullptr;
}

void SetMode(const std::string& path, const StoreOptions& options) {
  const mode_t mode = ModeOf(options);
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return;
  if (!options.group.empty() && chown(path.c_str(), static_cast<uid_t>(-1), GroupId(options.group)) != 0)
    throw StoreUnusable(path + " cannot be given to group " + options.group + ": " + Reason());
  const mode_t held = info.st_mode & 0777;
  if (held == mode) return;
  if (chmod(path.c_str(), mode) != 0) {
    if (held & ~mode)
      log::Warn("database", path + " can be read by others, and its mode cannot be changed: " + Reason());
  } else if (held & ~mode) {
    log::Warn("database", path + " could be read by others; its mode was narrowed");
  }
}

void CheckPlace(const StoreOptions& options) {
  if (!options.vfs.empty()) return;
  const std::string folder = std::filesystem::path(options.path).parent_path().string();
  struct stat info {};
  if (!folder.empty() && stat(folder.c_str(), &info) != 0)
    throw StoreUnusable(options.path + " cannot be used: its folder " + folder + ": " + Reason());
  if (stat(options.path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    throw StoreUnusable(options.path + " is " + (S_ISDIR(info.st_mode) ? "a folder" : "no ordinary file") +
                        "; name the database file itself");
}

int64_t Size(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<int64_t>(info.st_size) : -1;
}

void Prepare(const StoreOptions& options) {
  if (!options.vfs.empty()) return;
  CheckPlace(options);
  const int64_t size = Size(options.path);
  if (size < 0 && (options.read_only || !options.create))
    throw StoreUnusable(options.path + " cannot be read: " + Reason() +
                        (errno == ENOENT ? "; has the agent run with this --db yet?"
                                         : "; check its owner and mode, and who runs this"));
  if (size <= 0 && Size(options.path + "-wal") > 0)
    throw StoreUnusable(options.path + " is empty or missing, but its -wal holds rows; restore the file, " +
                        "or move the -wal away if you mean to begin anew");
  if (size == 0 && options.read_only)
    throw StoreUnusable(options.path + " is empty; has the agent run with this --db yet?");
  if (options.read_only || !options.create) return;
  Make(options, ModeOf(options));
}

void Narrow(const StoreOptions& options) {
  if (!options.vfs.empty() || options.read_only || !options.create) return;
  for (const char* suffix : {"", "-wal", "-shm"}) SetMode(options.path + suffix, options);
}

}  // namespace tmc::store_file
