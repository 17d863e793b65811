#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tmc::top {

// Decoded UTF-8 parameters, public and business, in byte order of their names.
using Parameters = std::map<std::string, std::string>;

// TOP's signature (call protocol, document 101617): upper-case hex over name, value, name, value …; pairs
// with an empty name or value are left out, and `sign` itself. `method` is md5, hmac or hmac-sha256.
std::string Sign(const Parameters& parameters, std::string_view method, std::string_view secret);

}  // namespace tmc::top
