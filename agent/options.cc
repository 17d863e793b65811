// std::regex recurses on the length of a word and trips gcc's warnings under sanitizers.
#define CXXOPTS_NO_REGEX true

#include "agent/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cxxopts.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "agent/help.h"
#include "agent/option_checks.h"
#include "agent/option_commands.h"
#include "agent/option_flags.h"
#include "agent/option_values.h"

namespace tmc {
namespace {

constexpr int kUsage = 64, kSetting = 78;
constexpr size_t kLongestWord = 2048, kLongestFlagfile = 1u << 20;

// Problems travel as exceptions inside this file only; ParseOptions hands them over as values.
[[noreturn]] void Refuse(int exit_status, std::string text) {
  throw OptionsProblem{exit_status, std::move(text)};
}
template <typename... T>
[[noreturn]] void Usage(fmt::format_string<T...> format, T&&... parts) {
  Refuse(kUsage, fmt::format(format, std::forward<T>(parts)...));
}
template <typename... T>
[[noreturn]] void Missing(fmt::format_string<T...> format, T&&... parts) {
  Refuse(kSetting, fmt::format(format, std::forward<T>(parts)...));
}

std::string Shown(std::string_view word) {
  return log::Printable(word, 64);
}

// What one parse found: flags with their values in their order, and everything else.
struct Parsed {
  struct Given {
    const Flag* flag;
    std::string value;
  };
  std::vector<Given> flags;
  std::vector<std::string> words;

  const std::string* Value(std::string_view name) const {
    const auto found = std::ranges::find(flags, name, [](const Given& given) { return given.flag->name; });
    return found == flags.end() ? nullptr : &found->value;
  }
};

[[noreturn]] void RefuseUnknown(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  if (name == "--app-secret" || name == "--secret")
    Usage(
        "{} would show the secret to everybody on this machine; use --app-secret-file or the variable "
        "TMC_APP_SECRET",
        name);
  if (name == "--session")
    Usage(
        "--session would show the session to everybody on this machine; use --session-file or the variable "
        "TMC_SESSION");
  std::vector<std::string_view> names;
  for (const Flag& flag : AllFlags()) names.push_back(flag.name);
  const std::string_view bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  const std::string_view nearest = Nearest(bare, names);
  if (nearest.empty()) Usage("unknown flag {}; see tmc-agent help", Shown(name));
  Usage("unknown flag {}; did you mean --{}?", Shown(name), nearest);
}

// Puts each flag's value behind it as a word of its own, and refuses what cxxopts would take in silence:
// the next flag as a value, an empty value, a value for a switch.
std::vector<std::string> Guard(const std::vector<std::string>& words) {
  std::vector<std::string> guarded;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const size_t equals = word.find('=');
    const Flag* const flag =
        word.starts_with("--") ? FindFlag(std::string_view(word).substr(2, equals - 2)) : nullptr;
    if (flag == nullptr) {
      if (word.empty()) Usage("an empty word stands in the command line");
      if (word.size() > kLongestWord) Usage("the word {} is too long", Shown(word));
      guarded.push_back(word);
      continue;
    }
    guarded.push_back("--" + std::string(flag->name));
    if (flag->value.empty()) {
      if (equals != std::string::npos) Usage("--{} takes no value", flag->name);
      continue;
    }
    const bool next = equals == std::string::npos;
    if (next && (i + 1 == words.size() || words[i + 1].starts_with('-')))
      Usage("--{} wants a value: --{} {}", flag->name, flag->name, flag->value);
    const std::string value = next ? words[++i] : word.substr(equals + 1);
    if (value.empty()) Usage("the value of --{} is empty", flag->name);
    guarded.push_back(value);
  }
  return guarded;
}

cxxopts::Options Parser() {
  cxxopts::Options parser("tmc-agent");
  parser.allow_unrecognised_options();
  auto add = parser.add_options();
  for (const Flag& flag : AllFlags()) {
    // Text, whatever it means: cxxopts would split a list at its commas.
    if (flag.value.empty()) {
      add(std::string(flag.name), "");
    } else {
      add(std::string(flag.name), "", cxxopts::value<std::string>());
    }
  }
  return parser;
}

Parsed Parse(const std::vector<std::string>& words) {
  static cxxopts::Options parser = Parser();
  const std::vector<std::string> guarded = Guard(words);
  std::vector<const char*> argv{"tmc-agent"};
  for (const std::string& word : guarded) argv.push_back(word.c_str());
  const cxxopts::ParseResult result = parser.parse(static_cast<int>(argv.size()), argv.data());
  Parsed parsed;
  for (const std::string& word : result.unmatched()) {
    if (word.starts_with('-') && word != "-") RefuseUnknown(word);
    parsed.words.push_back(word);
  }
  std::set<const Flag*> seen;
  for (const cxxopts::KeyValue& given : result.arguments()) {
    const Flag* const flag = FindFlag(given.key());
    if (!seen.insert(flag).second) Usage("--{} is given twice", given.key());
    parsed.flags.push_back({flag, given.value()});
  }
  return parsed;
}

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  return begin == std::string_view::npos ? ""
                                         : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// `--name value`, `--name=value` or `--name`: the value is the rest of the line, blanks and all.
void TakeLine(std::string_view line, Parsed& parsed) {
  if (!line.starts_with("--")) Usage("a flag was expected, not {}", Shown(line));
  const size_t end = std::min(line.find_first_of(" \t="), line.size());
  std::vector<std::string> words{std::string(line.substr(0, end))};
  if (end < line.size()) words[0] += "=" + std::string(Trim(line.substr(end + 1)));
  const Parsed one = Parse(words);
  if (!one.words.empty() || one.flags.empty()) Usage("a flag was expected, not {}", Shown(line));
  const Flag* const flag = one.flags[0].flag;
  if (flag->name == "flagfile") Usage("--flagfile cannot stand in a flag file");
  const std::string& value = one.flags[0].value;
  if (value.starts_with('"') || value.starts_with('\''))
    Usage("--{}: a value in a flag file stands without quotes", flag->name);
  if (parsed.Value(flag->name) != nullptr) Usage("--{} is given twice", flag->name);
  Options unused;
  const std::string wrong = flag->take(unused, value);
  if (!wrong.empty()) Usage("--{} {}", flag->name, wrong);
  parsed.flags.push_back(one.flags[0]);
}

std::string WhyUnreadable(const std::string& path) {
  if (std::filesystem::is_directory(path)) return "it is a folder";
  return access(path.c_str(), R_OK) != 0 ? std::generic_category().message(errno) : "it changed meanwhile";
}

Parsed ParseFlagfile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content;
  for (char block[4096]; file && content.size() <= kLongestFlagfile;) {
    file.read(block, sizeof block);
    content.append(block, static_cast<size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path))
    Missing("--flagfile: {} cannot be read: {}", Shown(path), WhyUnreadable(path));
  if (content.size() > kLongestFlagfile) Missing("--flagfile: {} is larger than 1 MiB", Shown(path));
  std::string_view rest = content;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  Parsed parsed;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const std::string_view text = Trim(line);
    if (text.empty() || text[0] == '#') continue;
    try {
      TakeLine(text, parsed);
    } catch (const OptionsProblem& problem) {
      Usage("{} line {}: {}", Shown(path), number, problem.text);
    }
  }
  return parsed;
}

