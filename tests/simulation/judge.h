#pragma once

#include <map>
#include <string>

#include "tests/simulation/books.h"
#include "tests/simulation/stage.h"

namespace tmc::simulation {

// Holds the database against what must be true, by plain SQL and by the platform's own record; knows nothing
// of the agent's code. During a run: versions, final states, crashes, stops. At the end: everything.
class Judge {
 public:
  explicit Judge(Stage& stage) : stage_(stage), books_(stage.disk), locker_(stage.disk) {}

  std::string StateOf(const std::string& msg_id);
  // How long a ban still lasts by what is on disk and by the agent's clock.
  milliseconds BanLeft(const std::string& scope);
  // The machine tells:
  void Started();
  void NotStarted(const std::string& why);
  void Busy();
  void Full();
  void Fatal(const std::string& why);
  void Look();     // after a step
  void Crashed();  // lets go of the disk
  void AfterStop();
  // What counts as confirmed here is confirmed there.
  void ConfirmedThere();
  // Everything is over: calm, two rounds of reconciliation, nothing in hand.
  void Verdict(const std::string& log);

  // Another program holds the write lock.
  void Lock();
  void Unlock();

 private:
  void Check(bool good, const std::string& otherwise) {
    if (!good) stage_.Complain(otherwise);
  }
  void None(const char* sql, const std::string& what);  // the rows of a SELECT are wrong ones
  void Integrity();
  void NewEvents();
  void JudgeRows();
  void JudgeLetters();
  void TellOf(const std::string& tid);
  void JudgeOrders();
  void JudgeOrder(const sim::Order& order);
  void JudgeMessages();
  void JudgeCounters();
  void JudgePlatform();
  void JudgeLog(const std::string& log);

  struct Held {
    int64_t version = 0, modified = 0;
    std::string status;
    bool final = false;
  };
  Stage& stage_;
  Books books_, locker_;
  bool locked_ = false, crashed_ = false;
  int64_t last_event_ = 0;
  std::map<std::string, Held> held_;
};

}  // namespace tmc::simulation
