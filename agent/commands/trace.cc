#include <fmt/format.h>

#include <algorithm>

#include "agent/commands/commands.h"
#include "agent/commands/print.h"
#include "agent/views.h"

namespace tmc::commands {
namespace {

// One step in a life.
struct Moment {
  Time at{};
  int rank = 0;  // order of what shares a millisecond
  std::string what, msg_id, text;
};

void AddMessage(std::vector<Moment>& life, const MessageView& m) {
  const bool ours = m.channel == "reconcile" || m.channel == "reread";
  if (m.published_at && !ours)
    life.push_back({*m.published_at, 0, "published", m.msg_id, "by the platform: " + m.topic});
  life.push_back({m.received_at, 1, ours ? "opened" : "received", m.msg_id,
                  m.channel == "reconcile" ? "reconciliation saw another truth than ours"
                  : m.channel == "reread"  ? "the second of its last change was not over: one more read"
                                           : fmt::format("{} {}, handed out {} {} so far", m.channel, m.topic,
                                                         m.deliveries, m.deliveries == 1 ? "time" : "times")});
  if (m.state == "applied")
    life.push_back({m.settled_at.value_or(m.received_at), 4, "applied", m.msg_id,
                    m.last_error.empty() ? "settled" : m.last_error});
  if (m.state == "dlq")
    life.push_back(
        {m.settled_at.value_or(m.received_at), 4, "dead", m.msg_id, "dead letter: " + m.last_error});
  if (m.confirmed_at) life.push_back({*m.confirmed_at, 6, "confirmed", m.msg_id, "the platform knows"});
  if (!m.settled_at) {
    const std::string wait = m.due_at              ? "next try " + ChinaTime(m.due_at)
                             : m.waits_for.empty() ? "in hand"
                                                   : "waits for " + m.waits_for;
    life.push_back({m.due_at.value_or(m.received_at), 7, "open", m.msg_id,
                    fmt::format("{}, {} failures; {}{}", m.state, m.attempts, wait,
                                m.last_error.empty() ? "" : "; last: " + m.last_error)});
  } else if (!m.confirmed_at && !ours) {
    life.push_back({*m.settled_at, 7, "owed", m.msg_id, "its confirm is still owed to the platform"});
  }
}

void AddLetters(std::vector<Moment>& life, Store& store, const Options& options, const LetterFilter& filter) {
  for (const DeadLetter& letter : DeadLetters(store, options.platform).List(filter, 0, 1000)) {
    const std::string msg_id = letter.msg_id.value_or("");
    life.push_back({letter.dead_at, 5, "letter", msg_id,
                    fmt::format("dead letter {}: {}: {}", letter.id, letter.reason, letter.detail)});
    if (letter.resolved_at)
      life.push_back(
          {*letter.resolved_at, 5, letter.resolution, msg_id,
           fmt::format("dead letter {}{}", letter.id, letter.why.empty() ? "" : ": " + letter.why)});
  }
}

void AddOrder(std::vector<Moment>& life, Views& views, const std::string& order_id,
              const std::string& only_msg_id) {
  const auto wanted = [&](const std::string& msg_id) { return only_msg_id.empty() || msg_id == only_msg_id; };
  for (const VersionView& v : views.HistoryOf(order_id))
    if (wanted(v.msg_id))
      life.push_back(
          {v.applied_at, 2, "order", v.msg_id,
           fmt::format("{} is {} now, version {}, by {}", order_id, v.status, v.status_version, v.source)});
  for (const EventView& e : views.EventsOf(order_id))
    if (wanted(e.msg_id))
      life.push_back(
          {e.created_at, 3, "event", e.msg_id, fmt::format("{} {} {}", e.type, e.status, e.event_id)});
}

void Print(const Options& options, std::vector<Moment>& life) {
  std::stable_sort(life.begin(), life.end(), [](const Moment& a, const Moment& b) {
    return a.at != b.at ? a.at < b.at : a.rank < b.rank;
  });
  for (const Moment& moment : life) {
    if (options.json) {
      json::Writer out;
      out.BeginObject();
      TimeMember(out, "at", moment.at);
      out.Member("what", moment.what).Member("msg_id", moment.msg_id).Member("text", moment.text).EndObject();
      SayJson(out);
    } else {
      Say(fmt::format("{}  {:<9}  {}  {}", ChinaTime(moment.at), moment.what, moment.msg_id, moment.text));
    }
  }
}

}  // namespace

int Trace(const Options& options) {
  Store store({.path = options.db, .read_only = true});
  Views views(store, options.platform);
  std::vector<Moment> life;
  if (!options.msg_id.empty()) {
    const auto message = views.Message(options.msg_id);
    if (message) {
      AddMessage(life, *message);
      if (!message->order_id.empty()) AddOrder(life, views, message->order_id, message->msg_id);
    }
    AddLetters(life, store, options, {.all = true, .msg_id = options.msg_id});
  } else {
    for (const MessageView& message : views.MessagesOf(options.order_id)) AddMessage(life, message);
    AddOrder(life, views, options.order_id, "");
    AddLetters(life, store, options, {.all = true, .order_id = options.order_id});
  }
  if (life.empty()) {
    Complain(options.msg_id.empty() ? "nothing is known of order " + options.order_id
                                    : "nothing is known of message " + options.msg_id);
    return 65;
  }
  Print(options, life);
  return 0;
}

}  // namespace tmc::commands
