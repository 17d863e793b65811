#include "agent/clock.h"

namespace tmc {

Time SystemClock::Now() const {
  return std::chrono::floor<milliseconds>(std::chrono::system_clock::now());
}

milliseconds SystemClock::Steady() const {
  return std::chrono::floor<milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace tmc
