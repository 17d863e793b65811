#include "agent/option_values.h"

#include <doctest/doctest.h>

using namespace tmc;

TEST_CASE("OptionValues: durations with and without a unit") {
  CHECK(ParseDuration("300") == 300s);
  CHECK(ParseDuration("0") == 0ms);
  CHECK(ParseDuration("100ms") == 100ms);
  CHECK(ParseDuration("300s") == 300s);
  CHECK(ParseDuration("5m") == 5min);
  CHECK(ParseDuration("20h") == 20h);
  CHECK(ParseDuration("2d") == 48h);
  for (const char* text :
       {"", "s", "-1", "+1", "1.5h", "1 s", " 1", "1s ", "1S", "1w", "5mm", "0x10", "1e3", "10001d",
        "9223372036854775807", "99999999999999999999d", "9223372036854775807ms"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseDuration(text));
  }
  CHECK(ParseDuration("10000d") == 240000h);
}

TEST_CASE("OptionValues: times are UTC+8 unless they say otherwise") {
  const Time time = FromMillis(1768437000000);  // 2026-01-15T00:30:00Z
  for (const char* text :
       {"2026-01-15T08:30:00", "2026-01-15 08:30", "2026-01-15T08:30", "2026-01-15T00:30:00Z",
        "2026-01-15T00:30Z", "2026-01-15T08:30:00+08:00", "2026-01-15T08:30:00+0800",
        "2026-01-15T08:30:00.000+08", "2026-01-14T19:30:00-05:00", "2026-01-15T06:00:00+05:30"}) {
    CAPTURE(text);
    CHECK(ParseTime(text) == time);
  }
  CHECK(ParseTime("2026-01-15") == time - 8h - 30min);
  CHECK(ParseTime("2026-01-15T08:30:00.1239") == time + 123ms);
  CHECK(ParseTime("2024-02-29T00:00Z") == FromMillis(1709164800000));
}

TEST_CASE("OptionValues: what is no time is refused") {
  for (const char* text : {"",
                           "now",
                           "2026-1-15",
                           "2026-01-15T",
                           "2026-01-15T8:30",
                           "2026-13-01",
                           "2026-02-29",
                           "2026-00-10",
                           "2026-01-00",
                           "2026-01-15T24:00",
                           "2026-01-15T08:60",
                           "2026-01-15T08:30:60",
                           "2026-01-15T08:30:00z",
                           "2026-01-15T08:30:00.",
                           "2026-01-15T08:30:00+",
                           "2026-01-15T08:30:00+15:00",
                           "2026-01-15T08:30:00+08:0",
                           "2026-01-15T08:30:00Z ",
                           "2026-01-15x",
                           "20260115",
                           "1768437000",
                           "1969-12-31",
                           "02026-01-15",
                           "-026-01-15"}) {
    CAPTURE(text);
    CHECK_FALSE(ParseTime(text));
  }
}

TEST_CASE("OptionValues: numbers are whole texts") {
  CHECK(ParseWhole("9007199254740993") == 9007199254740993);
  CHECK(ParseWhole("-1") == -1);
  for (const char* text : {"", "1x", " 1", "1 ", "0x1", "1.0", "9223372036854775808"})
    CHECK_FALSE(ParseWhole(text));
  CHECK(ParseFraction("0.5") == 0.5);
  CHECK(ParseFraction("20") == 20);
  for (const char* text : {"", ".", "1,5", "inf", "nan", "1e3", "-1", "0x1p3", "1.2.3"})
    CHECK_FALSE(ParseFraction(text));
}

TEST_CASE("OptionValues: a slip of the pen finds its word, a stranger none") {
  CHECK(Nearest("bacth", {"parallel", "batch", "rate"}) == "batch");
  CHECK(Nearest("max-attempt", {"max-runtime", "max-attempts"}) == "max-attempts");
  CHECK(Nearest("rtae", {"rate"}) == "rate");
  CHECK(Nearest("colour", {"batch", "rate"}) == "");
  CHECK(Nearest("", {"a"}) == "");
  CHECK(Nearest(std::string(100'000, 'a'), {"batch"}) == "");
}
