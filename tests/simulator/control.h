#pragma once

#include "tests/simulator/heart.h"

namespace tmc::sim {

// The control address: JSON in and out, to set up the platform, to break it, and to ask what it saw.
// README.md lists every call.
class Control {
 public:
  explicit Control(Heart& heart) : heart_(heart) {}
  SimResponse Handle(const SimRequest& request);

 private:
  Heart& heart_;
};

// The parts of what GET answers, as JSON.
std::string RecordText(const World& world, bool summary);
std::string QueueText(World& world);
std::string StateText(World& world);

}  // namespace tmc::sim
