#pragma once

#include "agent/backoff.h"
#include "agent/clock.h"
#include "agent/http.h"
#include "agent/pacer.h"
#include "agent/platform.h"
#include "agent/platform_clock.h"
#include "agent/secrets.h"
#include "agent/settings.h"
#include "agent/store.h"

namespace tmc {

// What the loops share: thread-safe, or never written after the start.
struct Shared {
  const Settings& settings;
  const Platform& platform;
  const Clock& clock;
  PlatformClock& platform_clock;
  Pacer& pacer;
  Secrets& secrets;
};

// What one loop works with; store, http and random are its own.
struct Context : Shared {
  Context(const Shared& shared, Store& its_store, HttpClient& its_http, uint64_t seed)
      : Shared(shared),
        store(its_store),
        http(its_http),
        random(seed),
        started_at(shared.clock.Now()),
        started(shared.clock.Steady()) {}
  Store& store;
  HttpClient& http;
  Random random;
  // The start of this process, on both clocks.
  Time started_at;  // runs of failures count from here at the earliest
  milliseconds started;
};

}  // namespace tmc
