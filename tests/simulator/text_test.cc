#include "tests/simulator/text.h"

#include <doctest/doctest.h>

using namespace tmc;
using namespace tmc::sim;

TEST_CASE("Text: forms decode pluses, escapes and broken escapes") {
  CHECK(Decode("a+b%20c%2Cd%zz%4") == "a b c,d%zz%4");
  CHECK(Decode(Encode("a+b & c=d ~ %2B \"引号\" 😀")) == "a+b & c=d ~ %2B \"引号\" 😀");
  Params params;
  DecodeForm("a=1&a=2&b&=x&&c=%E6%B5%8B", params);
  CHECK(params == Params{{"a", "1"}, {"b", ""}, {"", "x"}, {"c", "测"}});
}

TEST_CASE("Text: splitting keeps empty pieces and makes none of nothing") {
  CHECK(Split("", ',').empty());
  CHECK(Split("a,,b,", ',') == std::vector<std::string_view>{"a", "", "b", ""});
}

TEST_CASE("Text: durations have units and signs") {
  CHECK(ParseDuration("300") == 300s);
  CHECK(ParseDuration("-90s") == -90s);
  CHECK(ParseDuration("+5m") == 5min);
  CHECK(ParseDuration("100ms") == 100ms);
  CHECK(ParseDuration("20h") == 20h);
  for (const char* bad : {"", "s", "-", "5x", "1.5s", "99999999999999999999"})
    CHECK_FALSE(ParseDuration(bad));
}

TEST_CASE("Text: platform times are UTC+8 and nothing but their form") {
  const auto time = ParsePlatformTime("2026-01-15 08:30:00");
  REQUIRE(time);
  CHECK(ToMillis(*time) == 1768437000000);
  CHECK(PlatformTime(*time) == "2026-01-15 08:30:00");
  CHECK(HttpDate(*time) == "Thu, 15 Jan 2026 00:30:00 GMT");
  CHECK(PlatformTime(NextPlatformMidnight(*time)) == "2026-01-16 00:00:00");
  for (const char* bad : {"2026-01-15T08:30:00", "2026-02-30 00:00:00", "2026-01-15 24:00:00",
                          "2026-01-15 08:30", "2026-1-15 08:30:000"})
    CHECK_FALSE(ParsePlatformTime(bad));
  CHECK(ParseMoment("-90s", *time) == *time - 90s);
}

TEST_CASE("Text: hex goes both ways") {
  CHECK(ToHex(std::string("\x00\xFFz", 3)) == "00FF7A");
  CHECK(FromHex("00ff7A") == std::string("\x00\xFFz", 3));
  CHECK_FALSE(FromHex("0"));
  CHECK_FALSE(FromHex("0g"));
}
