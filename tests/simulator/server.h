#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "tests/simulator/control.h"
#include "tests/simulator/heart.h"
#include "tests/simulator/parking.h"

struct MHD_Daemon;

namespace tmc::sim {

struct Door;

struct ServerSettings {
  uint16_t gateway_port = 0;  // 0: any free one
  uint16_t control_port = 0;
  unsigned threads = 1;       // that serve the gateway
  unsigned idle_seconds = 0;  // a connection without a request is closed after this; 0: never
};

// The heart behind two ports of the loopback address. Throws std::runtime_error where a port cannot be had.
class Server {
 public:
  Server(Heart& heart, const ServerSettings& settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  uint16_t gateway_port() const;
  uint16_t control_port() const;

 private:
  friend struct Door;
  struct Stop {
    void operator()(MHD_Daemon* daemon) const;
  };
  SimResponse Ask(const SimRequest& request, bool control);

  Heart& heart_;
  Control control_;
  std::mutex lock_;  // around heart_ and control_
  Parking parking_;
  std::unique_ptr<Door> gateway_door_, control_door_;
  std::unique_ptr<MHD_Daemon, Stop> gateway_daemon_, control_daemon_;  // last: they stop first
};

}  // namespace tmc::sim
