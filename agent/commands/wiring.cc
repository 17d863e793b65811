#include "agent/commands/wiring.h"

#include <fmt/format.h>

#include <random>

#include "agent/commands/print.h"
#include "agent/log.h"
#include "agent/stop_signals.h"
#include "agent/store_file.h"

namespace tmc::commands {

Wiring::Wiring(const Options& its_options, const Platform& its_platform)
    : options(its_options),
      platform(its_platform),
      seed(std::random_device{}()),
      secrets(its_options.secrets),
      platform_clock(clock),
      pacer(its_options.settings.rate, clock, seed),
      shared{options.settings, platform, clock, platform_clock, pacer, secrets},
      store_options{.path = options.db,
                    .create = options.command == Command::kRun || store_file::Size(options.db) < 0,
                    .group = options.db_group},
      http_settings{.connections = static_cast<size_t>(options.settings.parallel) + 2,
                    .ca_file = options.ca_file} {}

std::optional<int> Wiring::LoadSecrets() {
  const auto problem = secrets.Load();
  if (!problem) return std::nullopt;
  Complain(problem->text);
  return problem->exit_status;
}

std::optional<int> Wiring::TakeLock() {
  if (!options.db_group.empty() && !store_file::GroupExists(options.db_group)) {
    Complain("--db-group: there is no group " + options.db_group + " on this machine");
    return 78;
  }
  store_file::CheckPlace(store_options);
  lock.emplace(options.db);
  if (options.command == Command::kRun) store_file::SetMode(options.db + ".lock", store_options);
  if (lock->Take()) return std::nullopt;
  if (options.if_not_running) return 0;
  const auto holder = lock->Holder();
  Complain(holder ? fmt::format("another tmc-agent runs on {}: process {}", options.db, *holder)
                  : "another tmc-agent runs on " + options.db);
  return 75;
}

namespace {

// Another program's lock is waited for.
template <typename Work>
auto Waiting(Work work) {
  while (true) {
    try {
      return work();
    } catch (const StoreError& error) {
      if (error.kind() != StoreError::Kind::kBusy || stop_signals::Wait(0ms) != 0) throw;
      log::Warn("start",
                std::string("another program holds the database's lock, trying again: ") + error.what());
    }
  }
}

}  // namespace

std::optional<int> Wiring::OpenDatabase() {
  Store store(store_options);
  const auto foreign = Waiting([&] { return ForeignDatabase(store, platform.Name(), options.settings); });
  if (!foreign) return std::nullopt;
  Complain(*foreign);
  return 78;
}

std::unique_ptr<Agent> Wiring::MakeAgent() {
  return std::make_unique<Agent>(shared, store_options, http_settings, seed);
}

}  // namespace tmc::commands
