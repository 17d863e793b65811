#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "agent/json.h"
#include "agent/message.h"

namespace tmc::top {

// A message's id is 1 to 64 visible ASCII characters. No comma, which would make two ids of one in a confirm
// call, and no colon, which parts the other channels' names from their keys.
bool UsableId(std::string_view text);

// One element of a consume answer. A BadEntry comes without its raw bytes: the caller has them.
std::variant<Envelope, BadEntry> ReadEntry(json::Node entry);

// Where the messages of a consume answer are, or nothing for a shape that is none.
std::optional<std::vector<json::Node>> EntriesIn(json::Node result);

}  // namespace tmc::top
