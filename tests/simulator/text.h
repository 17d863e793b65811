#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/clock.h"

// Text of the wire: forms, hex, durations, and times as the platform writes them (UTC+8, whatever the zone
// here).
namespace tmc::sim {

using Params = std::map<std::string, std::string, std::less<>>;

std::string Decode(std::string_view form);  // %XX and + ; a broken % stays as it is
std::string Encode(std::string_view text);
void DecodeForm(std::string_view form, Params& into);                        // the first of a name stays
std::vector<std::string_view> Split(std::string_view text, char separator);  // empty text: no pieces
std::string_view Find(const Params& params, std::string_view name);          // "" when absent

std::string ToHex(std::string_view bytes);  // upper case
std::optional<std::string> FromHex(std::string_view hex);

std::string Quote(std::string_view text);  // as a JSON string
std::string Replace(std::string text, std::string_view from, std::string_view to);

// 300, 300s, 5m, 20h, 100ms, with an optional sign.
std::optional<milliseconds> ParseDuration(std::string_view text);
// "yyyy-MM-dd HH:mm:ss" at UTC+8, nothing else.
std::optional<Time> ParsePlatformTime(std::string_view text);
// A platform time, or a signed duration ("-90s", "+5m") from `now`.
std::optional<Time> ParseMoment(std::string_view text, Time now);
std::string PlatformTime(Time time);
std::string HttpDate(Time time);
Time NextPlatformMidnight(Time now);

}  // namespace tmc::sim
