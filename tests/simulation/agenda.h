#pragma once

#include <functional>
#include <map>

#include "tests/support/fake_clock.h"

namespace tmc::simulation {

// Virtual time and what is to happen when. The agent's machine and the platform move at one pace, each with
// its own idea of the time of day.
class Agenda {
 public:
  FakeClock agent{kBegin}, platform{kBegin};

  milliseconds Now() const { return agent.Steady(); }
  milliseconds SinceBegin() const { return Now() - begin_; }
  milliseconds begin() const { return begin_; }
  void At(milliseconds when, std::function<void()> what) { entries_.emplace(when, std::move(what)); }
  void In(milliseconds wait, std::function<void()> what) { At(Now() + wait, std::move(what)); }
  milliseconds Next() const { return entries_.empty() ? milliseconds::max() : entries_.begin()->first; }
  void AdvanceTo(milliseconds when) {
    if (when <= Now()) return;
    const milliseconds step = when - Now();
    agent.Advance(step);
    platform.Advance(step);
  }
  // What is due, first planned first.
  void RunDue() {
    while (!entries_.empty() && entries_.begin()->first <= Now()) {
      const auto what = std::move(entries_.begin()->second);
      entries_.erase(entries_.begin());
      what();
    }
  }

  static constexpr Time kBegin = Time(milliseconds(1768437000000));  // 2026-01-15 08:30:00 UTC+8

 private:
  const milliseconds begin_ = agent.Steady();
  std::multimap<milliseconds, std::function<void()>> entries_;
};

}  // namespace tmc::simulation
