#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tmc {

// The parts of an http(s) address that matter here.
struct Url {
  std::string scheme;  // "http" or "https"
  std::string host;    // lower case; an IPv6 address without its brackets
  int port = 0;        // told, or the scheme's
};

// Strict on purpose: a user name, blanks, control characters, backslashes and everything else in which two
// readers of one address could see two different hosts is refused.
std::optional<Url> ParseUrl(std::string_view text);

// This machine itself: localhost, 127.0.0.0/8, ::1.
bool IsLoopback(std::string_view host);

}  // namespace tmc
