#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/clock.h"
#include "tests/simulator/chance.h"

namespace tmc::sim {

struct QueueRules {
  milliseconds visibility = 300s;   // until an unconfirmed message is handed out again
  int jitter = 20;                  // percent of it, either way
  milliseconds retention = 24h;     // an older message is lost
  double duplicates = 0;            // chance that a confirmed message comes once more
  milliseconds duplicate_gap = 1s;  // when
  size_t reorder = 0;               // hand out any of this many first ones; 0: first in, first out
  bool shuffle_batch = true;
  bool partial = false;  // batches of any size up to the one asked for
};

struct Message {
  std::string id;  // as text; empty: the entry has none
  std::string topic, shop, group;
  std::string entry;  // the whole JSON object, as it goes over the wire
  Time published{};
  Time visible{};
  bool confirmed = false;
  bool lost = false;  // too old before anybody confirmed it
  int handed = 0;
};

struct Confirmed {
  int fresh = 0, again = 0, unknown = 0, foreign = 0;
};

struct Backlog {
  size_t total = 0, confirmed = 0, lost = 0, handed = 0, never_handed = 0;
};

// The queues of one app, one for each group. Handing out hides a message for a while; only a confirm ends it.
class MessageQueue {
 public:
  explicit MessageQueue(Chance& chance) : chance_(chance) {}
  // `extra` more hand-outs, `gap` apart, whether it is confirmed or not.
  size_t Put(Message message, int extra, milliseconds gap);
  std::vector<size_t> Take(std::string_view group, size_t most, Time now);
  Confirmed Confirm(std::string_view group, std::string_view id, Time now);
  // When the next message of the group can be handed out; nothing when there is none.
  std::optional<Time> NextVisible(std::string_view group);
  // Hidden messages can be handed out again at once.
  void Redeliver(Time now);
  bool Handed(std::string_view id) const;

  const Message& at(size_t index) const { return messages_[index]; }
  const std::deque<Message>& messages() const { return messages_; }
  Backlog Count() const;
  QueueRules rules;

 private:
  struct Ticket {
    Time at;
    uint64_t turn;  // first in, first out at one time
    size_t message;
    bool extra;  // a duplicate: handed out once, confirmed or not
    bool operator>(const Ticket& other) const {
      return std::pair(at, turn) > std::pair(other.at, other.turn);
    }
  };
  struct Group {
    std::deque<Ticket> visible;
    std::priority_queue<Ticket, std::vector<Ticket>, std::greater<>> hidden;
  };
  void Wake(Group& group, Time now);
  Ticket Pick(Group& group);
  bool Alive(const Ticket& ticket, Time now);
  void Hide(Group& group, size_t message, Time until, bool extra);
  milliseconds Visibility();

  Chance& chance_;
  uint64_t turn_ = 0;
  std::deque<Message> messages_;
  std::unordered_multimap<std::string_view, size_t> by_id_;
  std::map<std::string, Group, std::less<>> groups_;
};

}  // namespace tmc::sim
