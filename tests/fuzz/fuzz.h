#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

// A promise about whatever bytes came; a broken one is a finding like a crash.
#define PROMISE(what)                                                                 \
  do {                                                                                \
    if (!(what)) {                                                                    \
      std::fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #what); \
      std::abort();                                                                   \
    }                                                                                 \
  } while (false)

namespace tmc::fuzz {

inline std::string_view Text(const unsigned char* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace tmc::fuzz

// libFuzzer calls it with each input.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size);
