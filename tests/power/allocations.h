#pragma once

#include <cstdint>

namespace tmc::allocations {

// Puts itself between SQLite and its memory; before SQLite is used at all.
void Install();
// The n-th allocation from now fails, and `times` - 1 after it. 0: none does.
void FailAt(uint64_t n, uint64_t times = 1);
uint64_t Failed();  // since FailAt

}  // namespace tmc::allocations
