#include "agent/pacer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tmc {
namespace {

constexpr milliseconds kFirstProbe = 1min, kMostProbe = 10min;
constexpr milliseconds kFirstBan = 1s, kMostUntoldBan = 60s, kMostBan = 25h;
constexpr int64_t kBanJitter = 1000;
constexpr milliseconds kMostDelay = 1h;
constexpr milliseconds kCrowded = 1s;
constexpr int kShare = 4;

std::array<std::string, 4> ScopesOf(std::string_view api, std::string_view shop) {
  return {"app", "agent", "api:" + std::string(api), shop.empty() ? "" : "shop:" + std::string(shop)};
}

milliseconds ProbePause(int probes) {
  milliseconds pause = kFirstProbe;
  for (int i = 0; i < probes && pause < kMostProbe; ++i) pause *= 2;
  return std::min(pause, kMostProbe);
}

}  // namespace

Pacer::Pacer(double calls_a_second, const Clock& clock, uint64_t seed)
    : clock_(clock),
      random_(seed),
      rate_(calls_a_second),
      burst_(std::max(1.0, calls_a_second / 10)),
      tokens_(burst_),
      filled_at_(clock.Steady()) {}

void Pacer::Refill() {
  const milliseconds now = clock_.Steady();
  tokens_ = std::min(burst_, tokens_ + static_cast<double>((now - filled_at_).count()) * rate_ / 1000);
  filled_at_ = now;
}

void Pacer::SetUntil(Entry& entry, milliseconds wait) {
  entry.until = clock_.Steady() + wait;
  entry.closure.until = clock_.Now() + wait;
  ++changes_;
}

// How long bans and missing probes still hold this call up; 0: not at all.
milliseconds Pacer::HeldUp(std::string_view api, std::string_view shop) const {
  milliseconds longest{0};
  for (const std::string& scope : ScopesOf(api, shop)) {
    for (const Entries* entries : {&bans_, &closed_}) {
      const auto found = entries->find(scope);
      if (found != entries->end()) longest = std::max(longest, found->second.until - clock_.Steady());
    }
  }
  return longest;
}

// Whether this caller's turn has come, as far as the budget goes.
bool Pacer::Admit(Share share) {
  const milliseconds now = clock_.Steady();
  if (share == Share::kReconciliation) return tokens_ >= 1 && (now >= crowded_until_ || taken_ >= kShare);
  if (tokens_ < 1) crowded_until_ = now + kCrowded;
  return tokens_ >= 1;
}

bool Pacer::Take(std::string_view api, std::string_view shop, Share share) {
  const std::lock_guard lock(mutex_);
  Refill();
  if (HeldUp(api, shop) > 0ms || !Admit(share)) return false;
  tokens_ -= 1;
  taken_ = share == Share::kMessages ? taken_ + 1 : 0;
  for (const std::string& scope : ScopesOf(api, shop)) {
    const auto found = closed_.find(scope);
    if (found != closed_.end()) SetUntil(found->second, ProbePause(++found->second.closure.probes));
  }
  return true;
}

milliseconds Pacer::Delay(std::string_view api, std::string_view shop) const {
  const std::lock_guard lock(mutex_);
  const double missing = 1 - tokens_;
  const milliseconds since_fill = clock_.Steady() - filled_at_;
  const double most = static_cast<double>(kMostDelay.count());
  const milliseconds token(static_cast<int64_t>(std::min(std::ceil(missing / rate_ * 1000), most)));
  return std::clamp(std::max(token - since_fill, HeldUp(api, shop)), 1ms, kMostDelay);
}

bool Pacer::Closed(std::string_view api, std::string_view shop) const {
  const std::lock_guard lock(mutex_);
  for (const std::string& scope : ScopesOf(api, shop)) {
    const auto ban = bans_.find(scope);
    if (closed_.contains(scope) || (ban != bans_.end() && ban->second.until > clock_.Steady())) return true;
  }
  return false;
}

bool Pacer::Barred(std::string_view api, std::string_view shop) const {
  const std::lock_guard lock(mutex_);
  return HeldUp(api, shop) > 0ms;
}

void Pacer::Ban(std::string_view scope, std::optional<milliseconds> wait, std::string_view detail) {
  const std::lock_guard lock(mutex_);
  Entry& entry = bans_[std::string(scope)];
  const bool in_force = entry.until > clock_.Steady();
  // Calls that were in flight together are refused together: that is one ban.
  if (!wait && in_force) return;
  milliseconds pause;
  if (wait) {
    entry.untold = 0;
    pause = std::clamp(*wait, 0ms, kMostBan);
  } else {
    pause = kFirstBan * (1 << std::min(entry.untold++, 6));
    pause = std::min(pause, kMostUntoldBan);
  }
  pause += milliseconds(static_cast<int64_t>(random_() % (kBanJitter + 1)));
  if (clock_.Steady() + pause <= entry.until) return;
  const Time since = in_force ? entry.closure.since : clock_.Now();
  entry.closure = {.scope = std::string(scope), .ban = true, .since = since, .detail = std::string(detail)};
  SetUntil(entry, pause);
}

bool Pacer::Close(std::string_view scope, std::string_view detail) {
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = closed_.try_emplace(std::string(scope));
  Closure& closure = at->second.closure;
  if (!fresh && closure.detail == detail) return false;
  closure.detail = detail;
  ++changes_;
  if (!fresh) return false;
  closure.scope = scope;
  closure.since = clock_.Now();
  SetUntil(at->second, ProbePause(0));
  return true;
}

bool Pacer::Open(std::string_view scope) {
  const std::lock_guard lock(mutex_);
  const auto ban = bans_.find(scope);
  if (ban != bans_.end() && ban->second.until <= clock_.Steady()) bans_.erase(ban);
  const auto found = closed_.find(scope);
  if (found == closed_.end()) return false;
  closed_.erase(found);
  ++changes_;
  return true;
}

void Pacer::ProbeAll() {
  const std::lock_guard lock(mutex_);
  for (auto& [scope, entry] : closed_) {
    entry.closure.probes = 0;
    SetUntil(entry, 0ms);
  }
}

std::vector<Closure> Pacer::Closures() const {
  const std::lock_guard lock(mutex_);
  std::vector<Closure> closures;
  for (const auto& [scope, entry] : bans_)
    if (entry.until > clock_.Steady()) closures.push_back(entry.closure);
  for (const auto& [scope, entry] : closed_) closures.push_back(entry.closure);
  return closures;
}

void Pacer::Restore(const Closure& kept) {
  const std::lock_guard lock(mutex_);
  if (!kept.ban) {  // one call may find out anew
    Entry& entry = closed_[kept.scope];
    entry.closure = kept;
    SetUntil(entry, 0ms);
    return;
  }
  const milliseconds told = std::clamp<milliseconds>(kept.until - kept.since, 0ms, kMostBan + 1s);
  const milliseconds left = std::min<milliseconds>(kept.until - clock_.Now(), told);
  if (left <= 0ms) return;
  Entry& entry = bans_[kept.scope];
  entry.closure = kept;
  entry.closure.ban = true;
  SetUntil(entry, left);
}

uint64_t Pacer::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

}  // namespace tmc
