#include "tests/blackbox/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tmc {

SmallDisk::SmallDisk(const std::string& path, int kibibytes) : path_(path) {
  const std::string size = "size=" + std::to_string(kibibytes) + "k";
  const bool mounted = mkdir(path.c_str(), 0700) == 0 && unshare(CLONE_NEWNS) == 0 &&
                       mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                       mount("tmpfs", path.c_str(), "tmpfs", 0, size.c_str()) == 0;
  if (!mounted) missing_ = std::string("no disk of its own for this test: ") + std::strerror(errno);
}

SmallDisk::~SmallDisk() {
  if (missing_.empty()) umount2(path_.c_str(), MNT_DETACH);
}

void SmallDisk::Fill() {
  const int fd = open(Path("filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const std::string page(4096, 'x');
  while (write(fd, page.data(), page.size()) > 0) {
  }
  close(fd);
}

void SmallDisk::MakeRoom() {
  unlink(Path("filler").c_str());
}

}  // namespace tmc
