#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/simulation/agenda.h"

namespace tmc::simulation {

// What happened in a world, a line each, stamped with the virtual time since its begin. Costs nothing while
// it is off.
class History {
 public:
  explicit History(const Agenda& agenda) : agenda_(agenda) {}
  template <typename... Args>
  void Add(fmt::format_string<Args...> text, Args&&... args) {
    if (!on) return;
    const int64_t t = agenda_.SinceBegin().count();
    fmt::format_to(std::back_inserter(text_), "{:02}:{:02}:{:02}.{:03} ", t / 3600000, t / 60000 % 60,
                   t / 1000 % 60, t % 1000);
    fmt::format_to(std::back_inserter(text_), text, std::forward<Args>(args)...);
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

  bool on = false;

 private:
  const Agenda& agenda_;
  std::string text_;
};

}  // namespace tmc::simulation
