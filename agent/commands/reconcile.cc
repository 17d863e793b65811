#include <fmt/format.h>

#include "agent/commands/commands.h"
#include "agent/commands/print.h"
#include "agent/commands/wiring.h"
#include "agent/stop_signals.h"
#include "agent/store_file.h"

namespace tmc::commands {
namespace {

constexpr milliseconds kLook = 200ms, kPatience = 15min;

void Print(const Options& options, const std::string& result) {
  json::Document document;
  if (options.json || document.Parse(result)) {
    Say(result);
    return;
  }
  const auto number = [&](const char* key) { return document.root()[key].Int().value_or(0); };
  Say(fmt::format("{} orders listed in {} slices, {} opened to be read; {} shops left out, {} slices short",
                  number("orders_seen"), number("slices"), number("orders_opened"), number("shops_left_out"),
                  number("short_slices")));
}

// The running agent does it; we wait for its answer.
int AskHolder(const Options& options) {
  Store store({.path = options.db});
  Cursors cursors(store, options.platform);
  SystemClock clock;
  const int64_t id = cursors.PutAsk("reconcile", *options.from, *options.to, clock.Now());
  const milliseconds until = clock.Steady() + kPatience;
  while (clock.Steady() < until && stop_signals::Wait(kLook) == 0) {
    if (const auto answer = cursors.GetAnswer(id)) {
      Print(options, answer->result);
      return answer->exit_status;
    }
  }
  Complain("the running agent has not answered yet; it will still do it");
  return 75;
}

}  // namespace

int Reconcile(const Options& options, const Platform& platform) {
  Wiring wiring(options, platform);
  if (*options.to <= wiring.clock.Now() - kWindowReach) {
    Complain("--to lies beyond the 89 days that the platform lists; such orders cannot be found any more");
    return 78;
  }
  if (*options.from >= wiring.clock.Now()) {
    Complain("--from lies in the future; there is nothing to list yet");
    return 78;
  }
  if (*options.from < wiring.clock.Now() - kWindowReach)
    Complain("the platform lists 89 days; orders modified before " +
             ChinaTime(wiring.clock.Now() - kWindowReach) + " cannot be found any more");
  store_file::CheckPlace(wiring.store_options);
  wiring.lock.emplace(options.db);
  if (!wiring.lock->Take()) return AskHolder(options);
  if (options.settings.app_key.empty()) {
    Complain(
        "nobody runs on this database, so that `reconcile` calls the platform itself: --app-key is missing");
    return 78;
  }
  if (const auto status = wiring.LoadSecrets()) return *status;
  if (const auto status = wiring.OpenDatabase()) return *status;
  PassReport report;
  const int status = wiring.MakeAgent()->RunWindow(*options.from, *options.to, &report);
  if (report.failure) Complain("the window could not be read: " + Sentence(*report.failure));
  Print(options, PassJson(report));
  return status;
}

}  // namespace tmc::commands
