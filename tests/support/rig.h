#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/top/platform.h"
#include "agent/agent.h"
#include "agent/pump.h"
#include "agent/reconciler.h"
#include "tests/simulator/control.h"
#include "tests/support/fake_clock.h"
#include "tests/support/heart_client.h"
#include "tests/support/temp_folder.h"

namespace tmc {

// The agent's loops and a real database, with the simulator's heart in place of the wire and a clock that
// only waiting moves. Two shops, 900001 (session sess-A) and 900002 (sess-B).
class Rig {
 public:
  explicit Rig(std::function<void(Settings&)> adjust = {},
               std::string sessions = "900001 sess-A\n900002 sess-B\n");

  // The simulator's control address: POST /messages, /orders, /faults … with a JSON body.
  void Post(const std::string& path, const std::string& body);
  void Message(const std::string& topic, const std::string& tid, const std::string& more = "");
  void Order(const std::string& tid, const std::string& status, const std::string& more = "");

  void Restart();         // the process dies; a new one opens the same database
  void Turns(int count);  // pump steps
  void Until(const std::function<bool()>& done, milliseconds most = 1h);  // pump steps
  void Settle(milliseconds most = 1h);  // until nothing is open, in hand or owed
  void Reconcile();                     // one regular pass, then Settle
  void Quiet(milliseconds time);        // both loops for so long

  // Rows of a SELECT, columns joined by '|'.
  std::vector<std::string> Rows(const std::string& sql);
  std::string Row(const std::string& sql);  // the only one, or "" when there is none
  int64_t Count(const std::string& sql);
  void Exec(const std::string& sql);

  TempFolder folder;
  FakeClock clock{FromMillis(1768437000000)};  // 2026-01-15 08:30:00 UTC+8
  Settings settings;
  sim::Heart heart{clock, 1};
  std::unique_ptr<Platform> platform;
  std::unique_ptr<Secrets> secrets;
  std::unique_ptr<PlatformClock> platform_clock;
  std::unique_ptr<Pacer> pacer;
  std::unique_ptr<Shared> shared;
  HeartClient http{heart, clock}, reconcile_http{heart, clock};
  std::unique_ptr<Store> store, reconcile_store;
  std::unique_ptr<Context> context, reconcile_context;
  std::unique_ptr<Pump> pump;
  std::unique_ptr<Reconciler> reconciler;

 private:
  void Open();
};

}  // namespace tmc
