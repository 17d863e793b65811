#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

#include "tests/simulator/heart.h"

struct MHD_Connection;

namespace tmc::sim {

// A request and its answer, from the first byte read to the last byte sent.
struct Exchange {
  SimRequest request;
  SimResponse response;
  MHD_Connection* connection = nullptr;
  int socket = -1;
  bool begun = false, answered = false, rested = false;
  size_t sent = 0;
  std::chrono::steady_clock::time_point next_byte{};
};

// Connections that wait: for a delay to pass, for a held call's answer, or for nothing at all. They take no
// thread; one thread looks after all of them, lets them go on in time, and ends those whose caller has gone.
class Parking {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  Parking(Heart& heart, std::mutex& heart_lock);
  ~Parking();
  // Suspends the connection. Call it from the thread that serves it.
  void Park(Exchange& exchange, Moment until);
  // A held call may have got its answer.
  void Look();
  // Everybody goes on, to be closed; nobody is parked any more.
  void Close();

 private:
  struct Place {
    Exchange* exchange;
    Moment until;
  };
  void Run(const std::stop_token& stop);
  bool Over(Place& place, Moment now);
  bool Answered(Place& place, Moment now);

  Heart& heart_;
  std::mutex& heart_lock_;
  std::mutex lock_;  // taken before heart_lock_
  std::condition_variable_any changed_;
  std::list<Place> places_;
  bool closed_ = false, look_ = false;
  std::jthread thread_;
};

}  // namespace tmc::sim
