#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/clock.h"
#include "agent/json.h"

// What the commands print: data on standard output, everything else on standard error.
namespace tmc::commands {

// "2026-01-15 08:30:00", UTC+8, as the platform writes it; "-" for none.
std::string ChinaTime(std::optional<Time> time);
// "3 h 12 min", "45 s".
std::string Age(milliseconds age);
// `text`, escaped for a terminal, and a line end.
void Say(std::string_view text);
void SayJson(json::Writer& object);
void Complain(std::string_view text);  // standard error, "tmc-agent: …"

// A time or null under the name of its column.
void TimeMember(json::Writer& writer, std::string_view key, std::optional<Time> time);
// Bytes as JSON text; what is not UTF-8 is also given as hex under `<key>_hex`.
void BytesMember(json::Writer& writer, std::string_view key, std::string_view bytes);

}  // namespace tmc::commands
