#include "agent/loop.h"

#include <utility>

#include "agent/log.h"
#include "agent/store.h"

namespace tmc {
namespace {
constexpr milliseconds kFullPause = 2s, kBusyPause = 10ms;
}  // namespace

Loop::Loop(std::string name, std::function<bool(std::stop_token)> step)
    : name_(std::move(name)), step_(std::move(step)) {}

void Loop::Start() {
  thread_ = std::jthread([this](std::stop_token stop) { Run(stop); });
}

void Loop::Stop() {
  thread_.request_stop();
}

void Loop::Run(std::stop_token stop) {
  bool going = true;
  while (going) {
    ++steps_;
    try {
      going = step_(stop);
      if (std::exchange(full_, false)) log::Info(name_, "there is room on the disk again");
    } catch (const std::exception& error) {
      going = Survive(error, stop);
    }
  }
  ended_ = true;
}

bool Loop::Survive(const std::exception& error, std::stop_token stop) {
  const auto* local = dynamic_cast<const StoreError*>(&error);
  const auto kind = local ? local->kind() : StoreError::Kind::kRefused;
  if (local && kind == StoreError::Kind::kBusy) {
    log::Warn(name_, std::string("another program holds the database's lock, trying again: ") + error.what());
    Rest(kBusyPause, stop);
    return true;
  }
  if (local && kind == StoreError::Kind::kFull) {
    if (!std::exchange(full_, true))
      log::Warn(name_, std::string("no room on the disk; nothing is consumed or confirmed until there is: ") +
                           error.what());
    Rest(kFullPause, stop);
    return !stop.stop_requested();
  }
  exit_status_ = kind == StoreError::Kind::kFatal ? 74 : 70;
  log::Error(name_, std::string("leaving, the next start recovers: ") + error.what());
  return false;
}

void Loop::Rest(milliseconds pause, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, stop, pause, [] { return false; });
}

}  // namespace tmc
