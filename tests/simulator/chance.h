#pragma once

#include <cstdint>
#include <utility>

namespace tmc::sim {

// Chance that is the same everywhere for one seed (splitmix64).
class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t Below(uint64_t limit) { return limit == 0 ? 0 : Next() % limit; }
  bool Hit(double probability) {
    return probability > 0 && static_cast<double>(Next() >> 11) * 0x1.0p-53 < probability;
  }
  template <typename Iterator>
  void Shuffle(Iterator begin, Iterator end) {
    for (auto left = end - begin; left > 1; --left)
      std::swap(begin[left - 1], begin[static_cast<decltype(left)>(Below(static_cast<uint64_t>(left)))]);
  }

 private:
  uint64_t state_;
};

}  // namespace tmc::sim
