#pragma once

#include <optional>
#include <vector>

#include "agent/context.h"
#include "agent/cursors.h"
#include "agent/dead_letters.h"
#include "agent/gateway.h"
#include "agent/inbox.h"

namespace tmc {

// The pump's intake: one consume call at a time, its entries kept as rows. What was not committed is not
// forgotten: the answer stays in hand until Written().
class Consumer {
 public:
  Consumer(Context& context, Gateway& gateway, Sessions& sessions, Inbox& inbox, DeadLetters& letters,
           Cursors& cursors);

  // Begins a call when it is time; `startable` is whether due rows could be worked on now.
  void Start(bool startable);
  bool Take(HttpDone& done);  // true: it was this one's answer
  // How long until Start could do something; nothing while a call is out.
  std::optional<milliseconds> Pause() const;
  bool in_flight() const { return call_.id != 0; }
  bool has_answer() const { return answer_.has_value(); }
  bool has_entries() const { return answer_ && answer_->entries() > 0; }

  // Inside the turn's transaction. `claim` 0 keeps the rows unclaimed; at most `room` rows are claimed.
  void Write(Time now, int64_t claim, size_t room, bool careful);
  // After its commit: the rows that are now in hand.
  std::vector<ClaimedRow> Written();

  // A call without answer bytes is cut off (what it was handed comes again); one being received is finished.
  void Stop();
  int64_t taken() const { return taken_; }      // new ids so far
  int quiet_answers() const { return quiet_; }  // answers in a row without a new id
  int failures() const { return failures_; }    // calls in a row that failed
  const std::optional<Error>& last_error() const { return last_error_; }

#ifdef TMC_MISTAKES
  void ConfirmAtOnce();
#endif

 private:
  void Read(const HttpResponse& response);
  void Failed(const Error& error, const HttpResponse& response);
  void WriteBad(const BadEntry& entry, Time now);
  void WriteOne(const Envelope& envelope, Time now, int64_t claim);

  Context& context_;
  Gateway& gateway_;
  Sessions& sessions_;
  Inbox& inbox_;
  DeadLetters& letters_;
  Cursors& cursors_;
  std::string api_;
  Call call_;
  int asked_ = 0;  // quantity of the call that is out
  int quantity_;
  milliseconds not_before_{};  // steady
  milliseconds idle_;
  int quiet_ = 0, failures_ = 0;
  int64_t taken_ = 0;
  std::optional<Error> last_error_;
  std::optional<ConsumeAnswer> answer_;
  std::vector<ClaimedRow> rows_;
  int64_t new_ids_ = 0;
  bool stopped_ = false;
};

}  // namespace tmc
