#pragma once

#include <map>
#include <string>

#include "agent/platform.h"

namespace tmc {

// One closed window of modified times, read so that nothing slips between its pages: first the platform's
// count, then the pages from the last to the first (rows that change move to the front), the count again with
// the first. Pure: Next() is what to ask, Take() is what came. Rows of several readings add up.
class Slice {
 public:
  Slice(Time from, Time to, int page_size) : from_(from), to_(to), page_size_(page_size) {}

  enum class State {
    kReading,   // ask Next()
    kComplete,  // the distinct orders reach the platform's count
    kShort,     // a whole reading did not reach it, or the window holds too much for one slice
  };
  WindowWish Next() const;
  State Take(const WindowPage& page);
  void ReadAgain();  // once more, keeping what was found

  Time from() const { return from_; }
  Time to() const { return to_; }
  const std::map<std::string, WindowRow>& rows() const { return rows_; }
  int64_t expected() const { return expected_; }

 private:
  State Judge() const;
  Time from_, to_;
  int page_size_;
  int page_ = 0;      // 0: the count first
  int forwards_ = 1;  // a planted mistake's (agent/mistakes.h)
  int64_t expected_ = 0;
  std::map<std::string, WindowRow> rows_;  // newest of each order
};

}  // namespace tmc
