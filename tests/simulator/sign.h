#pragma once

#include <string>
#include <string_view>

#include "tests/simulator/text.h"

namespace tmc::sim {

// The signature of a TOP call, written from the document alone: sorted name and value joined, empty ones and
// `sign` left out, over UTF-8 bytes, upper-case hex. "" for a sign_method that does not exist.
std::string Sign(const Params& params, std::string_view secret, std::string_view sign_method);

bool KnownSignMethod(std::string_view sign_method);

}  // namespace tmc::sim
