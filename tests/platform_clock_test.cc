#include "agent/platform_clock.h"

#include <doctest/doctest.h>

#include "tests/support/fake_clock.h"

using namespace tmc;

TEST_CASE("PlatformClock: a Date a little ahead or well behind moves it, one inside the blur does not") {
  FakeClock here;
  PlatformClock clock(here);
  clock.Observe(here.Now() + 20s);
  CHECK(clock.offset() == 20s);
  clock.Observe(here.Now() + 18s);  // the start of its second, and a slow answer
  CHECK(clock.offset() == 20s);
  clock.Observe(here.Now() + 17s);
  CHECK(clock.offset() == 17s);
  CHECK(clock.Now() == here.Now() + 17s);
  CHECK_FALSE(clock.check_due());
}

TEST_CASE("PlatformClock: a jump of over a minute is not taken, but asks for a check") {
  for (const milliseconds jump : {61s, -61s}) {
    FakeClock here;
    PlatformClock clock(here);
    clock.Observe(here.Now() + jump);
    CHECK(clock.offset() == 0ms);
    CHECK(clock.check_due());
    CHECK(clock.Tentative() == here.Now() + jump);
    clock.Set(here.Now() + jump + 500ms);
    CHECK(clock.offset() == jump + 500ms);
    CHECK_FALSE(clock.check_due());
  }
}

TEST_CASE("PlatformClock: exactly a minute is still taken as it is") {
  FakeClock here;
  PlatformClock clock(here);
  clock.Observe(here.Now() + 60s);
  CHECK(clock.offset() == 60s);
  CHECK_FALSE(clock.check_due());
}

TEST_CASE("PlatformClock: a refused timestamp asks for a check, stamped with the Date if there was one") {
  FakeClock here;
  PlatformClock clock(here);
  clock.Refused(here.Now() + 1h);
  CHECK(clock.check_due());
  CHECK(clock.Tentative() == here.Now() + 1h);
  CHECK(clock.Now() == here.Now());
  clock.CheckFailed();
  CHECK_FALSE(clock.check_due());
  clock.Refused(std::nullopt);
  CHECK(clock.check_due());
  CHECK(clock.Tentative() == here.Now() + 1h);
}

TEST_CASE("PlatformClock: it follows a machine whose clock is set meanwhile, after a check") {
  FakeClock here;
  PlatformClock clock(here);
  const Time platform = here.Now();
  here.SetWall(here.Now() + 24h);
  clock.Observe(platform);
  REQUIRE(clock.check_due());
  clock.Set(platform);
  CHECK(clock.Now() == platform);
}
