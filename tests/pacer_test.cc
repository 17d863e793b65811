#include "agent/pacer.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/support/fake_clock.h"

using namespace tmc;

namespace {

struct Scene {
  FakeClock clock;
  Pacer pacer{1000, clock, 1};
  bool Take(std::string_view shop = "") { return pacer.Take("order", shop); }
  // The time until a call passes, in steps; at most `most`.
  milliseconds Until(std::string_view api, std::string_view shop, milliseconds step, milliseconds most) {
    milliseconds waited{0};
    while (!pacer.Take(api, shop) && waited < most) {
      clock.Advance(step);
      waited += step;
    }
    return waited;
  }
};

}  // namespace

TEST_CASE("Pacer: no more calls than the rate on average, and no fewer") {
  FakeClock clock;
  Pacer pacer(20, clock, 1);
  int taken = 0;
  for (int i = 0; i < 10'000; ++i) {
    while (pacer.Take("a", "")) ++taken;
    clock.Advance(1ms);
  }
  CHECK(taken >= 200);
  CHECK(taken <= 202);
}

TEST_CASE("Pacer: idle time earns only a small burst") {
  FakeClock clock;
  Pacer fast(100, clock, 1), slow(0.5, clock, 1);
  clock.Advance(1h);
  int burst = 0;
  while (fast.Take("a", "")) ++burst;
  CHECK(burst == 10);
  CHECK(slow.Take("a", ""));
  CHECK_FALSE(slow.Take("a", ""));
  CHECK(slow.Delay("a", "") == 2s);
  clock.Advance(1999ms);
  CHECK(slow.Delay("a", "") == 1ms);
  CHECK_FALSE(slow.Take("a", ""));
  clock.Advance(1ms);
  CHECK(slow.Take("a", ""));
}

TEST_CASE("Pacer: a ban lasts what was told plus at most a second, for its interface alone") {
  Scene scene;
  scene.pacer.Ban("api:order", 71s, "accesscontrol.limited-by-api-access-count");
  CHECK(scene.pacer.Closed("order", ""));
  CHECK_FALSE(scene.pacer.Closed("consume", "1"));
  CHECK(scene.pacer.Take("consume", "1"));
  CHECK(scene.pacer.Delay("order", "") >= 71s);
  CHECK(scene.pacer.Delay("order", "") <= 72s);
  const milliseconds waited = scene.Until("order", "", 10ms, 2min);
  CHECK(waited >= 71s);
  CHECK(waited <= 72s);
  CHECK_FALSE(scene.pacer.Closed("order", ""));
  CHECK(scene.pacer.Closures().empty());
}

TEST_CASE("Pacer: each scope holds up the calls that it names") {
  Scene scene;
  scene.pacer.Close("shop:1", "27 invalid-sessionkey");
  CHECK_FALSE(scene.Take("1"));
  CHECK(scene.Take("2"));
  CHECK(scene.Take());
  scene.pacer.Ban("app", 1h, "quota");
  CHECK_FALSE(scene.Take("2"));
  CHECK_FALSE(scene.pacer.Take("other", ""));
  CHECK(scene.pacer.Closed("other", "2"));
}

TEST_CASE("Pacer: bans without an end grow from a second to a minute, a success begins anew") {
  Scene scene;
  for (const milliseconds expected : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    scene.pacer.Ban("api:order", std::nullopt, "limited");
    scene.pacer.Ban("api:order", std::nullopt, "limited, was in flight");
    const milliseconds waited = scene.Until("order", "", 1ms, 5min);
    CHECK(waited >= expected);
    CHECK(waited <= expected + 1s);
  }
  scene.pacer.Open("api:order");
  scene.pacer.Ban("api:order", std::nullopt, "limited");
  CHECK(scene.pacer.Delay("order", "") <= 2s);
}

TEST_CASE("Pacer: a shorter ban or a late success never cuts a longer one") {
  Scene scene;
  scene.pacer.Ban("api:order", 1h, "limited");
  scene.pacer.Ban("api:order", 1s, "limited");
  scene.pacer.Ban("api:order", std::nullopt, "limited");
  CHECK_FALSE(scene.pacer.Open("api:order"));
  scene.clock.Advance(59min);
  CHECK_FALSE(scene.Take());
}

TEST_CASE("Pacer: an absurd ban is cut to 25 hours") {
  Scene scene;
  scene.pacer.Ban("app", milliseconds(INT64_MAX), "ban will last for 9999999999999 more seconds");
  scene.clock.Advance(25h + 1s);
  CHECK(scene.Take());
}

TEST_CASE("Pacer: a wall clock that jumps neither frees a ban nor prolongs it") {
  Scene scene;
  scene.pacer.Ban("app", 1h, "quota");
  scene.clock.SetWall(scene.clock.Now() + 48h);
  CHECK_FALSE(scene.Take());
  scene.clock.SetWall(scene.clock.Now() - 96h);
  scene.clock.Advance(1h + 1s);
  CHECK(scene.Take());
}

