#include "agent/backoff.h"

#include <algorithm>

namespace tmc {

milliseconds Backoff(int failures, milliseconds first, milliseconds most, Random& random) {
  const int doublings = std::clamp(failures - 1, 0, 40);
  milliseconds pause = first;
  for (int i = 0; i < doublings && pause < most; ++i) pause *= 2;
  pause = std::min(pause, most);
  return pause + milliseconds(static_cast<int64_t>(random() % static_cast<uint64_t>(pause.count() / 4 + 1)));
}

}  // namespace tmc
