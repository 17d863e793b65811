#include "tests/simulator/limits.h"

#include <fmt/format.h>

#include "tests/simulator/text.h"

namespace tmc::sim {
namespace {

constexpr char kDaily[] = "accesscontrol.limited-by-app-access-count";
constexpr char kFrequency[] = "accesscontrol.limited-by-app-api-access-count";

}  // namespace

void Limits::Ban(std::string_view api, Time until, std::string sub_code) {
  if (sub_code.empty()) sub_code = api == "*" ? kDaily : kFrequency;
  bans_[std::string(api)] = {until, std::move(sub_code)};
}

std::optional<Limits::Refusal> Limits::Admit(std::string_view api, Time now) {
  if (auto refusal = Check("*", now)) return refusal;
  if (auto refusal = Check(api, now)) return refusal;
  if (now >= day_ends_) {
    day_ends_ = NextPlatformMidnight(now);
    calls_today_ = 0;
  }
  if (daily_quota_ && ++calls_today_ > *daily_quota_) {
    Ban("*", day_ends_, kDaily);
    return Check("*", now);
  }
  if (Frequent(api, now)) {
    Ban(api, now + 1s, kFrequency);
    return Check(api, now);
  }
  return std::nullopt;
}

void Limits::Clear() {
  bans_.clear();
  per_second_.clear();
  daily_quota_.reset();
  calls_today_ = 0;
}

ApiError Limits::BanError(std::string_view sub_code, Time until, Time now) {
  const auto left = std::max<int64_t>(1, std::chrono::ceil<std::chrono::seconds>(until - now).count());
  return {7, "App Call Limited", std::string(sub_code),
          fmt::format("This ban will last for {} more seconds", left)};
}

std::optional<Limits::Refusal> Limits::Check(std::string_view key, Time now) {
  const auto found = bans_.find(key);
  if (found == bans_.end()) return std::nullopt;
  Banned& ban = found->second;
  if (now >= ban.until) {
    bans_.erase(found);
    return std::nullopt;
  }
  Refusal refusal{BanError(ban.sub_code, ban.until, now), ban.told,
                  ban.sub_code == kDaily ? "call_after_quota" : "call_during_ban"};
  ban.told = true;
  return refusal;
}

bool Limits::Frequent(std::string_view api, Time now) {
  const auto limit = per_second_.find(api);
  if (limit == per_second_.end()) return false;
  auto& [second, calls] = seconds_[std::string(api)];
  if (now - second >= 1s) {
    second = now;
    calls = 0;
  }
  return ++calls > limit->second;
}

}  // namespace tmc::sim
