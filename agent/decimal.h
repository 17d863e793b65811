#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tmc {

// An exact amount of money: up to 12 digits before the point and 6 behind it. No binary floating point.
class Decimal {
 public:
  Decimal() = default;
  // "110.00", "0.1", "-3", ".5" is refused, so are exponents, blanks, signs other than one minus,
  // and anything that does not fit.
  static std::optional<Decimal> Parse(std::string_view text);
  // Hundredths (fen, cents), where the amount is a whole number of them.
  std::optional<int64_t> MinorUnits() const;
  // Canonical text: at least two digits behind the point, no further zeros ("110.00", "0.001").
  std::string Text() const;
  Decimal operator+(Decimal other) const;
  auto operator<=>(const Decimal&) const =
      default;  // NOLINT(modernize-use-nullptr): taken for a null pointer

 private:
  int64_t millionths_ = 0;
};

}  // namespace tmc
