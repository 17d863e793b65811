#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/clock.h"

namespace tmc::top {

// TOP's wall clock, `yyyy-MM-dd HH:mm:ss`, is UTC+8 without daylight saving. Arithmetic alone: neither TZ nor
// the zone files of the machine can change it.
std::string ChinaTime(Time time);
std::optional<Time> ReadChinaTime(std::string_view text);

}  // namespace tmc::top
