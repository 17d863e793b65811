#pragma once

#include <optional>
#include <string>

#include "tests/simulator/world.h"

namespace tmc::sim {

// A message to be published, before it has its wire form.
struct Draft {
  std::string id;  // empty: the next free one
  std::string topic, content;
  std::optional<size_t> shop;
  std::string group;              // empty: where the shop's messages go
  std::optional<Time> published;  // default: when it becomes visible
  Time visible{};
  int extra = 0;  // more hand-outs
  milliseconds gap{0};
  std::string flaw;       // see kFlaws
  bool escapes = false;   // content with \/ and \uXXXX
  std::string raw_entry;  // these bytes stand in the entry's place
};

// Ways in which an entry can be broken: gbk_nick, half_emoji, half_surrogate, control_char, id_text, no_id,
// no_topic, no_content, no_nick, null_content.
bool KnownFlaw(std::string_view flaw);

// Returns the message's id.
std::string Publish(World& world, Draft draft);

// The content of a trade message, as the documents list its fields.
std::string TradeContent(const World& world, const Order& order, const Truth& truth, std::string_view topic);

}  // namespace tmc::sim
