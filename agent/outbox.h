#pragma once

#include "agent/event.h"
#include "agent/store.h"

namespace tmc {

// The table outbox_event, written in the transaction of the change.
class Outbox {
 public:
  Outbox(Store& store, std::string platform) : store_(store), platform_(std::move(platform)) {}
  void Add(const Event& event, Time now);
  int64_t Purge(Time before, int64_t most);

 private:
  Store& store_;
  std::string platform_;
};

}  // namespace tmc
