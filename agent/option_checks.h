#pragma once

#include <optional>

#include "agent/options.h"

namespace tmc {

// What a command line lacks or contradicts once all of it has been read; nothing when it can be obeyed.
std::optional<OptionsProblem> CheckOptions(const Options& options);

}  // namespace tmc
