#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/message.h"
#include "agent/store.h"

namespace tmc {

// A row that is claimed: in this process's hands until it is settled, retried or given back. `claim` is the
// generation it was claimed under; everything written about it later is conditional on that.
struct ClaimedRow {
  int64_t id = 0;
  int64_t claim = 0;
  std::string msg_id, channel, shop, topic;
  std::string subject_id, order_id;  // empty until the content was parsed
  std::string body;
  int attempts = 0;  // this one included
  int failures = 0;  // in a row before this attempt
  std::optional<Time> failing_since;
  Time grace_from{};
  int announced_rank = 0;
  std::optional<Time> announced_at;
  std::string source;  // message, reconcile, replay, operator
  bool suspect = false;
  std::optional<Time> published_at;
  SubjectKind kind = SubjectKind::kNone;
};

struct OwedConfirm {
  int64_t id;
  std::string msg_id;
  int64_t deliveries;
};

enum class Accepted { kNew, kAgain };

// What the reconciler or the second-read rule asks to be looked at.
struct SyntheticMessage {
  std::string msg_id, channel, shop, order_id;
  std::string body;  // what it was seen in, for `trace`
  Time due_at{};
  std::optional<Time> announced_at;
};

// How a row goes on; see agent/outcome.h for whose fault decides it.
struct RetryAt {
  std::optional<Time> due_at{};  // none: it waits for `waits_for`
  std::string waits_for{};
  bool give_back = false;  // the attempt was not the message's failure
  int failures = 0;
  std::optional<Time> failing_since{};
  std::string last_error{};
};

// The table inbound_message: every message once, whatever its way. Call inside a Transaction where it writes.
class Inbox {
 public:
  Inbox(Store& store, std::string platform) : store_(store), platform_(std::move(platform)) {}

  // Stores an envelope; one that is known adds a delivery, and owes its confirm again if it is settled.
  // `claim` 0 leaves it unclaimed and due. Fills `row` with what was claimed.
  Accepted Accept(const Envelope& envelope, std::string_view channel, Time now, int64_t claim,
                  ClaimedRow* row);
  Accepted AcceptSynthetic(const SyntheticMessage& message, Time now);
  // Opens a settled synthetic row again; false if it is open, dead, or has lagged twice.
  bool ReopenSynthetic(std::string_view msg_id, Time now);
  // An entry that could not be read, but has an id; false if the id is known (its confirm is owed again).
  bool AcceptDead(const BadEntry& entry, std::string_view channel, Time now, int64_t letter_id);
  bool Known(std::string_view msg_id);
  void Redelivered(std::string_view msg_id);

  std::optional<Time> EarliestDue(bool suspects = true);
  int64_t CountDue(Time now, int64_t most);
  // Claims due rows, oldest first, at most `most` rows and about `max_bytes` of bodies.
  std::vector<ClaimedRow> Claim(Time now, int64_t claim, int64_t most, size_t max_bytes, bool suspects);

  bool Holds(const ClaimedRow& row);  // still under this claim?
  // Each false if the row is not under this claim any more: someone replayed or discarded it meanwhile.
  bool Apply(const ClaimedRow& row, Time now, std::string_view note, bool missed_so_far);
  bool Bury(const ClaimedRow& row, Time now, std::string_view last_error, std::optional<int64_t> letter_id);
  bool Retry(const ClaimedRow& row, const RetryAt& how);
  bool GiveBack(const ClaimedRow& row, Time due_at);

  bool DueAfter(Time far_off);
  int PullBack(Time far_off, Time now);  // makes due what is due after `far_off`
  int Release(std::string_view scope, Time now, int64_t most);
  std::vector<std::pair<std::string, int64_t>> WaitingScopes();
  int64_t Waiting();
  int64_t Open();
  int64_t Retryable();  // open, and will come due by itself

  // The rows found in hand of a process that is gone (without bodies).
  std::vector<ClaimedRow> Interrupted();
  void MarkSuspect(int64_t id, Time now);
  void BuryInterrupted(int64_t id, Time now, int64_t letter_id);

  std::vector<OwedConfirm> Owed(int64_t most);
  std::optional<OwedConfirm> OwedRefused();  // one that was refused alone before
  struct OwedState {
    int64_t count = 0;  // at most what was asked for
    std::optional<Time> oldest;
  };
  OwedState CountOwed(int64_t most);
  bool Confirmed(const OwedConfirm& owed, Time now);
  bool ConfirmRefused(int64_t id);  // true: this was the last time it was offered

  // Changes found by reconciliation of which no message has told within the time allowed; counts and closes
  // them.
  int64_t CountMissed(Time before, int64_t most);

  bool OpenAgain(std::string_view msg_id, Time now, std::string_view source);
  int64_t Purge(Time before, int64_t most);

 private:
  Store& store_;
  std::string platform_;
};

}  // namespace tmc
