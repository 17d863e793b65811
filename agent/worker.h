#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/context.h"
#include "agent/cursors.h"
#include "agent/dead_letters.h"
#include "agent/gateway.h"
#include "agent/inbox.h"
#include "agent/orders.h"
#include "agent/outbox.h"
#include "agent/verdict.h"

namespace tmc {

// The pump's middle: from claimed rows to order reads to settled rows. Owns what is in hand, nothing durable:
// if the process dies here, the rows are found claimed by the next start.
class Worker {
 public:
  Worker(Context& context, Gateway& gateway, Sessions& sessions, Inbox& inbox, DeadLetters& letters,
         Cursors& cursors);

  // Rows whose claim is committed: parses their contents and sorts them by order.
  void Add(std::vector<ClaimedRow> rows);
  void Start();  // order reads, as slots and the pacer allow
  bool Take(HttpDone& done);
  void Write(Time now, bool careful);  // inside the turn's transaction: settles what has an answer
  void Written();

  bool Startable() const;  // could a due row be worked on now?
  // Reads are closed until someone mends a permission or a secret.
  bool NeedsPerson() const { return gateway_.NeedsPerson(api_); }
  bool has_results() const { return !finished_.empty(); }
  bool has_suspect() const { return suspects_ > 0; }
  size_t in_hand() const { return in_hand_; }
  size_t in_flight() const { return flying_.size(); }
  std::optional<milliseconds> Pause() const;  // until Start could do something
  // A stop whose time is over: aborts every read and gives the attempts back. How many rows that were.
  size_t GiveBackAll();
  bool AnyToRelease(Time now) { return inbox_.Waiting() > 0 || inbox_.DueAfter(FarOff(now)); }
  // Rows that are due later than any backoff reaches: the clock has been set back. And rows of shops that are
  // open again, and one row of each whose probe is due. Inside a transaction.
  void Release(Time now);
  const std::string& api() const { return api_; }

 private:
  struct NoSubject {};
  using Answer = std::variant<NoSubject, Rejected, Result<OrderTruth>>;
  struct Finished {
    std::vector<ClaimedRow> rows;  // one, unless Answer is a read
    Answer answer;
    bool shop_unbound = false;
    bool counts = true;  // false: sent with secrets that have been replaced
    Time read_at{};      // platform's time when the read began
  };
  struct Subject {
    std::vector<ClaimedRow> waiting;  // for the next read of this order
    bool flying = false;
  };
  struct Flight {
    Call call;
    std::string order_id;
    std::vector<ClaimedRow> rows;  // all claimed before the read began
    bool shop_unbound = false;
  };

  Time FarOff(Time now) const;
  void Sort(ClaimedRow row);
  bool StartOne(const std::string& order_id);
  void Refuse(std::vector<ClaimedRow> rows, Error error);
  void WriteTruth(const Finished& finished, const OrderTruth& truth, Time now);
  void WriteIllegal(const Finished& finished, const OrderTruth& truth, const OrderSnapshot& held, Time now);
  void WriteError(const Finished& finished, const Error& error, Time now);
  void WarnOfRead(const Finished& finished, const Error& error);
  void WriteFinished(const Finished& finished, Time now);
  void WriteNoSubject(const ClaimedRow& row, Time now);
  void WriteRefused(const Finished& finished, const std::string& why, Time now);
  void AskAgain(const OrderTruth& truth, const ClaimedRow& row, Time read_at, Time now);
  void Settle(const ClaimedRow& row, const Verdict& verdict, bool missed_so_far, Time now);
  void Bury(const ClaimedRow& row, std::string_view reason, std::string_view detail, Time now);
  Cause CauseOf(const std::vector<ClaimedRow>& rows) const;
  Court At(Time now) {
    return {context_.settings, now, context_.started_at, context_.random,
            context_.clock.Steady() - context_.started};
  }

  Context& context_;
  Gateway& gateway_;
  Sessions& sessions_;
  Inbox& inbox_;
  DeadLetters& letters_;
  Cursors& cursors_;
  Orders orders_;
  Outbox outbox_;
  EventSource source_;
  std::string api_;
  std::map<std::string, Subject> subjects_;  // by order id
  std::deque<std::string> ready_;            // order ids with waiting rows and no read in flight
  std::map<HttpId, Flight> flying_;
  std::vector<Finished> finished_;
  milliseconds warned_{-1h};  // steady: the last line about failing reads
  int64_t unsaid_ = 0;        // failed reads since
  size_t in_hand_ = 0, suspects_ = 0;
  std::string bind_bare_to_;  // a shop whose read succeeded with the bare session
};

}  // namespace tmc
