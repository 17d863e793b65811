#include "agent/consumer.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/log.h"
#include "agent/mistakes.h"

namespace tmc {
namespace {
constexpr int kSmallest = 10;  // the platform's least quantity
constexpr milliseconds kFailedFirst = 500ms, kFailedMost = 30s;
constexpr milliseconds kBacklogPause = 50ms;
}  // namespace

Consumer::Consumer(Context& context, Gateway& gateway, Sessions& sessions, Inbox& inbox, DeadLetters& letters,
                   Cursors& cursors)
    : context_(context),
      gateway_(gateway),
      sessions_(sessions),
      inbox_(inbox),
      letters_(letters),
      cursors_(cursors),
      api_(context.platform.Consume(kSmallest, gateway.With("")).api),
      quantity_(context.settings.batch),
      idle_(context.settings.idle_min) {}

void Consumer::Start(bool startable) {
  const milliseconds now = context_.clock.Steady();
  if (stopped_ || in_flight() || has_answer() || now < not_before_) return;
  const int64_t enough = int64_t{10} * context_.settings.batch;
  if (startable && inbox_.CountDue(context_.clock.Now(), enough + 1) > enough) {
    not_before_ = now + kBacklogPause;
    return;
  }
  if (!gateway_.May(api_, "")) return;
  asked_ = quantity_;
  call_ = gateway_.Send(context_.platform.Consume(asked_, gateway_.With("")), "");
}

std::optional<milliseconds> Consumer::Pause() const {
  if (stopped_ || in_flight()) return std::nullopt;
  const milliseconds own = std::max(not_before_ - context_.clock.Steady(), 0ms);
  return std::max(own, gateway_.Delay(api_, ""));
}

bool Consumer::Take(HttpDone& done) {
  if (!in_flight() || done.id != call_.id) return false;
  Read(done.response);
  call_.id = 0;
  return true;
}

void Consumer::Read(const HttpResponse& response) {
  auto answer = context_.platform.ReadConsume(response);
  if (!answer && answer.error().unreadable) {
    log::Warn("consume", "an answer does not parse as a whole, its entries are taken one by one: " +
                             answer.error().text);
    answer = context_.platform.SalvageConsume(response.body);
  }
  if (!answer) return Failed(answer.error(), response);
  gateway_.Heard(call_, response, nullptr);
  failures_ = 0;
  last_error_.reset();
  answer_ = std::move(*answer);
}

void Consumer::Failed(const Error& error, const HttpResponse& response) {
  if (error.too_large && quantity_ > kSmallest) {
    quantity_ = std::max(quantity_ / 2, kSmallest);
    log::Warn("consume", fmt::format("an answer was too large, asking for {} messages now", quantity_));
    return;
  }
  const bool counts = gateway_.Heard(call_, response, &error);
  if (!counts || error.fault == Fault::kClock || error.fault == Fault::kLimited)
    return;  // the gateway holds it up
  ++failures_;
  last_error_ = error;
  not_before_ = context_.clock.Steady() + Backoff(failures_, kFailedFirst, kFailedMost, context_.random);
  log::Warn("consume", fmt::format("a consume call failed, the next one follows in {} ms: {}",
                                   (not_before_ - context_.clock.Steady()).count(), Sentence(error)));
}

void Consumer::WriteBad(const BadEntry& entry, Time now) {
  const auto channel = context_.platform.MessageChannel();
  if (!entry.msg_id) {
    if (letters_.WriteNameless(entry, channel, now)) {
      ++new_ids_;
      cursors_.Count("dead_letters", 1);
      log::Warn("consume", fmt::format("an entry cannot be confirmed and became a dead letter: {}: {}",
                                       entry.reason, entry.detail));
    }
    return;
  }
  if (inbox_.Known(*entry.msg_id)) return inbox_.Redelivered(*entry.msg_id);
  inbox_.AcceptDead(entry, channel, now, letters_.Write(entry, channel, now));
  ++new_ids_;
  cursors_.Count("dead_letters", 1);
  log::Warn("consume", fmt::format("message {} became a dead letter: {}: {}", *entry.msg_id, entry.reason,
                                   entry.detail));
}

void Consumer::WriteOne(const Envelope& envelope, Time now, int64_t claim) {
  sessions_.Learn(envelope.shop, envelope.shop_nick);
  ClaimedRow row;
  if (inbox_.Accept(envelope, context_.platform.MessageChannel(), now, claim, &row) == Accepted::kAgain) {
#ifdef TMC_MISTAKES
    if (Planted(Mistake::kSkipExisting)) ConfirmAtOnce();
    if (Planted(Mistake::kRedeliveryDue))
      context_.store.Exec(("UPDATE inbound_message SET due_at = 1 WHERE state = 'failed' AND due_at > 1 AND "
                           "msg_id = '" +
                           envelope.msg_id + "'")
                              .c_str());
#endif
    return;
  }
  ++new_ids_;
  if (claim == 0) return;
  row.body = envelope.body;
  rows_.push_back(std::move(row));
}

void Consumer::Write(Time now, int64_t claim, size_t room, bool careful) {
  rows_.clear();
  new_ids_ = 0;
  if (!answer_) return;
  for (const Envelope& envelope : answer_->messages) {
    const int64_t its_claim = rows_.size() < room ? claim : 0;
    context_.store.Guard(
        careful, [&] { WriteOne(envelope, now, its_claim); },
        [&](const std::string& why) {
          WriteBad({envelope.msg_id, "not_storable", why, envelope.body, envelope.topic, envelope.shop}, now);
        });
  }
  for (const BadEntry& entry : answer_->bad) WriteBad(entry, now);
  const auto entries = static_cast<int64_t>(answer_->entries());
  cursors_.Count("messages_received", entries);
  cursors_.Count("messages_new", new_ids_);
  cursors_.Count("messages_again", entries - new_ids_);
}

#ifdef TMC_MISTAKES
void Consumer::ConfirmAtOnce() {
  if (!answer_) return;
  std::vector<std::string> ids;
  for (const Envelope& envelope : answer_->messages)
    if (!Planted(Mistake::kSkipExisting) || inbox_.Known(envelope.msg_id)) ids.push_back(envelope.msg_id);
  if (!ids.empty()) gateway_.Send(context_.platform.Confirm(ids, gateway_.With("")), "");
}
#endif

std::vector<ClaimedRow> Consumer::Written() {
  if (!answer_) return {};
  const auto entries = static_cast<int>(answer_->entries());
  answer_.reset();
  const milliseconds started = call_.started;
  if (new_ids_ == 0) {
    ++quiet_;
    not_before_ =
        started + idle_;  // counted from the start: a call that the gateway held needs no further pause
    idle_ = std::min(idle_ * 2, context_.settings.idle_max);
  } else {
    quiet_ = 0;
    taken_ += new_ids_;
    idle_ = context_.settings.idle_min;
    not_before_ = entries >= asked_ ? started : started + idle_;
  }
  new_ids_ = 0;
  if (quantity_ < context_.settings.batch) quantity_ = std::min(quantity_ * 2, context_.settings.batch);
  return std::move(rows_);
}

void Consumer::Stop() {
  stopped_ = true;
  if (in_flight() && !context_.http.Answering(call_.id)) {
    context_.http.Abort(call_.id);
    call_.id = 0;
  }
}

}  // namespace tmc
