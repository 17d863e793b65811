#include "agent/commands/commands.h"
#include "agent/commands/wiring.h"
#include "agent/log.h"
#include "agent/version.h"

namespace tmc::commands {

int Run(const Options& options, const Platform& platform) {
  Wiring wiring(options, platform);
  if (const auto status = wiring.TakeLock()) return *status;
  if (const auto status = wiring.LoadSecrets()) return *status;
  if (const auto status = wiring.OpenDatabase()) return *status;
  const auto agent = wiring.MakeAgent();
  log::Info("start", "tmc-agent " + Version() + " on " + options.db);
  const int status = options.settings.once ? agent->RunOnce() : agent->Run(options.max_runtime);
  log::Info("stop", "left with status " + std::to_string(status));
  return status;
}

}  // namespace tmc::commands
