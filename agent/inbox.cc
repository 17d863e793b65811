#include "agent/inbox.h"

#include "agent/mistakes.h"
#include "schema/inbox.sql.h"

namespace tmc {
namespace {

namespace q = sql::inbox;

const char* KindText(SubjectKind kind) {
  return kind == SubjectKind::kOrder ? "order" : "";
}

// Rows that we made ourselves are not known to the platform.
bool IsConfirmed(std::string_view channel) {
  return channel != "reconcile" && channel != "reread";
}

void BindSubject(Query& query, const ClaimedRow& row) {
  query.Bind(":subject_kind", KindText(row.kind));
  query.Bind(":subject_id", row.subject_id);
  query.Bind(":order_id", row.order_id.empty() ? std::nullopt : std::optional(row.order_id));
}

ClaimedRow ReadDue(Query& query) {
  ClaimedRow row;
  row.id = query.Int(0);
  row.msg_id = query.Text(1);
  row.channel = query.Text(2);
  row.shop = query.Text(3);
  row.topic = query.Text(4);
  row.subject_id = query.Text(5);
  row.order_id = query.Text(6);
  row.body = query.Text(7);
  row.attempts = static_cast<int>(query.Int(8)) + 1;
  row.failures = static_cast<int>(query.Int(9));
  row.failing_since = query.MaybeTime(10);
  row.grace_from = query.TimeAt(11);
  row.announced_rank = static_cast<int>(query.Int(12));
  row.announced_at = query.MaybeTime(13);
  row.source = query.Text(14);
  row.suspect = query.Int(15) != 0;
  row.published_at = query.MaybeTime(16);
  return row;
}

}  // namespace

Accepted Inbox::Accept(const Envelope& envelope, std::string_view channel, Time now, int64_t claim,
                       ClaimedRow* row) {
  auto query = store_.Use(q::kAccept);
  query.Bind(":msg_id", envelope.msg_id)
      .Bind(":channel", channel)
      .Bind(":platform", platform_)
      .Bind(":shop", envelope.shop);
  query.Bind(":topic", envelope.topic)
      .Blob(":body", envelope.body)
      .Bind(":published_at", envelope.published_at);
  query.Bind(":state", claim ? "enriching" : "received")
      .Bind(":attempts", claim ? 1 : 0)
      .Bind(":claim", claim);
  query.Bind(":due_at", claim ? std::nullopt : std::optional(now)).Bind(":now", now);
  if (query.Run() == 0) {
    Redelivered(envelope.msg_id);
    return Accepted::kAgain;
  }
  if (claim && row) {
    row->id = store_.LastInsertId();
    row->claim = claim;
    row->msg_id = envelope.msg_id;
    row->channel = channel;
    row->shop = envelope.shop;
    row->topic = envelope.topic;
    row->attempts = 1;
    row->grace_from = now;
    row->source = "message";
    row->published_at = envelope.published_at;
  }
  return Accepted::kNew;
}

void Inbox::Redelivered(std::string_view msg_id) {
  if (Planted(Mistake::kNoSecondConfirm)) return;
  store_.Use(q::kRedelivered).Bind(":msg_id", msg_id).Run();
}

bool Inbox::Known(std::string_view msg_id) {
  return store_.Use(q::kKnown).Bind(":msg_id", msg_id).Step();
}

Accepted Inbox::AcceptSynthetic(const SyntheticMessage& message, Time now) {
  auto query = store_.Use(q::kAcceptSynthetic);
  query.Bind(":msg_id", message.msg_id)
      .Bind(":channel", message.channel)
      .Bind(":platform", platform_)
      .Bind(":shop", message.shop);
  query.Bind(":topic", message.channel).Bind(":order_id", message.order_id).Blob(":body", message.body);
  query.Bind(":published_at", message.announced_at).Bind(":announced_at", message.announced_at);
  return query.Bind(":now", now).Bind(":due_at", message.due_at).Run() > 0 ? Accepted::kNew
                                                                           : Accepted::kAgain;
}

bool Inbox::ReopenSynthetic(std::string_view msg_id, Time now) {
  return store_.Use(q::kReopenSynthetic).Bind(":msg_id", msg_id).Bind(":now", now).Run() > 0;
}

bool Inbox::AcceptDead(const BadEntry& entry, std::string_view channel, Time now, int64_t letter_id) {
  auto query = store_.Use(q::kAcceptDead);
  query.Bind(":msg_id", *entry.msg_id)
      .Bind(":channel", channel)
      .Bind(":platform", platform_)
      .Bind(":shop", entry.shop);
  query.Bind(":topic", entry.topic).Blob(":body", entry.raw).Bind(":now", now);
  return query.Bind(":last_error", entry.reason).Bind(":letter_id", letter_id).Run() > 0;
}

std::optional<Time> Inbox::EarliestDue(bool suspects) {
  auto query = store_.Use(q::kEarliestDue);
  return query.Bind(":suspect", suspects).Step() ? query.MaybeTime(0) : std::nullopt;
}

int64_t Inbox::CountDue(Time now, int64_t most) {
  auto query = store_.Use(q::kCountDue);
  return query.Bind(":now", now).Bind(":most", most).Step() ? query.Int(0) : 0;
}

std::vector<ClaimedRow> Inbox::Claim(Time now, int64_t claim, int64_t most, size_t max_bytes, bool suspects) {
  std::vector<ClaimedRow> rows;
  {
    auto query = store_.Use(q::kDue);
    query.Bind(":now", now).Bind(":suspect", suspects).Bind(":most", most);
    for (size_t bytes = 0; bytes <= max_bytes && query.Step(); bytes += rows.back().body.size())
      rows.push_back(ReadDue(query));
  }
  for (ClaimedRow& row : rows) {
    row.claim = claim;
    store_.Use(q::kClaim).Bind(":id", row.id).Bind(":claim", claim).Run();
  }
  return rows;
}

bool Inbox::Holds(const ClaimedRow& row) {
  return store_.Use(q::kHolds).Bind(":id", row.id).Bind(":claim", row.claim).Step();
}

bool Inbox::Apply(const ClaimedRow& row, Time now, std::string_view note, bool missed_so_far) {
  auto query = store_.Use(q::kApplied);
  BindSubject(query, row);
  query.Bind(":announced_rank", row.announced_rank).Bind(":missed", missed_so_far).Bind(":now", now);
  query.Bind(":last_error", note.empty() ? std::nullopt : std::optional(note));
  return query.Bind(":confirmed_channel", IsConfirmed(row.channel))
             .Bind(":id", row.id)
             .Bind(":claim", row.claim)
             .Run() > 0;
}

bool Inbox::Bury(const ClaimedRow& row, Time now, std::string_view last_error,
                 std::optional<int64_t> letter_id) {
  auto query = store_.Use(q::kDead);
  BindSubject(query, row);
  query.Bind(":now", now)
      .Bind(":last_error", last_error)
      .Bind(":letter_id", letter_id)
      .Bind(":attempts", row.attempts);
  return query.Bind(":confirmed_channel", IsConfirmed(row.channel))
             .Bind(":id", row.id)
             .Bind(":claim", row.claim)
             .Run() > 0;
}

bool Inbox::Retry(const ClaimedRow& row, const RetryAt& how) {
  auto query = store_.Use(q::kRetry);
  BindSubject(query, row);
  query.Bind(":announced_rank", row.announced_rank).Bind(":due_at", how.due_at);
  query.Bind(":waits_for", how.due_at ? std::nullopt : std::optional<std::string>(how.waits_for));
  query.Bind(":given_back", how.give_back)
      .Bind(":failures", how.failures)
      .Bind(":failing_since", how.failing_since);
  return query.Bind(":last_error", how.last_error).Bind(":id", row.id).Bind(":claim", row.claim).Run() > 0;
}

bool Inbox::GiveBack(const ClaimedRow& row, Time due_at) {
  return store_.Use(q::kGiveBack)
             .Bind(":due_at", due_at)
             .Bind(":id", row.id)
             .Bind(":claim", row.claim)
             .Run() > 0;
}

bool Inbox::DueAfter(Time far_off) {
  return store_.Use(q::kDueAfter).Bind(":far_off", far_off).Step();
}

int Inbox::PullBack(Time far_off, Time now) {
  return store_.Use(q::kPullBack).Bind(":far_off", far_off).Bind(":now", now).Run();
}

int Inbox::Release(std::string_view scope, Time now, int64_t most) {
  return store_.Use(q::kRelease).Bind(":scope", scope).Bind(":now", now).Bind(":most", most).Run();
}

std::vector<std::pair<std::string, int64_t>> Inbox::WaitingScopes() {
  std::vector<std::pair<std::string, int64_t>> scopes;
  auto query = store_.Use(q::kWaitingScopes);
  while (query.Step()) scopes.emplace_back(query.Text(0), query.Int(1));
  return scopes;
}

int64_t Inbox::Waiting() {
  auto query = store_.Use(q::kCountWaiting);
  return query.Step() ? query.Int(0) : 0;
}

int64_t Inbox::Open() {
  auto query = store_.Use(q::kOpenCount);
  return query.Step() ? query.Int(0) : 0;
}

int64_t Inbox::Retryable() {
  auto query = store_.Use(q::kRetryable);
  return query.Step() ? query.Int(0) : 0;
}

std::vector<ClaimedRow> Inbox::Interrupted() {
  std::vector<ClaimedRow> rows;
  auto query = store_.Use(q::kInterrupted);
  while (query.Step()) {
    ClaimedRow& row = rows.emplace_back();
    row.id = query.Int(0);
    row.msg_id = query.Text(1);
    row.channel = query.Text(2);
    row.shop = query.Text(3);
    row.topic = query.Text(4);
    row.kind = query.Text(5) == "order" ? SubjectKind::kOrder : SubjectKind::kNone;
    row.subject_id = query.Text(6);
    row.order_id = query.Text(7);
    row.attempts = static_cast<int>(query.Int(8));
    row.published_at = query.MaybeTime(9);
  }
  return rows;
}

void Inbox::MarkSuspect(int64_t id, Time now) {
  store_.Use(q::kSuspect).Bind(":id", id).Bind(":now", now).Run();
}

void Inbox::BuryInterrupted(int64_t id, Time now, int64_t letter_id) {
  store_.Use(q::kBuryInterrupted).Bind(":id", id).Bind(":now", now).Bind(":letter_id", letter_id).Run();
}

std::vector<OwedConfirm> Inbox::Owed(int64_t most) {
  std::vector<OwedConfirm> owed;
  auto query = store_.Use(q::kOwed);
  query.Bind(":most", most);
  while (query.Step()) owed.push_back({query.Int(0), query.Text(1), query.Int(2)});
  return owed;
}

std::optional<OwedConfirm> Inbox::OwedRefused() {
  auto query = store_.Use(q::kOwedRefused);
  if (!query.Step()) return std::nullopt;
  return OwedConfirm{query.Int(0), query.Text(1), query.Int(2)};
}

Inbox::OwedState Inbox::CountOwed(int64_t most) {
  auto query = store_.Use(q::kOwedState);
  if (!query.Bind(":most", most).Step()) return {};
  return {query.Int(0), query.MaybeTime(1)};
}

bool Inbox::Confirmed(const OwedConfirm& owed, Time now) {
  auto query = store_.Use(q::kConfirmed);
  return query.Bind(":id", owed.id).Bind(":deliveries", owed.deliveries).Bind(":now", now).Run() > 0;
}

bool Inbox::ConfirmRefused(int64_t id) {
  auto query = store_.Use(q::kConfirmRefused);
  return query.Bind(":id", id).Step() && query.Int(0) == 2;
}

int64_t Inbox::CountMissed(Time before, int64_t most) {
  struct Change {
    int64_t id;
    std::string order_id;
    std::optional<Time> modified;
  };
  std::vector<Change> changes;
  {
    auto query = store_.Use(q::kUntold);
    query.Bind(":before", before).Bind(":most", most);
    while (query.Step()) changes.push_back({query.Int(0), query.Text(1), query.MaybeTime(2)});
  }
  int64_t missed = 0;
  for (const Change& change : changes) {
    bool told = false;
    {
      auto query = store_.Use(q::kToldBy);
      told = query.Bind(":order_id", change.order_id).Bind(":since", change.modified.value_or(Time{})).Step();
    }
    store_.Use(q::kToldChecked).Bind(":missed", told ? 0 : 2).Bind(":id", change.id).Run();
    missed += !told;
  }
  return missed;
}

bool Inbox::OpenAgain(std::string_view msg_id, Time now, std::string_view source) {
  return store_.Use(q::kOpenAgain).Bind(":msg_id", msg_id).Bind(":now", now).Bind(":source", source).Run() >
         0;
}

int64_t Inbox::Purge(Time before, int64_t most) {
  return store_.Use(q::kPurge).Bind(":before", before).Bind(":most", most).Run();
}

}  // namespace tmc
