#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/clock.h"
#include "tests/simulator/answer.h"
#include "tests/simulator/chance.h"
#include "tests/simulator/faults.h"
#include "tests/simulator/limits.h"
#include "tests/simulator/message_queue.h"
#include "tests/simulator/record.h"
#include "tests/simulator/shops.h"
#include "tests/simulator/text.h"
#include "tests/simulator/trades.h"

namespace tmc::sim {

struct App {
  std::string key = "12345678";
  std::string secret = "helloworld";
  std::vector<std::string> groups;  // none: only the default group, and a group_name is an error
  std::vector<std::string> topics = {"taobao_trade_TradeCreate", "taobao_trade_TradeBuyerPay"};
};

// How this platform behaves where documents are silent, or where it may be unkind.
struct Switches {
  Style style;
  std::string empty_form = "object";      // object, missing, null, text, array, list
  milliseconds hold{0};                   // how long an empty consume is kept open
  bool clamp_quantity = false;            // instead of error 41
  bool escapes = false;                   // content with \/ and \uXXXX
  milliseconds read_lag{0}, list_lag{0};  // how old the truth is that reads and lists see
  double stale = 0;                       // chance that a read sees the truth before the present one
  bool shuffle_ties = false;              // rows of one second in another order each call
  size_t move_rows = 0;                   // so many listed orders change after each page
  bool window_end_open = false;           // end_modified itself is outside
  bool refuse_with_error = false;         // refused ids answer 41 instead of is_success false
};

inline constexpr char kDefaultGroup[] = "default";

// Everything the platform knows. One owner; no locks.
struct World {
  World(const Clock& real, uint64_t seed) : clock(real), chance(seed), queue(chance) {}
  Time Now() const { return clock.Now() + offset; }

  const Clock& clock;
  milliseconds offset{0};  // of the platform's clock
  Chance chance;
  App app;
  Switches switches;
  Shops shops;
  MessageQueue queue;
  Trades trades;
  Limits limits;
  Faults faults;
  std::set<std::string, std::less<>> refused_ids;  // a confirm that names one fails whole
  Record record;
  size_t held_calls = 0;  // consumes that are kept open
};

// A call whose public parameters have been read.
struct Call {
  Params params;
  std::string verb, api;
  Time now;
  std::optional<size_t> shop;  // of the session, where the interface needs one
  Style style;
  bool xml = false;
  std::string empty_form;
  milliseconds delay{0};  // of the answer, for the record
  bool may_wait = false;  // set by the gateway: an empty consume may be held
  bool waits = false;     // set by the interface: hold it
};

}  // namespace tmc::sim
