#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/http.h"
#include "tests/simulation/stage.h"
#include "tests/simulation/witness.h"

namespace tmc::simulation {

// The way between one loop and the platform's heart. A request arrives a while after it was started, its
// answer is back a while after that, so that answers come in any order; the world's faults cut it, hang it,
// or lose it.
class Wire final : public HttpClient {
 public:
  // `sleep` lets virtual time pass until this wire has an answer or the time is over.
  Wire(Stage& stage, Witness& witness, std::function<void(milliseconds)> sleep)
      : stage_(stage), witness_(witness), sleep_(std::move(sleep)) {}

  HttpId Start(HttpRequest request) override;
  std::vector<HttpDone> Wait(milliseconds most) override;
  void Abort(HttpId id) override;
  bool Answering(HttpId id) const override;
  void Wake() override {}

  milliseconds Next() const;  // when the next request arrives or answer is ready
  void Move();                // lets everything happen that is due
  bool HasAnswers() const;
  // The process is gone. What is on its way may still arrive there.
  void Forget();

 private:
  struct Exchange {
    HttpRequest request;
    sim::SimResponse response;
    bool arrived = false;
    milliseconds arrives, ready, gives_up;  // steady
    Time date{};
    milliseconds Ends() const;
  };
  milliseconds Latency();
  void Arrive(Exchange& exchange);
  HttpResponse Read(const Exchange& exchange) const;

  Stage& stage_;
  Witness& witness_;
  std::function<void(milliseconds)> sleep_;
  HttpId next_ = 1;
  std::map<HttpId, Exchange> flying_;
};

}  // namespace tmc::simulation
