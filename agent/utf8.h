#pragma once

#include <cstddef>
#include <string_view>

namespace tmc::utf8 {

// Bytes of the UTF-8 character at the front of `text` (1 to 4), or 0 where there is none: a stray or cut
// byte, an overlong form, a surrogate, beyond U+10FFFF.
size_t ValidLength(std::string_view text);

inline bool Valid(std::string_view text) {
  while (!text.empty()) {
    const size_t length = ValidLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace tmc::utf8
