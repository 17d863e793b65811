#pragma once

#include <optional>
#include <string>

#include "agent/clock.h"

namespace tmc {

// What the loops need to know; made by options from the command line (contract: Flags of `run`).
struct Settings {
  std::string app_key;
  std::string group;  // empty: the default group
  int batch = 100;
  int parallel = 8;
  double rate = 20;  // platform calls a second
  milliseconds poll_hold{0};
  milliseconds idle_min{100}, idle_max{5000};
  int max_attempts = 12;
  milliseconds give_up_after = 20h;
  milliseconds unknown_order_grace = 60s;
  milliseconds backoff_first = 1s, backoff_most = 10min;
  milliseconds reconcile_interval = 5min, reconcile_overlap = 10min, reconcile_lag = 10s;
  milliseconds reconcile_backfill = 24h;
  int window_page = 100;           // rows a page of a window: the platform's most; less in tests
  milliseconds retain = 30 * 24h;  // settled rows and delivered events are kept this long
  milliseconds stall_timeout = 5min, drain_timeout = 25s, once_wait = 60s;
  bool once = false;
};

}  // namespace tmc
