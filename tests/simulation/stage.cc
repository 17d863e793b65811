#include "tests/simulation/stage.h"

#include <cmath>

namespace tmc::simulation {

milliseconds Stage::Duration(milliseconds least, milliseconds most) {
  const double low = std::log(static_cast<double>(least.count())),
               high = std::log(static_cast<double>(most.count()));
  const double at = static_cast<double>(chance.Next() >> 11) * 0x1.0p-53;
  return milliseconds(static_cast<int64_t>(std::exp(low + (high - low) * at)));
}

}  // namespace tmc::simulation
