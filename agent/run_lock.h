#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace tmc {

// The right to run on a database: a lock on the file `<db>.lock`, which the kernel takes away with the
// process. The file stays behind; it means nothing by itself. Only one RunLock a database and process: the
// kernel counts such locks by process, and closing any descriptor of the file would end them all.
class RunLock {
 public:
  // Throws std::runtime_error with a sentence where the file can be neither opened nor made.
  explicit RunLock(const std::string& db);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  // False when another process holds it.
  [[nodiscard]] bool Take();
  // The other process that holds it now.
  std::optional<pid_t> Holder() const;

 private:
  const std::string file_;
  int descriptor_;
};

}  // namespace tmc
