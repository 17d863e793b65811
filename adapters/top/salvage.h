#pragma once

#include <optional>
#include <string_view>

#include "agent/message.h"

namespace tmc::top {

// The bytes of the list of messages, brackets included, in a consume answer that does not parse as a whole:
// with the list left out, the rest must be one complete JSON text. So an answer that was cut off has none.
std::optional<std::string_view> EntryBytes(std::string_view body);

// Such an answer, entry by entry. Every byte of the list ends in exactly one entry: what parses alone is a
// message, the others are bad with their bytes; where an entry's end can't be found, it reaches to the next
// entry that can be read. An answer without EntryBytes gives nothing.
ConsumeAnswer Salvage(std::string_view body);

}  // namespace tmc::top
