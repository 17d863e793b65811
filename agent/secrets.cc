#include "agent/secrets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <variant>
#include <vector>

#include "agent/log.h"
#include "agent/utf8.h"

namespace tmc {
namespace {

constexpr int kOpenToOthers = 77, kNotUsable = 78;
constexpr size_t kMostBytes = 1u << 20;
constexpr std::string_view kBlanks = " \t\r\n";

using Content = std::variant<std::string, SecretProblem>;

struct Descriptor {
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  const int number;
};

// How files are named in a sentence.
struct SecretFile {
  std::string_view what;  // "the app secret"
  std::string path;

  SecretProblem Unusable(std::string_view why) const {
    return {kNotUsable, fmt::format("the file of {}, {}, {}", what, log::Printable(path), why)};
  }
};

std::string ReadAll(int descriptor) {
  std::string content;
  char buffer[4096];
  ssize_t got = 0;
  while (content.size() <= kMostBytes && (got = read(descriptor, buffer, sizeof buffer)) > 0)
    content.append(buffer, static_cast<size_t>(got));
  return content;
}

Content ReadFile(const SecretFile& file) {
  // A pipe without a writer must not block the start.
  const Descriptor opened{open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (opened.number < 0 || fstat(opened.number, &status) != 0)
    return file.Unusable("cannot be read: " + std::generic_category().message(errno));
  if (!S_ISREG(status.st_mode)) return file.Unusable("is not a regular file");
  if (const unsigned others = status.st_mode & 0066; others != 0)
    return SecretProblem{
        kOpenToOthers,
        fmt::format("the file of {}, {}, is open to others (mode {:04o}); mend: chmod 600 {}", file.what,
                    log::Printable(file.path), status.st_mode & 07777, log::Printable(file.path))};
  std::string content = ReadAll(opened.number);
  if (content.size() > kMostBytes) return file.Unusable("is larger than 1 MiB");
  if (content.starts_with("\xEF\xBB\xBF")) content.erase(0, 3);
  return content;
}

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// One word of printable ASCII: what every secret of the platform is.
bool IsSecret(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = Trim(line)).empty() && line[0] != '#') {
    const size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::optional<SecretProblem> TakeAppSecret(const SecretSources& sources, SecretSet& set) {
  if (sources.app_secret_file.empty()) {
    set.app_secret = Trim(sources.app_secret);
    if (IsSecret(set.app_secret)) return std::nullopt;
    return SecretProblem{kNotUsable,
                         set.app_secret.empty()
                             ? "no app secret: give --app-secret-file or the variable TMC_APP_SECRET"
                             : "the variable TMC_APP_SECRET does not hold one word"};
  }
  const SecretFile file{"the app secret", sources.app_secret_file};
  const Content content = ReadFile(file);
  if (const auto* problem = std::get_if<SecretProblem>(&content)) return *problem;
  set.app_secret = Trim(std::get<std::string>(content));
  if (set.app_secret.empty()) return file.Unusable("is empty");
  if (!IsSecret(set.app_secret)) return file.Unusable("does not hold one word");
  return std::nullopt;
}

// A line of the session file into the set; what is wrong with it, or nothing.
std::string TakeSessionLine(const std::vector<std::string_view>& words, SecretSet& set) {
  if (words.size() > 2)
    return "has more than USER_ID_OR_NICK SESSION (a nick with a blank: name the shop by its user id)";
  if (!IsSecret(words.back())) return "holds a session that is not one word of letters and digits";
  if (words.size() == 1) {
    if (!set.bare_session.empty() || !set.sessions.empty())
      return "names no shop; write USER_ID_OR_NICK SESSION";
    set.bare_session = words[0];
    return "";
  }
  if (!set.bare_session.empty()) return "names a shop, but a line before it names none";
  if (!utf8::Valid(words[0])) return "is not UTF-8";
  if (!set.sessions.emplace(words[0], words[1]).second) return "names a shop for the second time";
  return "";
}

std::optional<SecretProblem> TakeSessions(const SecretSources& sources, SecretSet& set) {
  if (sources.session_file.empty()) {
    set.bare_session = Trim(sources.session);
    if (set.bare_session.empty() || IsSecret(set.bare_session)) return std::nullopt;
    return SecretProblem{kNotUsable, "the variable TMC_SESSION does not hold one word"};
  }
  const SecretFile file{"the sessions", sources.session_file};
  const Content content = ReadFile(file);
  if (const auto* problem = std::get_if<SecretProblem>(&content)) return *problem;
  std::string_view rest = std::get<std::string>(content);
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto words = Words(line);
    if (words.empty()) continue;
    const std::string wrong = TakeSessionLine(words, set);
    if (!wrong.empty()) return file.Unusable(fmt::format("cannot be used: line {} {}", number, wrong));
  }
  if (set.bare_session.empty() && set.sessions.empty()) return file.Unusable("is empty");
  return std::nullopt;
}

// What changes whenever a file is written, replaced or given another mode.
std::string Stamp(const std::string& path) {
  struct stat status {};
  if (path.empty()) return "";
  if (stat(path.c_str(), &status) != 0) return fmt::format("missing {};", errno);
  return fmt::format("{} {} {} {}.{} {}.{};", status.st_dev, status.st_ino, status.st_size,
                     status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                     status.st_ctim.tv_nsec);
}

std::string StampOf(const SecretSources& sources) {
  return Stamp(sources.app_secret_file) + Stamp(sources.session_file);
}

}  // namespace

const std::string* SecretSet::Session(std::string_view user_id, std::string_view nick) const {
  for (const std::string_view name : {user_id, nick}) {
    const auto found = sessions.find(std::string(name));
    if (found != sessions.end()) return &found->second;
  }
  return nullptr;
}

std::optional<SecretProblem> Secrets::Load() {
  const std::lock_guard lock(mutex_);
  // Before reading: what is written meanwhile is read again by the next Refresh.
  stamp_ = StampOf(sources_);
  SecretSet fresh;
  if (auto problem = TakeAppSecret(sources_, fresh)) return problem;
  if (auto problem = TakeSessions(sources_, fresh)) return problem;
  const bool same = fresh.app_secret == set_.app_secret && fresh.bare_session == set_.bare_session &&
                    fresh.sessions == set_.sessions;
  fresh.generation = set_.generation + (same ? 0 : 1);
  set_ = std::move(fresh);
  return std::nullopt;
}

bool Secrets::Refresh() {
  int64_t before = 0;
  {
    const std::lock_guard lock(mutex_);
    if (StampOf(sources_) == stamp_) return false;
    before = set_.generation;
  }
  if (const auto problem = Load())
    log::Error("secrets", problem->text + "; the ones read before stay in use");
  return Get().generation != before;
}

SecretSet Secrets::Get() const {
  const std::lock_guard lock(mutex_);
  return set_;
}

}  // namespace tmc
