#include "tests/simulator/parking.h"

#include <microhttpd.h>
#include <sys/socket.h>

namespace tmc::sim {
namespace {

constexpr auto kPeerCheck = 100ms;

bool PeerGone(int socket) {
  char byte;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

}  // namespace

Parking::Parking(Heart& heart, std::mutex& heart_lock)
    : heart_(heart), heart_lock_(heart_lock), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

Parking::~Parking() {
  Close();
}

void Parking::Park(Exchange& exchange, Moment until) {
  MHD_suspend_connection(exchange.connection);
  const std::lock_guard guard(lock_);
  if (closed_) {
    exchange.response.ending = Ending::kDrop;
    MHD_resume_connection(exchange.connection);
    return;
  }
  places_.push_back({&exchange, until});
  look_ = true;
  changed_.notify_one();
}

void Parking::Look() {
  const std::lock_guard guard(lock_);
  if (places_.empty()) return;
  look_ = true;
  changed_.notify_one();
}

void Parking::Close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  for (Place& place : places_) {
    place.exchange->response.ending = Ending::kDrop;
    MHD_resume_connection(place.exchange->connection);
  }
  places_.clear();
}

void Parking::Run(const std::stop_token& stop) {
  std::unique_lock guard(lock_);
  while (!stop.stop_requested()) {
    const Moment now = std::chrono::steady_clock::now();
    Moment next = places_.empty() ? now + 1h : now + kPeerCheck;
    look_ = false;
    for (auto place = places_.begin(); place != places_.end();) {
      if (Over(*place, now)) {
        MHD_resume_connection(place->exchange->connection);
        place = places_.erase(place);
      } else {
        next = std::min(next, place->until);
        ++place;
      }
    }
    changed_.wait_until(guard, stop, next, [&] { return look_; });
  }
}

// The connection can go on, or its caller has gone.
bool Parking::Over(Place& place, Moment now) {
  Exchange& exchange = *place.exchange;
  if (PeerGone(exchange.socket)) {
    const std::lock_guard guard(heart_lock_);
    if (exchange.response.hold) heart_.Abandon(*exchange.response.hold);
    exchange.response.hold.reset();
    exchange.response.ending = Ending::kDrop;
    return true;
  }
  if (exchange.response.hold && !Answered(place, now)) return false;
  return now >= place.until;
}

// A held call has its answer, whose own delay may follow.
bool Parking::Answered(Place& place, Moment now) {
  const std::lock_guard guard(heart_lock_);
  const uint64_t ticket = *place.exchange->response.hold;
  auto response = heart_.Held(ticket);
  if (!response) {
    place.until = now + std::max(heart_.Patience(ticket), milliseconds(1));
    return false;
  }
  place.exchange->response = std::move(*response);
  const bool never = place.exchange->response.ending == Ending::kHang;
  place.until = never ? Moment::max() : now + place.exchange->response.delay;
  return true;
}

}  // namespace tmc::sim
