#include "tests/simulator/text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include "agent/json.h"

namespace tmc::sim {
namespace {

using std::chrono::days;
using std::chrono::floor;
using std::chrono::hh_mm_ss;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr auto kZone = 8h;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<int64_t> Number(std::string_view digits) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<milliseconds> Unit(std::string_view name) {
  if (name == "ms") return 1ms;
  if (name.empty() || name == "s") return 1s;
  if (name == "m") return 1min;
  if (name == "h") return 1h;
  if (name == "d") return 24h;
  return std::nullopt;
}

}  // namespace

std::string Decode(std::string_view form) {
  std::string text;
  text.reserve(form.size());
  for (size_t i = 0; i < form.size(); ++i) {
    const bool escape =
        form[i] == '%' && i + 2 < form.size() && HexDigit(form[i + 1]) >= 0 && HexDigit(form[i + 2]) >= 0;
    if (escape) {
      text += static_cast<char>(HexDigit(form[i + 1]) * 16 + HexDigit(form[i + 2]));
      i += 2;
    } else {
      text += form[i] == '+' ? ' ' : form[i];
    }
  }
  return text;
}

std::string Encode(std::string_view text) {
  std::string form;
  for (char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    form += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return form;
}

void DecodeForm(std::string_view form, Params& into) {
  for (std::string_view pair : Split(form, '&')) {
    const size_t equals = std::min(pair.find('='), pair.size());
    if (pair.empty()) continue;
    into.emplace(Decode(pair.substr(0, equals)), Decode(pair.substr(std::min(equals + 1, pair.size()))));
  }
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    pieces.push_back(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) pieces.push_back(text);
  }
  return pieces;
}

std::string_view Find(const Params& params, std::string_view name) {
  const auto found = params.find(name);
  return found == params.end() ? std::string_view() : std::string_view(found->second);
}

std::string ToHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (char c : bytes) {
    hex += kDigits[(c >> 4) & 15];
    hex += kDigits[c & 15];
  }
  return hex;
}

std::optional<std::string> FromHex(std::string_view hex) {
  std::string bytes;
  if (hex.size() % 2 != 0) return std::nullopt;
  for (size_t i = 0; i < hex.size(); i += 2) {
    if (HexDigit(hex[i]) < 0 || HexDigit(hex[i + 1]) < 0) return std::nullopt;
    bytes += static_cast<char>(HexDigit(hex[i]) * 16 + HexDigit(hex[i + 1]));
  }
  return bytes;
}

std::string Quote(std::string_view text) {
  json::Writer writer;
  writer.String(text);
  return writer.Take();
}

std::string Replace(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::optional<milliseconds> ParseDuration(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = Number(text.substr(0, digits));
  const auto unit = Unit(text.substr(digits));
  if (!number || !unit || *number > int64_t{1} << 40) return std::nullopt;
  return *number * *unit * (minus ? -1 : 1);
}

std::optional<Time> ParsePlatformTime(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd dd:dd:dd";
  if (text.size() != kForm.size()) return std::nullopt;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == 'd' ? !digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto part = [&](size_t at, size_t size) { return static_cast<int>(*Number(text.substr(at, size))); };
  const year_month_day date{std::chrono::year(part(0, 4)),
                            std::chrono::month(static_cast<unsigned>(part(5, 2))),
                            std::chrono::day(static_cast<unsigned>(part(8, 2)))};
  const int hour = part(11, 2), minute = part(14, 2), second = part(17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return Time(sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) + seconds(second) -
         kZone;
}

std::optional<Time> ParseMoment(std::string_view text, Time now) {
  if (const auto absolute = ParsePlatformTime(text)) return absolute;
  if (const auto relative = ParseDuration(text)) return now + *relative;
  return std::nullopt;
}

std::string PlatformTime(Time time) {
  const auto day = floor<days>(time + kZone);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<seconds>(time + kZone - day));
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string HttpDate(Time time) {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<seconds>(time - day));
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                     kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

Time NextPlatformMidnight(Time now) {
  return Time(floor<days>(now + kZone) + days(1)) - kZone;
}

}  // namespace tmc::sim
