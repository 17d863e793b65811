#include "tests/simulator/flags.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "tests/simulator/text.h"

namespace tmc::sim {

const char kHelp[] = R"(tmc-simulator - a stand-in for the Taobao Open Platform, on this machine only

usage: tmc-simulator [flags]

Prints one JSON line with its two addresses, then serves until SIGTERM or SIGINT:
  {"gateway":"http://127.0.0.1:PORT/router/rest","control":"http://127.0.0.1:PORT/"}

  --port N, --control-port N   fixed ports (default: any free ones)
  --ready-file F               the same JSON line, written to F once both ports answer
  --scenario F                 what the platform holds and does (tests/simulator/README.md)
  --seed N                     the same chance again (default 1)
  --threads N                  threads that serve the gateway (default 1)
  --idle-seconds N             close a connection that carries no request for so long (default: never)

  --app-key K, --app-secret S  (default 12345678, helloworld; invented, for tests only)
  --group NAME                 a group of the app; repeatable; messages go to the first (default: none)
  --shop USER_ID,NICK,SESSION  repeatable (default: 123456789,测试店铺01,session-1)
  --generate ORDERS,MESSAGES   so many of each, changed within the last 30 minutes

  --hold D                     keep an empty consume open so long (long poll; also --poll-hold)
  --visibility D               an unconfirmed message comes again after this (default 300s)
  --jitter N                   percent of it, either way (default 20)
  --retention D                older messages are lost (default 24h)
  --duplicates P               chance (0 to 1) that a confirmed message comes once more
  --reorder N                  hand out any of the N first messages
  --partial                    batches of any size
  --clock-offset D             the platform's clock is wrong by this (-90s, 3m)
  --daily-quota N              calls a day
  --empty FORM                 an empty consume: object, missing, null, text, array, list
  --simplify                   answer as if simplify=true were asked for
  --bare-single                a list of one comes as the bare object
  --unknown-fields, --escapes, --shuffle-ties, --clamp-quantity, --window-end-open, --refuse-with-error
  --read-lag D, --list-lag D   reads and lists see what was true so long ago
  --stale P                    chance that a read sees the truth before the present one
  --move-rows N                so many orders change after each page of a list
  --help

examples:
  tmc-simulator --generate 100,250 --hold 2s
  tmc-simulator --scenario rehearsal.json --port 8801 --control-port 8802 --visibility 5s
  curl -s http://127.0.0.1:8802/record?summary
)";

namespace {

constexpr std::array kBare{"simplify",        "bare-single",       "unknown-fields",
                           "escapes",         "shuffle-ties",      "clamp-quantity",
                           "window-end-open", "refuse-with-error", "partial"};
constexpr std::array kValued{"hold",    "visibility", "jitter",   "retention", "duplicates", "duplicate-gap",
                             "reorder", "empty",      "read-lag", "list-lag",  "stale",      "move-rows"};

std::string Member(std::string_view name, std::string_view value) {
  return "{" + Quote(Replace(std::string(name), "-", "_")) + ":" + Quote(value) + "}";
}

template <typename Number>
bool ReadNumber(const std::string& text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

bool ReadShop(const std::string& value, Flags& flags) {
  const auto parts = Split(value, ',');
  if (parts.size() != 3) return false;
  flags.shops.push_back("{\"user_id\":" + Quote(parts[0]) + ",\"nick\":" + Quote(parts[1]) +
                        ",\"session\":" + Quote(parts[2]) + "}");
  return true;
}

bool ReadGenerate(const std::string& value, Flags& flags) {
  const auto parts = Split(value, ',');
  if (parts.size() != 2) return false;
  flags.generate = "{\"orders\":" + Quote(parts[0]) + ",\"messages\":" + Quote(parts[1]) + "}";
  return true;
}

// Whether the flag's value could be taken; nothing for a flag that does not exist.
std::optional<bool> Take(const std::string& name, const std::string& value, Flags& flags) {
  if (name == "port") return ReadNumber(value, flags.server.gateway_port);
  if (name == "control-port") return ReadNumber(value, flags.server.control_port);
  if (name == "threads") return ReadNumber(value, flags.server.threads) && flags.server.threads > 0;
  if (name == "idle-seconds") return ReadNumber(value, flags.server.idle_seconds);
  if (name == "seed") return ReadNumber(value, flags.seed);
  if (name == "ready-file") return !(flags.ready_file = value).empty();
  if (name == "scenario") return !(flags.scenario = value).empty();
  if (name == "clock-offset") return (flags.clock_offset = ParseDuration(value)).has_value();
  if (name == "shop") return ReadShop(value, flags);
  if (name == "generate") return ReadGenerate(value, flags);
  if (name == "daily-quota") return flags.limits.push_back(Member(name, value)), true;
  if (name == "app-key" || name == "app-secret") return flags.app.push_back(Member(name, value)), true;
  if (name == "poll-hold") return flags.switches.push_back(Member("hold", value)), true;
  if (std::find(kValued.begin(), kValued.end(), name) == kValued.end()) return std::nullopt;
  flags.switches.push_back(Member(name, value));
  return true;
}

std::string GroupsMember(const std::vector<std::string>& groups) {
  std::string list;
  for (const std::string& group : groups) list += (list.empty() ? "" : ",") + Quote(group);
  return "{\"groups\":[" + list + "]}";
}

}  // namespace

std::optional<std::string> ReadFlags(const std::vector<std::string>& arguments, Flags& flags) {
  std::vector<std::string> groups;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--help" || word == "-h") return flags.help = true, std::nullopt;
    if (!word.starts_with("--")) return "stray word \"" + word + "\"; see --help";
    const size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    if (equals == word.npos && std::find(kBare.begin(), kBare.end(), name) != kBare.end()) {
      flags.switches.push_back(Member(name, "true"));
      continue;
    }
    if (equals == word.npos && i + 1 == arguments.size())
      return word + " needs a value, or is unknown; see --help";
    const std::string value = equals == word.npos ? arguments[++i] : word.substr(equals + 1);
    if (name == "group") {
      groups.push_back(value);
      continue;
    }
    const auto taken = Take(name, value, flags);
    if (!taken) return "unknown flag --" + name + "; see --help";
    if (!*taken) return "--" + name + ": cannot use \"" + value + "\"; see --help";
  }
  if (!groups.empty()) flags.app.push_back(GroupsMember(groups));
  return std::nullopt;
}

}  // namespace tmc::sim
