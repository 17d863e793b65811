#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tmc {

using Words = std::vector<std::string>;

// Looks again and again until `ready` or the time is over; says which.
template <typename Ready>
bool WaitUntil(Ready ready, std::chrono::milliseconds most = std::chrono::seconds(20));
void ShortPause();
// All bytes of a file, "" where there is none.
std::string FileContent(const std::string& path);

// How a program ended.
struct Ended {
  int status = -1;  // the exit status, or minus the signal that killed it
  std::string out, err;
};

struct Launch {
  Words words;                                 // the program and its arguments
  Words environment = {"PATH=/usr/bin:/bin"};  // all of it
  std::optional<size_t> file_limit{};          // bytes a file may have (RLIMIT_FSIZE; SIGXFSZ is ignored)
};

// A program that a test started; killed and reaped at the latest with this object, and by the kernel when
// the test itself dies. Its output goes to two files: nobody blocks on a full pipe.
class Child {
 public:
  // `place`: where the files are made, as place.out and place.err.
  Child(const Launch& launch, const std::string& place);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  bool Running();
  void Signal(int number);
  void Kill();  // SIGKILL, and gone when this returns
  // Waits for its end; one that does not end in time is killed, with status -9.
  Ended Wait(std::chrono::milliseconds most = std::chrono::seconds(60));
  std::string Out() const;
  std::string Err() const;

 private:
  std::string place_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

template <typename Ready>
bool WaitUntil(Ready ready, std::chrono::milliseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  while (!ready()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ShortPause();
  }
  return true;
}

}  // namespace tmc
