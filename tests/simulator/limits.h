#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/clock.h"
#include "tests/simulator/answer.h"

namespace tmc::sim {

// Bans, the daily quota, and calls a second. Times are the platform's.
class Limits {
 public:
  struct Refusal {
    ApiError error;
    bool repeated = false;  // the caller had been told before, and the time was not over
    std::string what;       // call_during_ban, call_after_quota
  };
  // `api` "*": the whole app. A sub_code that is not given is chosen by that.
  void Ban(std::string_view api, Time until, std::string sub_code = {});
  void SetDailyQuota(std::optional<int64_t> calls) { daily_quota_ = calls; }
  void SetPerSecond(std::string_view api, int64_t calls) { per_second_[std::string(api)] = calls; }
  // Counts a call, and refuses it where a limit holds.
  std::optional<Refusal> Admit(std::string_view api, Time now);
  void Clear();

  static ApiError BanError(std::string_view sub_code, Time until, Time now);

 private:
  struct Banned {
    Time until;
    std::string sub_code;
    bool told = false;
  };
  std::optional<Refusal> Check(std::string_view key, Time now);
  bool Frequent(std::string_view api, Time now);

  std::map<std::string, Banned, std::less<>> bans_;
  std::optional<int64_t> daily_quota_;
  int64_t calls_today_ = 0;
  Time day_ends_{};
  std::map<std::string, int64_t, std::less<>> per_second_;
  std::map<std::string, std::pair<Time, int64_t>, std::less<>> seconds_;
};

}  // namespace tmc::sim
