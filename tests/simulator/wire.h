#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/clock.h"

namespace tmc::sim {

struct SimRequest {
  std::string method = "POST";
  std::string path = "/router/rest";
  std::string query;  // behind the ?, still encoded
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// How an answer leaves the house. The heart only says it; whoever owns the sockets, or plays them, does it.
enum class Ending {
  kWhole,
  kDrop,   // the connection is closed, no byte is sent
  kReset,  // the same with a TCP reset
  kCut,    // headers and `bytes` of the body, then closed
  kHang,   // nothing is sent, the connection stays open
  kStall,  // headers and `bytes` of the body, then silence
};

struct SimResponse {
  int status = 200;
  std::string content_type = "application/json;charset=UTF-8";
  std::string date;  // the Date header; the platform's clock, not this machine's
  std::string body;
  Ending ending = Ending::kWhole;
  size_t bytes = 0;              // kCut, kStall
  milliseconds delay{0};         // before the first byte
  milliseconds trickle{0};       // pause before each byte of the body
  std::optional<uint64_t> hold;  // no answer yet: ask Heart::Held with this ticket
};

}  // namespace tmc::sim
