#include "agent/decimal.h"

namespace tmc {
namespace {
constexpr int64_t kUnit = 1000000;
constexpr int64_t kPerMinor = kUnit / 100;
constexpr size_t kMaxWhole = 12, kMaxFraction = 6;

bool Digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

int64_t Number(std::string_view digits) {
  int64_t number = 0;
  for (char digit : digits) number = number * 10 + (digit - '0');
  return number;
}
}  // namespace

std::optional<Decimal> Decimal::Parse(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus) text.remove_prefix(1);
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string fraction(point == text.npos ? "0" : text.substr(point + 1));
  if (!Digits(whole) || !Digits(fraction) || whole.size() > kMaxWhole || fraction.size() > kMaxFraction)
    return std::nullopt;
  fraction.resize(kMaxFraction, '0');
  Decimal amount;
  amount.millionths_ = (Number(whole) * kUnit + Number(fraction)) * (minus ? -1 : 1);
  return amount;
}

std::optional<int64_t> Decimal::MinorUnits() const {
  if (millionths_ % kPerMinor != 0) return std::nullopt;
  return millionths_ / kPerMinor;
}

std::string Decimal::Text() const {
  const int64_t size = millionths_ < 0 ? -millionths_ : millionths_;
  std::string fraction = std::to_string(kUnit + size % kUnit).substr(1);
  while (fraction.size() > 2 && fraction.back() == '0') fraction.pop_back();
  return (millionths_ < 0 ? "-" : "") + std::to_string(size / kUnit) + "." + fraction;
}

Decimal Decimal::operator+(Decimal other) const {
  Decimal sum;
  sum.millionths_ = millionths_ + other.millionths_;
  return sum;
}

}  // namespace tmc
