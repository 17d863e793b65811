#include <doctest/doctest.h>

#include <cstdlib>
#include <ctime>

#include "adapters/top/china_time.h"

using namespace tmc;
using namespace tmc::top;

TEST_CASE("ChinaTime: eight hours ahead of UTC, in whole seconds, both ways") {
  const Time time = FromMillis(1768437000000);
  CHECK(ChinaTime(time) == "2026-01-15 08:30:00");
  CHECK(ChinaTime(time + 999ms) == "2026-01-15 08:30:00");
  CHECK(ReadChinaTime("2026-01-15 08:30:00") == time);
  CHECK(ChinaTime(FromMillis(0)) == "1970-01-01 08:00:00");
  CHECK(ChinaTime(*ReadChinaTime("2028-02-29 23:59:59") + 1s) == "2028-03-01 00:00:00");
}

TEST_CASE("ChinaTime: the machine's zone changes nothing") {
  const char* before = std::getenv("TZ");
  const std::string kept = before ? before : "";
  for (const char* zone : {"UTC", "America/New_York", "Asia/Kathmandu", "XYZ+5"}) {
    setenv("TZ", zone, 1);
    tzset();
    CHECK(ChinaTime(FromMillis(1768437000000)) == "2026-01-15 08:30:00");
    CHECK(ReadChinaTime("2026-07-15 08:30:00") == FromMillis(1784075400000));
  }
  before ? setenv("TZ", kept.c_str(), 1) : unsetenv("TZ");
  tzset();
}

TEST_CASE("ChinaTime: what is no time is refused") {
  for (const char* text :
       {"", "2026-01-15", "2026-01-15T08:30:00", "2026-01-15 08:30", "2026-01-15 08:30:00.0",
        "2026-13-15 08:30:00", "2026-00-15 08:30:00", "2026-02-30 08:30:00", "2026-01-15 24:30:00",
        "2026-01-15 08:60:00", "2026-01-15 08:30:60", "2026-01-15 08:30:-1", "2026-01-15  8:30:00",
        "20x6-01-15 08:30:00"})
    CHECK_FALSE(ReadChinaTime(text));
}
