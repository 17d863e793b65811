#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "agent/context.h"
#include "agent/cursors.h"
#include "agent/gateway.h"
#include "agent/inbox.h"

namespace tmc {

// The pump's way back: tells the platform which messages are settled. What is owed are rows; here is only the
// call that is out. Refused ids are found by halving the call.
class Confirmer {
 public:
  Confirmer(Context& context, Gateway& gateway, Inbox& inbox, Cursors& cursors);

  // `idle`: nothing else is in hand, so that nothing is gained by collecting more.
  void Start(bool idle);
  bool Take(HttpDone& done);
  std::optional<milliseconds> Pause() const;  // until Start could do something; nothing when nothing is owed
  bool in_flight() const { return call_.id != 0; }
  bool has_answer() const { return answer_.has_value(); }
  void Write(Time now);  // inside the turn's transaction
  void Written();
  void Look() { looked_ = false; }  // rows changed: count anew before the next Start
  bool NeedsPerson() const { return gateway_.NeedsPerson(api_); }
  bool owes();  // rows that a call would settle
  void Drop();  // a stop: forgets the call that is out

 private:
  using Batch = std::vector<OwedConfirm>;
  bool Ready(bool idle);
  Batch Next();
  void Count();
  void Refused();

  Context& context_;
  Gateway& gateway_;
  Inbox& inbox_;
  Cursors& cursors_;
  std::string api_;
  Call call_;
  Batch sent_;
  std::deque<Batch> halves_;  // of a refused call, to be offered before anything else
  std::optional<Result<Done>> answer_;
  Inbox::OwedState owed_;
  bool looked_ = false;
  bool refused_waiting_ = false;  // a row that was refused alone before is owed
  milliseconds not_before_{}, refused_not_before_{};
  int failures_ = 0;
};

}  // namespace tmc
