#pragma once

#include <atomic>
#include <optional>

#include "agent/clock.h"

namespace tmc {

// The platform's time, told from the Date of its answers; never ahead of it by more than the answer's
// travel. Shared by the loops (atomics only).
class PlatformClock {
 public:
  explicit PlatformClock(const Clock& clock) : clock_(clock) {}
  Time Now() const { return clock_.Now() + milliseconds(offset_.load()); }
  // A Date (whole second) of an answer that parsed as the platform's own. A jump of over 60 s is not taken,
  // but asks for a check.
  void Observe(Time date);
  // What taobao.time.get (or its like) said: taken as it is. False when it was known already: two loops may
  // ask at the same time.
  bool Set(Time told);
  // The platform refused our timestamp.
  void Refused(std::optional<Time> date);
  // A check with the platform's time interface is due; stamped with Tentative().
  bool check_due() const { return check_due_.load(); }
  Time Tentative() const { return clock_.Now() + milliseconds(tentative_.load()); }
  void CheckFailed();  // try again after the next sign of trouble
  milliseconds offset() const { return milliseconds(offset_.load()); }

 private:
  const Clock& clock_;
  std::atomic<int64_t> offset_{0}, tentative_{0};
  std::atomic<bool> check_due_{false};
};

}  // namespace tmc
