#include "agent/confirmer.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/log.h"
#include "agent/mistakes.h"

namespace tmc {
namespace {
constexpr int64_t kMost = 200;        // ids a call (taobao.tmc.messages.confirm)
constexpr milliseconds kOldest = 1s;  // a settled row waits no longer for company
constexpr milliseconds kFailedFirst = 500ms, kFailedMost = 30s;
constexpr milliseconds kRefusedPause = 1s;  // between offers of an id that was refused alone
}  // namespace

Confirmer::Confirmer(Context& context, Gateway& gateway, Inbox& inbox, Cursors& cursors)
    : context_(context),
      gateway_(gateway),
      inbox_(inbox),
      cursors_(cursors),
      api_(context.platform.Confirm({}, gateway.With("")).api) {}

void Confirmer::Count() {
  if (looked_) return;
  owed_ = inbox_.CountOwed(kMost);
  refused_waiting_ = inbox_.OwedRefused().has_value();
  looked_ = true;
}

bool Confirmer::owes() {
  Count();
  return owed_.count > 0 || !halves_.empty() || refused_waiting_ || in_flight() || has_answer();
}

bool Confirmer::Ready(bool idle) {
  Count();
  if (!halves_.empty() || owed_.count >= kMost) return true;
  if (owed_.oldest) {
    const milliseconds age = context_.clock.Now() - *owed_.oldest;
    if (idle || age >= kOldest || age < 0ms) return true;  // below zero: the clock went back
  }
  return refused_waiting_ && context_.clock.Steady() >= refused_not_before_;
}

Confirmer::Batch Confirmer::Next() {
  if (!halves_.empty()) {
    Batch half = std::move(halves_.front());
    halves_.pop_front();
    return half;
  }
  if (owed_.count > 0) return inbox_.Owed(kMost);
  const auto alone = inbox_.OwedRefused();
  return alone ? Batch{*alone} : Batch{};
}

void Confirmer::Start(bool idle) {
  if (in_flight() || has_answer() || context_.clock.Steady() < not_before_) return;
  if (!Ready(idle) || !gateway_.May(api_, "")) return;
  sent_ = Next();
  if (sent_.empty()) return;
  std::vector<std::string> ids;
  for (const OwedConfirm& owed : sent_) ids.push_back(owed.msg_id);
  call_ = gateway_.Send(context_.platform.Confirm(ids, gateway_.With("")), "");
}

std::optional<milliseconds> Confirmer::Pause() const {
  if (in_flight()) return std::nullopt;
  const milliseconds now = context_.clock.Steady();
  std::optional<milliseconds> pause;
  if (!halves_.empty() || owed_.count >= kMost)
    pause = 0ms;
  else if (owed_.oldest)
    pause = std::clamp(*owed_.oldest + kOldest - context_.clock.Now(), 0ms, kOldest);
  else if (refused_waiting_)
    pause = std::max(refused_not_before_ - now, 0ms);
  if (!pause) return std::nullopt;
  return std::max({*pause, not_before_ - now, gateway_.Delay(api_, "")});
}

bool Confirmer::Take(HttpDone& done) {
  if (!in_flight() || done.id != call_.id) return false;
  auto answer = context_.platform.ReadConfirm(done.response);
  const bool counts = gateway_.Heard(call_, done.response, answer ? nullptr : &answer.error());
  call_.id = 0;
  if (Planted(Mistake::kConfirmUnread)) answer = Done{};
  if (answer || answer.error().fault == Fault::kMessage) {
    answer_ = std::move(answer);
    return true;
  }
  if (counts && answer.error().fault != Fault::kClock) {
    ++failures_;
    not_before_ = context_.clock.Steady() + Backoff(failures_, kFailedFirst, kFailedMost, context_.random);
    log::Warn("confirm", "a confirm call failed, it is repeated: " + Sentence(answer.error()));
  }
  return true;
}

void Confirmer::Write(Time now) {
  if (!answer_) return;
  if (*answer_) {
    int64_t confirmed = 0;
    for (const OwedConfirm& owed : sent_) confirmed += inbox_.Confirmed(owed, now);
    cursors_.Count("messages_confirmed", confirmed);
  } else if (sent_.size() == 1 && inbox_.ConfirmRefused(sent_[0].id)) {
    cursors_.Count("confirms_refused", 1);
    log::Error("confirm",
               fmt::format("the platform refuses the confirm of message {} for good ({}); it is kept, and "
                           "offered again only when it comes again",
                           sent_[0].msg_id, Sentence(answer_->error())));
  }
}

void Confirmer::Written() {
  if (!answer_) return;
  if (*answer_) {
    failures_ = 0;
  } else {
    Refused();
  }
  answer_.reset();
  sent_.clear();
  looked_ = false;
}

void Confirmer::Refused() {
  if (sent_.size() == 1) {
    refused_not_before_ = context_.clock.Steady() + kRefusedPause;
    return;
  }
  log::Warn("confirm", fmt::format("a confirm of {} ids was refused, halving it: {}", sent_.size(),
                                   Sentence(answer_->error())));
  const auto middle = sent_.begin() + static_cast<std::ptrdiff_t>(sent_.size() / 2);
  halves_.emplace_front(middle, sent_.end());
  halves_.emplace_front(sent_.begin(), middle);
}

void Confirmer::Drop() {
  if (in_flight()) context_.http.Abort(call_.id);
  call_.id = 0;
}

}  // namespace tmc
