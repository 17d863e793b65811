#pragma once

#include <map>
#include <string>

#include "agent/http.h"
#include "tests/simulator/heart.h"
#include "tests/support/fake_clock.h"

namespace tmc {

// The wire between a loop and the simulator's heart, in virtual time: waiting moves the clock. An answer is
// made when its request starts, and arrives after `latency` and whatever delay the heart gives it.
class HeartClient final : public HttpClient {
 public:
  HeartClient(sim::Heart& heart, FakeClock& clock) : heart_(heart), clock_(clock) {}
  HttpId Start(HttpRequest request) override;
  std::vector<HttpDone> Wait(milliseconds most) override;
  void Abort(HttpId id) override;
  bool Answering(HttpId id) const override { return answering.contains(id); }
  void Wake() override {}

  void Forget() { flying_.clear(); }  // the process is gone

  milliseconds latency{0};
  std::map<HttpId, bool> answering;  // what Answering() says
  size_t most_in_flight = 0;

 private:
  struct Exchange {
    sim::SimResponse response;
    milliseconds ready, gives_up;  // steady
  };
  HttpResponse Read(const sim::SimResponse& response) const;
  sim::Heart& heart_;
  FakeClock& clock_;
  HttpId next_ = 1;
  std::map<HttpId, Exchange> flying_;
};

}  // namespace tmc
