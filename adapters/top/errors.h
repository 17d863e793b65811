#pragma once

#include <cstdint>
#include <string_view>

#include "adapters/top/calls.h"
#include "agent/json.h"
#include "agent/outcome.h"

namespace tmc::top {

// Whose fault an error_response is. The one place where TOP's error codes are looked at.
Fault SortFault(int64_t code, std::string_view sub_code, Asked asked);

// The object inside `error_response`, sorted.
Error ReadError(json::Node error_response, const Call& call);

}  // namespace tmc::top
