#include "tests/simulation/wire.h"

#include <algorithm>

namespace tmc::simulation {

milliseconds Wire::Exchange::Ends() const {
  if (!arrived) return gives_up;
  const bool silent = response.ending == sim::Ending::kHang || response.ending == sim::Ending::kStall;
  return silent ? gives_up : std::min(ready, gives_up);
}

milliseconds Wire::Latency() {
  return stage_.chance.Hit(0.03) ? stage_.Duration(100ms, 5s) : milliseconds(stage_.Between(1, 60));
}

HttpId Wire::Start(HttpRequest request) {
  if (stage_.crash_after >= 0 && stage_.crash_after-- == 0) throw Crash{};
  witness_.Called(request);
  Exchange exchange;
  const milliseconds now = stage_.agenda.Now();
  exchange.arrives = now + Latency();
  exchange.gives_up = now + request.timeout;
  exchange.request = std::move(request);
  flying_.emplace(next_, std::move(exchange));
  return next_++;
}

void Wire::Arrive(Exchange& exchange) {
  sim::SimRequest asked;
  asked.body = exchange.request.body;
  exchange.arrived = true;
  exchange.response = stage_.heart.Handle(asked);
  exchange.date = std::chrono::floor<std::chrono::seconds>(stage_.platform().Now());
  exchange.ready = stage_.agenda.Now() + Latency() + exchange.response.delay;
  witness_.Served(exchange.request, exchange.response);
}

milliseconds Wire::Next() const {
  milliseconds next = milliseconds::max();
  for (const auto& [id, exchange] : flying_)
    next = std::min(next, exchange.arrived ? exchange.Ends() : std::min(exchange.arrives, exchange.gives_up));
  return next;
}

void Wire::Move() {
  for (auto& [id, exchange] : flying_)
    if (!exchange.arrived && exchange.arrives <= stage_.agenda.Now()) Arrive(exchange);
}

bool Wire::HasAnswers() const {
  return std::any_of(flying_.begin(), flying_.end(),
                     [&](const auto& pair) { return pair.second.Ends() <= stage_.agenda.Now(); });
}

std::vector<HttpDone> Wire::Wait(milliseconds most) {
  if (stage_.crash_after >= 0 && stage_.crash_after-- == 0) throw Crash{};
  sleep_(std::max(most, 0ms));
  std::vector<HttpDone> done;
  for (auto it = flying_.begin(); it != flying_.end();) {
    if (it->second.Ends() > stage_.agenda.Now()) {
      ++it;
      continue;
    }
    done.push_back({it->first, Read(it->second)});
    witness_.Heard(it->second.request, done.back().response);
    it = flying_.erase(it);
  }
  stage_.chance.Shuffle(done.begin(), done.end());
  return done;
}

HttpResponse Wire::Read(const Exchange& exchange) const {
  HttpResponse read;
  if (!exchange.arrived || stage_.agenda.Now() < exchange.ready) {
    read.transport = "no answer in time";
    return read;
  }
  switch (exchange.response.ending) {
    case sim::Ending::kWhole:
      read.status = exchange.response.status;
      read.body = exchange.response.body;
      read.content_type = exchange.response.content_type;
      read.date = exchange.date;
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

void Wire::Abort(HttpId id) {
  const auto found = flying_.find(id);
  if (found == flying_.end()) return;
  if (!found->second.arrived && stage_.chance.Hit(0.5)) Arrive(found->second);
  flying_.erase(found);
}

bool Wire::Answering(HttpId id) const {
  const auto found = flying_.find(id);
  return found != flying_.end() && found->second.arrived && found->second.ready - stage_.agenda.Now() < 10ms;
}

void Wire::Forget() {
  for (auto& [id, exchange] : flying_)
    if (!exchange.arrived && stage_.chance.Hit(0.5)) Arrive(exchange);
  flying_.clear();
}

}  // namespace tmc::simulation
