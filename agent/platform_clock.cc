#include "agent/platform_clock.h"

namespace tmc {
namespace {
constexpr milliseconds kJump = 60s;
// A Date is the start of its second, and the answer travelled.
constexpr milliseconds kBlur = 2500ms;
}  // namespace

void PlatformClock::Observe(Time date) {
  const milliseconds seen = date - clock_.Now();
  const milliseconds held = offset();
  tentative_ = seen.count();
  if (seen > held + kJump || seen < held - kJump) {
    check_due_ = true;
  } else if (seen > held || seen < held - kBlur) {
    offset_ = seen.count();
  }
}

bool PlatformClock::Set(Time told) {
  const milliseconds seen = told - clock_.Now();
  const milliseconds held(offset_.exchange(seen.count()));
  tentative_ = seen.count();
  check_due_ = false;
  return seen > held + kBlur || seen < held - kBlur;
}

void PlatformClock::Refused(std::optional<Time> date) {
  if (date) tentative_ = (*date - clock_.Now()).count();
  check_due_ = true;
}

void PlatformClock::CheckFailed() {
  check_due_ = false;
}

}  // namespace tmc
