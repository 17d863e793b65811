#include "adapters/top/china_time.h"

#include <fmt/format.h>

namespace tmc::top {
namespace {

constexpr std::chrono::hours kOffset{8};

// Digits only: no sign, no blank.
std::optional<int> Number(std::string_view digits) {
  int number = 0;
  for (char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + (digit - '0');
  }
  return number;
}

bool Punctuated(std::string_view text) {
  return text.size() == 19 && text[4] == '-' && text[7] == '-' && text[10] == ' ' && text[13] == ':' &&
         text[16] == ':';
}

}  // namespace

std::string ChinaTime(Time time) {
  using namespace std::chrono;
  const auto local = floor<seconds>(time) + kOffset;
  const auto day = floor<days>(local);
  const year_month_day date(day);
  const hh_mm_ss clock(local - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", int(date.year()), unsigned(date.month()),
                     unsigned(date.day()), clock.hours().count(), clock.minutes().count(),
                     clock.seconds().count());
}

std::optional<Time> ReadChinaTime(std::string_view text) {
  using namespace std::chrono;
  if (!Punctuated(text)) return std::nullopt;
  const auto y = Number(text.substr(0, 4)), mo = Number(text.substr(5, 2)), d = Number(text.substr(8, 2));
  const auto h = Number(text.substr(11, 2)), mi = Number(text.substr(14, 2)), s = Number(text.substr(17, 2));
  if (!y || !mo || !d || !h || !mi || !s || *h > 23 || *mi > 59 || *s > 59) return std::nullopt;
  const year_month_day date{year(*y), month(unsigned(*mo)), day(unsigned(*d))};
  if (!date.ok()) return std::nullopt;
  return Time(sys_days(date) + hours(*h) + minutes(*mi) + seconds(*s) - kOffset);
}

}  // namespace tmc::top
