#pragma once

#include <chrono>

namespace tmc {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

// A moment, UTC, in milliseconds since the epoch: the unit of every time column.
using Time = std::chrono::sys_time<milliseconds>;

inline Time FromMillis(int64_t since_epoch) {
  return Time(milliseconds(since_epoch));
}
inline int64_t ToMillis(Time time) {
  return time.time_since_epoch().count();
}

// Where the agent's time comes from. Tests hand in a clock that moves when told.
class Clock {
 public:
  virtual ~Clock() = default;
  // This machine's idea of the time; it may jump, and it may be wrong.
  virtual Time Now() const = 0;
  // Never goes back; only differences mean anything.
  virtual milliseconds Steady() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time Now() const override;
  milliseconds Steady() const override;
};

}  // namespace tmc
