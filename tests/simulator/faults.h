#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "agent/clock.h"
#include "tests/simulator/answer.h"
#include "tests/simulator/text.h"
#include "tests/simulator/wire.h"

namespace tmc::sim {

// Something that goes wrong with some calls. What is not set goes as usual, so that faults can be combined.
struct Fault {
  // Which calls.
  std::string api = "*";      // full name, or its last part ("consume"), or "*"
  Params match;               // these parameters have these values
  int64_t skip = 0;           // so many calls go well first
  int64_t times = 1;          // then so many are hit; 0: all
  std::optional<Time> until;  // not after this moment
  double chance = 1;          // hits only so often
  // Instead of the answer; nothing changes at the platform unless `after`.
  std::optional<ApiError> error;
  std::optional<milliseconds> ban;  // error 7 now, and for so long
  std::string ban_sub_code;
  bool ban_app = false;
  std::optional<bool> is_success;  // the answer of a confirm
  std::optional<int> status;
  std::optional<std::string> body;
  std::string content_type;
  // What becomes of the answer on the wire.
  std::optional<Ending> ending;
  size_t bytes = 0;
  bool after = false;  // the state has changed before it goes wrong
  milliseconds delay{0}, trickle{0};
  std::string empty_form;     // for an empty consume
  std::string charset;        // answer in this charset
  bool charset_named = true;  // and say so in the header
  bool bom = false;
  bool bare_single = false;
  int64_t id = 0, hits = 0;
};

class Faults {
 public:
  int64_t Add(Fault fault);
  void Clear() { faults_.clear(); }
  // The first fault that holds for this call, counted as used.
  std::optional<Fault> Take(std::string_view api, const Params& params, Time now, Chance& chance);
  const std::deque<Fault>& all() const { return faults_; }

 private:
  std::deque<Fault> faults_;
  int64_t next_id_ = 1;
};

}  // namespace tmc::sim
