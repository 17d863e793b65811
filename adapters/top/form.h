#pragma once

#include <string>

#include "adapters/top/sign.h"

namespace tmc::top {

// application/x-www-form-urlencoded: everything but unreserved characters (RFC 3986) is percent-encoded, so
// that every decoder reads back the text that was signed.
std::string FormEncoded(const Parameters& parameters);

}  // namespace tmc::top
