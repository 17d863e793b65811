#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/clock.h"

namespace tmc {

// Readers of flag values. Each takes the whole text or nothing, whatever the locale.

// `300` (seconds), `100ms`, `300s`, `5m`, `20h`, `2d`; at most 10,000 days.
std::optional<milliseconds> ParseDuration(std::string_view text);
// ISO 8601: `2026-01-15`, `2026-01-15 08:30`, `2026-01-15T08:30:00.123`, each with `Z` or an offset like
// `+08:00`; without one it is UTC+8, as the platform writes its times. A day alone is its beginning.
std::optional<Time> ParseTime(std::string_view text);
std::optional<int64_t> ParseWhole(std::string_view text);
// Digits with at most one point.
std::optional<double> ParseFraction(std::string_view text);

// The one of `known` that is most like `word`, if it is a plausible slip of the pen; else "".
std::string_view Nearest(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace tmc
