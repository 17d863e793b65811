#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "agent/confirmer.h"
#include "agent/consumer.h"
#include "agent/context.h"
#include "agent/sessions.h"
#include "agent/worker.h"

namespace tmc {

// The message loop. One Step() is one visible turn: start what may be started, wait for answers, take them,
// commit once. Nothing is started on the strength of what is not committed.
class Pump {
 public:
  explicit Pump(Context& context);
  // At start: rows in hand of a process that is gone become suspects, or dead letters at their cap.
  void Recover();
  // One turn, at most `longest` long while there is nothing to do. Throws StoreError when its commit fails:
  // the answers are kept, and the next Step() commits them again.
  void Step(milliseconds longest = 1s);

  void StopConsuming() { consumer_.Stop(); }
  void Drain();     // no consume any more; finish what is in hand
  bool Drained();   // nothing in hand, nothing owed
  size_t GiveUp();  // the drain's time is over: claims given back (how many), closures written
  bool OwesConfirms() { return confirmer_.owes(); }
  // For `run --once`.
  int quiet_answers() const { return consumer_.quiet_answers(); }
  int64_t taken() const { return consumer_.taken(); }
  int consume_failures() const { return consumer_.failures(); }
  const std::optional<Error>& consume_error() const { return consumer_.last_error(); }
  bool Busy();  // in hand, startable and due by itself, or owed
  Inbox& inbox() { return inbox_; }
  const char* doing() const { return doing_.load(); }

 private:
  void RestoreClosures();
  void Look();
  void Start();
  void WaitAndTake(milliseconds longest);
  void Take(std::vector<HttpDone> done);
  milliseconds Patience(milliseconds longest);
  bool AnythingToWrite();
  void Commit();
  void Write(bool careful);
  void ClaimDue(Time now);
  bool NoteDue() const;
  bool ErrorNoteDue() const;
  int64_t NextClaim();
  bool ReleaseDue() const;
  size_t Room() const;

  Context& context_;
  Cursors cursors_;
  Inbox inbox_;
  DeadLetters letters_;
  Sessions sessions_;
  Gateway gateway_;
  Consumer consumer_;
  Worker worker_;
  Confirmer confirmer_;
  bool pending_ = false;  // a turn whose commit failed
  bool draining_ = false;
  bool work_due_ = false;  // found by a plain SELECT before the transaction
  std::optional<Time> next_due_;
  std::vector<ClaimedRow> claimed_;  // by the transaction that is being written
  int64_t claim_ = 0;                // the last generation used
  int64_t data_version_ = 0;
  uint64_t closures_saved_ = 0;
  milliseconds released_at_{-1h}, secrets_at_{-1h}, consumed_noted_{-1h}, error_noted_at_{-1h};  // steady
  std::string error_noted_;  // what `status` shows of the last consume call
  std::atomic<const char*> doing_{"starting"};
};

}  // namespace tmc
