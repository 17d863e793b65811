#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/inbox.h"
#include "agent/store.h"

namespace tmc {

// A row of dead_letter, for people.
struct DeadLetter {
  int64_t id = 0;
  std::string kind;  // message, delivery
  std::optional<std::string> msg_id;
  std::string channel, platform, shop, topic, subject_kind, subject_id, order_id, subscriber, event_id;
  std::string reason, detail, body;
  int64_t attempts = 0;
  std::optional<Time> published_at;
  Time first_seen_at{}, dead_at{};
  std::string resolution;  // empty while it waits for a person
  std::optional<Time> resolved_at;
  std::string why;
  int64_t repeats = 0;
};

struct LetterFilter {
  bool all = false;  // the resolved ones, too
  std::optional<std::string> reason{}, order_id{}, msg_id{};
};

// The table dead_letter. Call inside a Transaction where it writes.
class DeadLetters {
 public:
  DeadLetters(Store& store, std::string platform) : store_(store), platform_(std::move(platform)) {}

  // The letter of a claimed row; its body is read from the row. Returns its id.
  int64_t Write(const ClaimedRow& row, std::string_view reason, std::string_view detail, Time now);
  // The letter of an entry with an id that could not be read.
  int64_t Write(const BadEntry& entry, std::string_view channel, Time now);
  // An entry without an id: one letter a content; false if that content is known (it is counted).
  bool WriteNameless(const BadEntry& entry, std::string_view channel, Time now);
  // The open illegal_transition of a subject, counted once more; nothing when there is none.
  std::optional<int64_t> RepeatIllegal(std::string_view subject_id);

  std::optional<DeadLetter> Find(int64_t id);
  std::vector<DeadLetter> List(const LetterFilter& filter, int64_t after, int64_t most);  // by id
  std::vector<std::pair<std::string, int64_t>> ByReason();
  int64_t Newest();  // highest id, 0 if none

  // False if it is resolved already.
  bool Resolve(int64_t id, std::string_view resolution, std::string_view why, Time now);
  int64_t Purge(Time before, int64_t most);

 private:
  Store& store_;
  std::string platform_;
};

}  // namespace tmc
