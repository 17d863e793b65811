#include "tests/support/heart_client.h"

#include <algorithm>

#include "tests/simulator/text.h"

namespace tmc {

HttpId HeartClient::Start(HttpRequest request) {
  sim::SimRequest asked;
  asked.body = request.body;
  Exchange exchange;
  exchange.response = heart_.Handle(asked);
  const milliseconds now = clock_.Steady();
  exchange.gives_up = now + request.timeout;
  exchange.ready = now + latency + exchange.response.delay;
  if (exchange.response.hold) exchange.ready = now + heart_.Patience(*exchange.response.hold);
  flying_.emplace(next_, std::move(exchange));
  most_in_flight = std::max(most_in_flight, flying_.size());
  return next_++;
}

HttpResponse HeartClient::Read(const sim::SimResponse& response) const {
  HttpResponse read;
  switch (response.ending) {
    case sim::Ending::kWhole:
      read.status = response.status;
      read.body = response.body;
      read.content_type = response.content_type;
      read.date = std::chrono::floor<std::chrono::seconds>(heart_.world().Now());
      break;
    case sim::Ending::kHang:
    case sim::Ending::kStall:
      read.transport = "no answer in time";
      break;
    case sim::Ending::kDrop:
    case sim::Ending::kReset:
    case sim::Ending::kCut:
      read.transport = "the connection was closed";
      break;
  }
  return read;
}

std::vector<HttpDone> HeartClient::Wait(milliseconds most) {
  const auto ends = [](const Exchange& exchange) {
    const bool silent =
        exchange.response.ending == sim::Ending::kHang || exchange.response.ending == sim::Ending::kStall;
    return silent ? exchange.gives_up : std::min(exchange.ready, exchange.gives_up);
  };
  milliseconds next = clock_.Steady() + std::max(most, 0ms);
  for (const auto& [id, exchange] : flying_) next = std::min(next, ends(exchange));
  if (next > clock_.Steady()) clock_.Advance(next - clock_.Steady());
  std::vector<HttpDone> done;
  for (auto it = flying_.begin(); it != flying_.end();) {
    if (ends(it->second) > clock_.Steady()) {
      ++it;
      continue;
    }
    if (it->second.response.hold) {
      auto answer = heart_.Held(*it->second.response.hold);
      if (!answer) {
        it->second.ready = clock_.Steady() + std::max(heart_.Patience(*it->second.response.hold), 1ms);
        ++it;
        continue;
      }
      it->second.response = std::move(*answer);
    }
    done.push_back({it->first, Read(it->second.response)});
    it = flying_.erase(it);
  }
  return done;
}

void HeartClient::Abort(HttpId id) {
  const auto found = flying_.find(id);
  if (found == flying_.end()) return;
  if (found->second.response.hold) heart_.Abandon(*found->second.response.hold);
  flying_.erase(found);
}

}  // namespace tmc
