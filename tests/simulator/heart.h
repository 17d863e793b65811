#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "tests/simulator/wire.h"
#include "tests/simulator/world.h"

namespace tmc::sim {

// The platform's gateway as a function from request to answer: no sockets, no threads, no waiting. Time comes
// from the clock, chance from the seed, so that one seed and one order of calls give one course of events.
// Not thread-safe; a caller who shares it locks it.
class Heart {
 public:
  Heart(const Clock& clock, uint64_t seed) : world_(clock, seed) {}
  SimResponse Handle(const SimRequest& request);

  // The answer of a call that is held open (SimResponse::hold), or nothing while it has to wait on.
  std::optional<SimResponse> Held(uint64_t ticket);
  // How long until it is worth to ask Held again, unless something was posted meanwhile.
  milliseconds Patience(uint64_t ticket);
  // The caller has gone; nothing is handed out to it.
  void Abandon(uint64_t ticket);

  World& world() { return world_; }
  const World& world() const { return world_; }

 private:
  struct Hold {
    Call call;
    milliseconds until;  // by Clock::Steady
  };
  Call Read(const SimRequest& request);
  std::optional<ApiError> Check(Call& call);
  std::optional<ApiError> CheckProtocol(const Call& call);
  std::optional<ApiError> CheckSignature(const Call& call);
  std::optional<ApiError> CheckSession(Call& call);
  std::optional<ApiError> CheckLimits(const Call& call);
  SimResponse Serve(Call& call, bool checked);
  Answer Ask(Call& call, const Fault& fault, const std::optional<ApiError>& refusal);
  SimResponse Dress(const Call& call, const Fault& fault, Answer answer);
  SimResponse KeepOpen(Call call);
  std::string RequestId();

  World world_;
  std::map<uint64_t, Hold> holds_;
  uint64_t next_hold_ = 1;
};

}  // namespace tmc::sim
