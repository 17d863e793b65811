#pragma once

#include <functional>
#include <map>
#include <string>

#include "agent/http.h"
#include "tests/simulation/stage.h"

namespace tmc::simulation {

// Sees every call between the agent and the platform: counts the faults that happened, and holds the agent to
// its budget, to the bans it was told of, and to "commit before confirm".
class Witness {
 public:
  explicit Witness(Stage& stage) : stage_(stage) {}
  // Called before anything of a confirm is believed: is this id settled on disk?
  std::function<std::string(const std::string& id)> state_of;

  void ProcessStarted(double rate);  // a new process has a new budget
  // The next process knows of a ban what is on disk: how long it lasts, by scope.
  void ProcessEnded(const std::function<milliseconds(const std::string& scope)>& left);
  void ClockJumped() { banned_.clear(); }  // the end of a ban that was written down is not known any more
  void Called(const HttpRequest& request);
  void Served(const HttpRequest& request, const sim::SimResponse& response);
  void Heard(const HttpRequest& request, const HttpResponse& response);
  void CountHandOuts();  // at the end

 private:
  void CheckConfirm(size_t before);
  void CountEnding(const HttpRequest& request, const sim::SimResponse& response, bool did);
  void CountOutcome(const std::string& outcome, const std::string& tid);
  void CountRead(const sim::Record::ReadRow& read);
  bool Excused(const std::string& tid);

  Stage& stage_;
  double rate_ = 0, level_ = 0;
  milliseconds drained_{0};
  std::map<std::string, milliseconds> banned_;  // scope → end, steady; as the agent was told
  size_t confirms_ = 0, handed_ = 0, reads_ = 0, windows_ = 0;
};

}  // namespace tmc::simulation
