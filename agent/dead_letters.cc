#include "agent/dead_letters.h"

#include "agent/digest.h"
#include "schema/dead_letters.sql.h"

namespace tmc {
namespace {

namespace q = sql::dead_letters;

DeadLetter Read(Query& query) {
  DeadLetter letter;
  letter.id = query.Int(0);
  letter.kind = query.Text(1);
  if (!query.IsNull(2)) letter.msg_id = query.Text(2);
  std::string* const texts[] = {&letter.channel,  &letter.platform,     &letter.shop,
                                &letter.topic,    &letter.subject_kind, &letter.subject_id,
                                &letter.order_id, &letter.subscriber,   &letter.event_id,
                                &letter.reason,   &letter.detail,       &letter.body};
  int column = 3;
  for (std::string* text : texts) *text = query.Text(column++);
  letter.attempts = query.Int(15);
  letter.published_at = query.MaybeTime(16);
  letter.first_seen_at = query.TimeAt(17);
  letter.dead_at = query.TimeAt(18);
  letter.resolution = query.Text(19);
  letter.resolved_at = query.MaybeTime(20);
  letter.why = query.Text(21);
  letter.repeats = query.Int(22);
  return letter;
}

}  // namespace

int64_t DeadLetters::Write(const ClaimedRow& row, std::string_view reason, std::string_view detail,
                           Time now) {
  std::string body;
  Time received = now;
  {
    auto query = store_.Use(q::kBodyOf);
    if (query.Bind(":id", row.id).Step()) {
      body = query.Text(0);
      received = query.TimeAt(1);
    }
  }
  auto query = store_.Use(q::kWrite);
  query.Bind(":msg_id", row.msg_id).Bind(":channel", row.channel).Bind(":platform", platform_);
  query.Bind(":shop", row.shop).Bind(":topic", row.topic);
  query.Bind(":subject_kind", row.kind == SubjectKind::kOrder ? "order" : "")
      .Bind(":subject_id", row.subject_id);
  query.Bind(":order_id", row.order_id).Bind(":reason", reason).Bind(":detail", detail).Blob(":body", body);
  query.Bind(":attempts", row.attempts).Bind(":published_at", row.published_at);
  query.Bind(":first_seen_at", received).Bind(":now", now).Run();
  return store_.LastInsertId();
}

int64_t DeadLetters::Write(const BadEntry& entry, std::string_view channel, Time now) {
  auto query = store_.Use(q::kWrite);
  query.Bind(":msg_id", *entry.msg_id).Bind(":channel", channel).Bind(":platform", platform_);
  query.Bind(":shop", entry.shop)
      .Bind(":topic", entry.topic)
      .Bind(":subject_kind", "")
      .Bind(":subject_id", "");
  query.Bind(":order_id", "")
      .Bind(":reason", entry.reason)
      .Bind(":detail", entry.detail)
      .Blob(":body", entry.raw);
  query.Bind(":attempts", 1).Null(":published_at").Bind(":first_seen_at", now).Bind(":now", now).Run();
  return store_.LastInsertId();
}

bool DeadLetters::WriteNameless(const BadEntry& entry, std::string_view channel, Time now) {
  const int64_t newest = Newest();
  auto query = store_.Use(q::kWriteNameless);
  query.Bind(":channel", channel)
      .Bind(":platform", platform_)
      .Bind(":shop", entry.shop)
      .Bind(":topic", entry.topic);
  query.Bind(":reason", entry.reason).Bind(":detail", entry.detail).Blob(":body", entry.raw);
  query.Bind(":now", now).Bind(":body_hash", Sha256Hex(entry.raw)).Run();
  return Newest() > newest;
}

std::optional<int64_t> DeadLetters::RepeatIllegal(std::string_view subject_id) {
  int64_t id = 0;
  {
    auto query = store_.Use(q::kOpenIllegal);
    if (!query.Bind(":subject_kind", "order").Bind(":subject_id", subject_id).Step()) return std::nullopt;
    id = query.Int(0);
  }
  store_.Use(q::kRepeat).Bind(":id", id).Run();
  return id;
}

std::optional<DeadLetter> DeadLetters::Find(int64_t id) {
  auto query = store_.Use(q::kFind);
  if (!query.Bind(":id", id).Step()) return std::nullopt;
  return Read(query);
}

std::vector<DeadLetter> DeadLetters::List(const LetterFilter& filter, int64_t after, int64_t most) {
  std::vector<DeadLetter> letters;
  auto query = store_.Use(q::kList);
  query.Bind(":after", after).Bind(":all", filter.all).Bind(":reason", filter.reason).Bind(":most", most);
  query.Bind(":order_id", filter.order_id).Bind(":msg_id", filter.msg_id);
  while (query.Step()) letters.push_back(Read(query));
  return letters;
}

std::vector<std::pair<std::string, int64_t>> DeadLetters::ByReason() {
  std::vector<std::pair<std::string, int64_t>> counts;
  auto query = store_.Use(q::kByReason);
  while (query.Step()) counts.emplace_back(query.Text(0), query.Int(1));
  return counts;
}

int64_t DeadLetters::Newest() {
  auto query = store_.Use(q::kNewest);
  return query.Step() ? query.Int(0) : 0;
}

bool DeadLetters::Resolve(int64_t id, std::string_view resolution, std::string_view why, Time now) {
  auto query = store_.Use(q::kResolve);
  query.Bind(":id", id).Bind(":resolution", resolution).Bind(":now", now);
  return query.Bind(":why", why.empty() ? std::nullopt : std::optional(why)).Run() > 0;
}

int64_t DeadLetters::Purge(Time before, int64_t most) {
  return store_.Use(q::kPurge).Bind(":before", before).Bind(":most", most).Run();
}

}  // namespace tmc
