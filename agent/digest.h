#pragma once

#include <string>
#include <string_view>

namespace tmc {

// SHA-256, lower-case hex (64 characters).
std::string Sha256Hex(std::string_view bytes);

}  // namespace tmc
