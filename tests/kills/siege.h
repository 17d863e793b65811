#pragma once

#include <map>
#include <random>
#include <set>
#include <string>

#include "tests/blackbox/scene.h"

namespace tmc {

// The real agent under load, ended again and again; and the judge, who reads only the simulator's record and
// the database.
class Siege {
 public:
  explicit Siege(uint64_t seed);

  // A little of everything that a shop sends: orders with messages, repeated messages, an order that no
  // message tells of, contents that are no JSON, a message without an order id, orders that move on.
  void Load();
  // Starts the agent; `more` goes to `run`.
  Child& Start(const Words& more = {});
  std::chrono::milliseconds Moment(int most_ms);  // a random time
  static void Pass(std::chrono::milliseconds time);

  // After each end: what the platform counts as confirmed is settled on disk, nothing is damaged, no call was
  // wrong.
  void JudgeNow();
  // Lets the agent work in peace, until all is settled and confirmed; then looks at every row.
  void JudgeAtTheEnd();

  Scene scene;
  std::mt19937_64 random;

 private:
  std::string NewOrder(bool told);
  void Bad(const std::string& json);

  int orders_ = 0;
  std::map<std::string, std::string> truth_;  // order → status
  std::set<std::string> good_, bad_;          // message ids: to be applied, to be dead letters
  std::set<std::string> confirmed_;
};

}  // namespace tmc
