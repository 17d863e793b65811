#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "agent/clock.h"

namespace tmc {

// A thread that does one thing again and again. The one place that catches a local failure: busy, again;
// full, wait; I/O error, damage or anything unknown, end with a status and let the next start recover.
class Loop {
 public:
  // `step` returns false when it is done.
  Loop(std::string name, std::function<bool(std::stop_token)> step);
  void Start();
  void Stop();  // asks it to end
  bool ended() const { return ended_.load(); }
  int exit_status() const { return exit_status_.load(); }  // 0, 70 or 74; once ended
  uint64_t steps() const { return steps_.load(); }         // moves while it works
  const std::string& name() const { return name_; }

 private:
  void Run(std::stop_token stop);
  // What to do after a failure: false ends the loop.
  bool Survive(const std::exception& error, std::stop_token stop);
  void Rest(milliseconds pause, std::stop_token stop);

  std::string name_;
  std::function<bool(std::stop_token)> step_;
  std::atomic<bool> ended_{false};
  std::atomic<int> exit_status_{0};
  std::atomic<uint64_t> steps_{0};
  bool full_ = false;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace tmc
