#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/agent.h"
#include "agent/options.h"
#include "agent/run_lock.h"

namespace tmc::commands {

// What a command that talks to the platform stands on, in the order in which it is set up.
struct Wiring {
  Wiring(const Options& options, const Platform& platform);
  // The secrets; then the run lock, then the database. An exit status when one of them refuses, said already.
  [[nodiscard]] std::optional<int> LoadSecrets();
  [[nodiscard]] std::optional<int> TakeLock();
  [[nodiscard]] std::optional<int> OpenDatabase();
  std::unique_ptr<Agent> MakeAgent();

  const Options& options;
  const Platform& platform;
  SystemClock clock;
  uint64_t seed;
  Secrets secrets;
  PlatformClock platform_clock;
  Pacer pacer;
  Shared shared;
  StoreOptions store_options;
  HttpSettings http_settings;
  std::optional<RunLock> lock;
};

}  // namespace tmc::commands
