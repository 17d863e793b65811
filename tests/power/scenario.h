#pragma once

#include <set>
#include <string>

#include "tests/simulator/heart.h"
#include "tests/support/fake_clock.h"

namespace tmc {

// The platform's side of the story, which outlives every crash of the agent: 20 messages about eight orders,
// among them duplicates, a content that cannot be read and one that names no order; then a change of which no
// message tells. Three chapters; the next begins once the agent has nothing left to do.
class Scenario {
 public:
  Scenario();
  enum class Chapter { kFirst, kSecond, kUntold, kOver };
  Chapter chapter() const { return chapter_; }
  void Next();
  bool AllConfirmed() const;
  std::set<std::string> Confirmed() const;  // ids that the platform counts as confirmed
  // The messages that have to become dead letters, by reason.
  const std::set<std::string>& letters() const { return letters_; }

  FakeClock clock{FromMillis(1768437000000)};  // 2026-01-15 08:30:00 UTC+8
  sim::Heart heart{clock, 1};

 private:
  void Post(const std::string& path, const std::string& body);
  void Order(int number, const std::string& status);
  void Message(int number, const std::string& topic, const std::string& more = "");
  Chapter chapter_ = Chapter::kFirst;
  std::set<std::string> letters_{"bad_json", "missing_order_id"};
};

}  // namespace tmc
