#include "tests/simulator/message_queue.h"

#include <algorithm>

namespace tmc::sim {

size_t MessageQueue::Put(Message message, int extra, milliseconds gap) {
  const size_t index = messages_.size();
  messages_.push_back(std::move(message));
  const Message& kept = messages_.back();
  if (!kept.id.empty()) by_id_.emplace(kept.id, index);
  Group& group = groups_[kept.group];
  Hide(group, index, kept.visible, false);
  for (int i = 1; i <= extra; ++i) Hide(group, index, kept.visible + gap * i, true);
  return index;
}

std::vector<size_t> MessageQueue::Take(std::string_view name, size_t most, Time now) {
  std::vector<size_t> batch;
  const auto found = groups_.find(name);
  if (found == groups_.end()) return batch;
  Group& group = found->second;
  Wake(group, now);
  if (rules.partial) most = 1 + chance_.Below(most);
  while (batch.size() < most && !group.visible.empty()) {
    const Ticket ticket = Pick(group);
    if (!Alive(ticket, now)) continue;
    ++messages_[ticket.message].handed;
    batch.push_back(ticket.message);
    if (!ticket.extra) Hide(group, ticket.message, now + Visibility(), false);
  }
  if (rules.shuffle_batch) chance_.Shuffle(batch.begin(), batch.end());
  return batch;
}

Confirmed MessageQueue::Confirm(std::string_view group, std::string_view id, Time now) {
  Confirmed result;
  const auto [begin, end] = by_id_.equal_range(id);
  if (begin == end) ++result.unknown;
  for (auto it = begin; it != end; ++it) {
    Message& message = messages_[it->second];
    if (message.group != group) {
      ++result.foreign;
    } else if (message.confirmed) {
      ++result.again;
    } else {
      ++result.fresh;
      message.confirmed = true;
      if (chance_.Hit(rules.duplicates))
        Hide(groups_[message.group], it->second, now + rules.duplicate_gap, true);
    }
  }
  return result;
}

std::optional<Time> MessageQueue::NextVisible(std::string_view name) {
  const auto found = groups_.find(name);
  if (found == groups_.end()) return std::nullopt;
  Group& group = found->second;
  const auto settled = [&](const Ticket& t) { return messages_[t.message].confirmed && !t.extra; };
  while (!group.visible.empty() && settled(group.visible.front())) group.visible.pop_front();
  if (!group.visible.empty()) return group.visible.front().at;
  while (!group.hidden.empty() && settled(group.hidden.top())) group.hidden.pop();
  if (group.hidden.empty()) return std::nullopt;
  return group.hidden.top().at;
}

void MessageQueue::Redeliver(Time now) {
  for (auto& [name, group] : groups_) {
    decltype(group.hidden) rest;
    for (; !group.hidden.empty(); group.hidden.pop()) {
      Ticket ticket = group.hidden.top();
      if (messages_[ticket.message].handed > 0) ticket.at = std::min(ticket.at, now);
      rest.push(ticket);
    }
    group.hidden = std::move(rest);
  }
}

bool MessageQueue::Handed(std::string_view id) const {
  const auto [begin, end] = by_id_.equal_range(id);
  return std::any_of(begin, end, [&](const auto& entry) { return messages_[entry.second].handed > 0; });
}

Backlog MessageQueue::Count() const {
  Backlog count;
  count.total = messages_.size();
  for (const Message& message : messages_) {
    count.confirmed += message.confirmed;
    count.lost += message.lost;
    count.handed += static_cast<size_t>(message.handed);
    count.never_handed += message.handed == 0;
  }
  return count;
}

void MessageQueue::Wake(Group& group, Time now) {
  for (; !group.hidden.empty() && group.hidden.top().at <= now; group.hidden.pop())
    group.visible.push_back(group.hidden.top());
}

MessageQueue::Ticket MessageQueue::Pick(Group& group) {
  if (rules.reorder > 1) {
    const size_t span = std::min(rules.reorder, group.visible.size());
    std::swap(group.visible.front(), group.visible[chance_.Below(span)]);
  }
  const Ticket ticket = group.visible.front();
  group.visible.pop_front();
  return ticket;
}

bool MessageQueue::Alive(const Ticket& ticket, Time now) {
  Message& message = messages_[ticket.message];
  if (ticket.extra) return true;
  if (!message.confirmed && now - message.published > rules.retention) message.lost = true;
  return !message.confirmed && !message.lost;
}

void MessageQueue::Hide(Group& group, size_t message, Time until, bool extra) {
  group.hidden.push({until, turn_++, message, extra});
}

milliseconds MessageQueue::Visibility() {
  const auto span = rules.visibility.count() * rules.jitter / 100;
  if (span <= 0) return rules.visibility;
  return rules.visibility +
         milliseconds(static_cast<int64_t>(chance_.Below(static_cast<uint64_t>(2 * span + 1))) - span);
}

}  // namespace tmc::sim
