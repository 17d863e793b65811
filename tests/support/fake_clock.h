#pragma once

#include <atomic>

#include "agent/clock.h"

namespace tmc {

// A clock that moves when told. The wall time can be set apart from the steady time, as on a real machine.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(Time now = FromMillis(1'767'225'600'000))
      : wall_(ToMillis(now)) {}  // 2026-01-01T00:00:00Z
  Time Now() const override { return FromMillis(wall_); }
  milliseconds Steady() const override { return milliseconds(steady_.load()); }
  void Advance(milliseconds step) {
    wall_ += step.count();
    steady_ += step.count();
  }
  void SetWall(Time now) { wall_ = ToMillis(now); }

 private:
  std::atomic<int64_t> wall_;
  std::atomic<int64_t> steady_{1'000'000};
};

}  // namespace tmc
