#pragma once

#include <string>

namespace tmc {

// A file system of its own with so many KiB, at `path` (made here). It can be mounted by root alone, and in
// a mount namespace of the test's process: nothing is left behind, however the test ends.
class SmallDisk {
 public:
  SmallDisk(const std::string& path, int kibibytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // Why there is none; "" where there is.
  const std::string& missing() const { return missing_; }
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  // Takes all the room that is left; MakeRoom gives it back.
  void Fill();
  void MakeRoom();

 private:
  std::string path_, missing_;
};

}  // namespace tmc