Command CommandOf(const std::vector<std::string>& words) {
  if (words.empty()) Usage("no command; see tmc-agent help");
  if (words[0] == "doctor") Usage("doctor is not available in this version yet");
  std::vector<std::string_view> firsts, seconds;
  for (const CommandName& name : AllCommands()) {
    firsts.push_back(name.word);
    if (name.word != words[0]) continue;
    if (name.second.empty() || (words.size() > 1 && words[1] == name.second)) return name.command;
    seconds.push_back(name.second);
  }
  if (!seconds.empty()) Usage("{} takes one of: {}", words[0], fmt::join(seconds, ", "));
  const std::string_view nearest = Nearest(words[0], firsts);
  if (nearest.empty()) Usage("unknown command {}; see tmc-agent help", Shown(words[0]));
  Usage("unknown command {}; did you mean {}?", Shown(words[0]), nearest);
}

// The words behind the command.
void TakeIds(const std::vector<std::string>& words, Options& options) {
  const std::string name = NameOf(options.command);
  options.ids.assign(words.begin() + 1 + (name.find(' ') != std::string::npos), words.end());
}

void Apply(const Parsed& parsed, bool from_file, Options& options) {
  for (const Parsed::Given& given : parsed.flags) {
    if (!given.flag->Belongs(options.command)) {
      if (from_file) continue;
      Usage("--{} is not a flag of {}", given.flag->name, NameOf(options.command));
    }
    const std::string wrong = given.flag->take(options, given.value);
    if (!wrong.empty()) Usage("--{} {}", given.flag->name, wrong);
  }
}

Options Help(const std::vector<std::string>& words) {
  Options options;
  options.help = HelpText("");
  for (const std::string& word : words) {
    const bool known =
        word != "help" && std::ranges::find(AllCommands(), word, &CommandName::word) != AllCommands().end();
    if (!known) continue;
    options.help = HelpText(word);
    return options;
  }
  if (words.size() > 1 && words[0] == "help" && words[1] != "help" && !words[1].starts_with('-'))
    Usage("there is no command {}; see tmc-agent help", Shown(words[1]));
  return options;
}

// `help`, or a wish for it anywhere, whatever else is wrong.
bool AsksForHelp(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "help") return true;
  const auto end = std::ranges::find(words, "--");
  return std::any_of(words.begin(), end,
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

Options ParseAll(std::vector<std::string> words, const Environment& environment) {
  if (AsksForHelp(words)) return Help(words);
  if (!words.empty() && words[0] == "--version") words[0] = "version";
  Parsed parsed = Parse(words);
  Options options;
  options.command = CommandOf(parsed.words);
  options.secrets.app_secret = environment("TMC_APP_SECRET");
  options.secrets.session = environment("TMC_SESSION");
  if (const std::string* const path = parsed.Value("flagfile")) {
    Apply(ParseFlagfile(*path), true, options);
  }
  Apply(parsed, false, options);
  TakeIds(parsed.words, options);
  if (auto problem = CheckOptions(options)) throw *std::move(problem);
  return options;
}

}  // namespace

std::string ProcessEnvironment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::variant<Options, OptionsProblem> ParseOptions(const std::vector<std::string>& words,
                                                   const Environment& environment) {
  try {
    return ParseAll(words, environment);
  } catch (const OptionsProblem& problem) {
    return problem;
  } catch (const cxxopts::exceptions::exception& error) {
    return OptionsProblem{kUsage, error.what()};
  }
}

}  // namespace tmc
