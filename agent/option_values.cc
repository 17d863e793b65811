#include "agent/option_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace tmc {
namespace {

constexpr int64_t kMostDays = 10'000;
constexpr int kPlatformOffset = 8 * 60;  // minutes

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Reads from the front of a text; every failure is remembered.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}
  int Digits(size_t count) {
    int number = 0;
    if (rest_.size() < count ||
        !std::all_of(rest_.begin(), rest_.begin() + static_cast<long>(count), IsDigit)) {
      good_ = false;
      return 0;
    }
    std::from_chars(rest_.data(), rest_.data() + count, number);
    rest_.remove_prefix(count);
    return number;
  }
  bool Take(char expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Need(char expected) { good_ = Take(expected) && good_; }
  // Digits behind a point as thousandths; further ones are dropped.
  int Thousandths() {
    size_t count = 0;
    while (count < rest_.size() && IsDigit(rest_[count])) ++count;
    int number = 0;
    for (size_t i = 0; i < 3; ++i) number = number * 10 + (i < count ? rest_[i] - '0' : 0);
    good_ = good_ && count > 0;
    rest_.remove_prefix(count);
    return number;
  }
  bool AtDigit() const { return !rest_.empty() && IsDigit(rest_[0]); }
  bool AtEnd() const { return rest_.empty(); }
  bool good() const { return good_; }
  void Fail() { good_ = false; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

std::chrono::sys_days ScanDay(Scanner& scan) {
  const int year = scan.Digits(4);
  scan.Need('-');
  const int month = scan.Digits(2);
  scan.Need('-');
  const int day = scan.Digits(2);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year < 1970) scan.Fail();
  return scan.good() ? std::chrono::sys_days(date) : std::chrono::sys_days();
}

milliseconds ScanClock(Scanner& scan) {
  const int hour = scan.Digits(2);
  scan.Need(':');
  const int minute = scan.Digits(2);
  const int second = scan.Take(':') ? scan.Digits(2) : 0;
  const int thousandth = scan.Take('.') ? scan.Thousandths() : 0;
  if (hour > 23 || minute > 59 || second > 59) scan.Fail();
  return std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second) +
         milliseconds(thousandth);
}

std::chrono::minutes ScanOffset(Scanner& scan) {
  if (scan.AtEnd()) return std::chrono::minutes(kPlatformOffset);
  if (scan.Take('Z')) return std::chrono::minutes(0);
  const bool west = scan.Take('-');
  if (!west) scan.Need('+');
  const int hours = scan.Digits(2);
  const bool more = scan.Take(':') || scan.AtDigit();
  const int minutes = more ? scan.Digits(2) : 0;
  if (hours > 14 || minutes > 59) scan.Fail();
  return std::chrono::minutes((hours * 60 + minutes) * (west ? -1 : 1));
}

// Letters to add, drop, change or swap with their neighbour between two words.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> table(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      size_t& cell = table[i][j];
      if (i == 0 || j == 0) {
        cell = i + j;
        continue;
      }
      cell = std::min(
          {table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cell = std::min(cell, table[i - 2][j - 2] + 1);
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::optional<int64_t> ParseWhole(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> ParseFraction(std::string_view text) {
  double number = 0;
  const bool plain = std::ranges::all_of(text, [](char c) { return IsDigit(c) || c == '.'; });
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!plain || text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<milliseconds> ParseDuration(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = ParseWhole(text.substr(0, digits));
  const std::string_view unit = text.substr(digits);
  constexpr std::array<std::pair<std::string_view, milliseconds>, 6> kUnits{
      {{"", 1s}, {"ms", 1ms}, {"s", 1s}, {"m", 1min}, {"h", 1h}, {"d", 24h}}};
  const auto found = std::ranges::find(kUnits, unit, [](const auto& known) { return known.first; });
  if (!number || found == kUnits.end() || *number > kMostDays * 24h / found->second) return std::nullopt;
  return found->second * *number;
}

std::optional<Time> ParseTime(std::string_view text) {
  Scanner scan(text);
  const std::chrono::sys_days day = ScanDay(scan);
  milliseconds clock{0};
  if (scan.Take('T') || scan.Take(' ')) clock = ScanClock(scan);
  const std::chrono::minutes offset = ScanOffset(scan);
  if (!scan.good() || !scan.AtEnd()) return std::nullopt;
  return Time(day) + clock - offset;
}

std::string_view Nearest(std::string_view word, const std::vector<std::string_view>& known) {
  constexpr size_t kLongest = 40;
  if (word.empty() || word.size() > kLongest) return "";
  std::string_view nearest;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const size_t distance = Distance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace tmc
