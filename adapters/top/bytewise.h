#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tmc::top {

// How to step over the characters of a broken text. The second byte of a GBK character may be a backslash
// that escapes nothing (95 5C), and a backslash behind half a UTF-8 character does escape: no way is right
// for all.
enum class Stepping {
  kBytes,  // each byte for itself
  kMixed,  // UTF-8 where it is valid, else pairs of GBK
  kPairs,  // pairs of GBK
};

struct BrokenObject {
  size_t size;        // bytes of the object, from { to }
  std::string ascii;  // the same with everything replaced by ? that is not JSON in ASCII
};

// An object at the front of a text whose strings may hold anything. `budget` falls by the bytes looked at; at
// 0 nothing is found any more, so that no text, however made, takes more than its share.
std::optional<BrokenObject> StepOver(std::string_view text, Stepping stepping, size_t& budget);

}  // namespace tmc::top