TEST_CASE("Pacer: a ban survives a restart by its row") {
  Scene before;
  before.pacer.Ban("app", 1h, "quota");
  const auto rows = before.pacer.Closures();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].ban);
  CHECK(rows[0].detail == "quota");
  CHECK(rows[0].until - rows[0].since >= 1h);

  Scene after;
  after.clock.Advance(30min);
  after.pacer.Restore(rows[0]);
  CHECK_FALSE(after.Take());
  CHECK(after.pacer.Closures().size() == 1);
  after.clock.Advance(29min + 59s);
  CHECK_FALSE(after.Take());
  after.clock.Advance(2s);
  CHECK(after.Take());

  Scene late;
  late.clock.Advance(2h);
  late.pacer.Restore(rows[0]);
  CHECK(late.Take());

  Scene clock_set_back;
  clock_set_back.clock.SetWall(clock_set_back.clock.Now() - 1000h);
  clock_set_back.pacer.Restore(rows[0]);
  CHECK_FALSE(clock_set_back.Take());
  clock_set_back.clock.Advance(1h + 1s);
  CHECK(clock_set_back.Take());
}

TEST_CASE("Pacer: a closed scope lets one call through after 1, 2, 4, 8, 10 minutes") {
  Scene scene;
  CHECK(scene.pacer.Close("agent", "25 invalid-signature"));
  CHECK_FALSE(scene.pacer.Close("agent", "25 invalid-signature"));
  for (const milliseconds expected : {1min, 2min, 4min, 8min, 10min, 10min}) {
    CHECK(scene.pacer.Delay("order", "") == expected);
    scene.clock.Advance(expected - 1ms);
    CHECK_FALSE(scene.Take());
    scene.clock.Advance(1ms);
    CHECK(scene.Take());
    CHECK_FALSE(scene.Take());
    CHECK(scene.pacer.Closed("order", ""));
    CHECK_FALSE(scene.pacer.Close("agent", "25 invalid-signature"));
  }
  CHECK(scene.pacer.Closures()[0].probes == 6);
  CHECK(scene.pacer.Open("agent"));
  CHECK_FALSE(scene.pacer.Open("agent"));
  CHECK(scene.Take());
  CHECK(scene.Take());
}

TEST_CASE("Pacer: a call of two closed scopes waits for the probes of both") {
  Scene scene;
  scene.pacer.Close("shop:1", "session");
  scene.clock.Advance(30s);
  scene.pacer.Close("api:order", "permission");
  scene.clock.Advance(30s);
  CHECK_FALSE(scene.Take("1"));
  CHECK(scene.pacer.Delay("order", "1") == 30s);
  scene.clock.Advance(30s);
  CHECK(scene.Take("1"));
  CHECK(scene.pacer.Delay("order", "1") == 2min);
}

TEST_CASE("Pacer: a call that lacks a token leaves the probe where it is") {
  FakeClock clock;
  Pacer pacer(0.001, clock, 1);
  CHECK(pacer.Take("a", ""));
  pacer.Close("agent", "signature");
  clock.Advance(5min);
  CHECK_FALSE(pacer.Take("a", ""));
  clock.Advance(15min);
  CHECK(pacer.Take("a", ""));
  CHECK(pacer.Closures()[0].probes == 1);
}

TEST_CASE("Pacer: new secrets give every closed scope a probe now, a ban none") {
  Scene scene;
  scene.pacer.Close("shop:1", "session");
  scene.pacer.Close("shop:2", "session");
  scene.pacer.Ban("shop:3", 1h, "limited");
  scene.pacer.ProbeAll();
  CHECK(scene.Take("1"));
  CHECK_FALSE(scene.Take("1"));
  CHECK(scene.Take("2"));
  CHECK_FALSE(scene.Take("3"));
}

TEST_CASE("Pacer: probes begin anew with new secrets") {
  Scene scene;
  scene.pacer.Close("shop:1", "session");
  for (const milliseconds pause : {1min, 2min, 4min}) {
    scene.clock.Advance(pause);
    CHECK(scene.Take("1"));
  }
  scene.pacer.ProbeAll();
  CHECK(scene.Take("1"));
  CHECK(scene.pacer.Delay("order", "1") == 2min);
}

TEST_CASE("Pacer: a closure keeps the newest reason and its beginning") {
  Scene scene;
  const Time since = scene.clock.Now();
  scene.pacer.Close("shop:1", "27 expired");
  scene.clock.Advance(5s);
  scene.pacer.Close("shop:1", "27 missing");
  const auto closures = scene.pacer.Closures();
  REQUIRE(closures.size() == 1);
  CHECK(closures[0].scope == "shop:1");
  CHECK(closures[0].detail == "27 missing");
  CHECK(closures[0].since == since);
  CHECK(closures[0].until == since + 1min);
  CHECK_FALSE(closures[0].ban);
}

TEST_CASE("Pacer: every change of a closure is counted, nothing else") {
  Scene scene;
  uint64_t last = scene.pacer.changes();
  const auto changed = [&] {
    const uint64_t before = last;
    last = scene.pacer.changes();
    return last > before;
  };
  scene.Take();
  CHECK_FALSE(changed());
  scene.pacer.Close("agent", "x");
  CHECK(changed());
  scene.pacer.Close("agent", "x");
  CHECK_FALSE(changed());
  scene.pacer.ProbeAll();
  CHECK(changed());
  scene.Take();
  CHECK(changed());
  scene.pacer.Open("agent");
  CHECK(changed());
  scene.pacer.Open("agent");
  CHECK_FALSE(changed());
  scene.pacer.Ban("app", 5s, "x");
  CHECK(changed());
}

TEST_CASE("Pacer: threads share one budget") {
  FakeClock clock;
  Pacer pacer(10'000, clock, 1);
  std::atomic<int> taken{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        for (int n = 0; n < 1000; ++n) taken += pacer.Take("a", "1") ? 1 : 0;
      });
  }
  CHECK(taken == 1000);
}
