#include "agent/log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include "agent/clock.h"
#include "agent/json.h"
#include "agent/utf8.h"

namespace tmc::log {
namespace {

constexpr size_t kMostEvent = 64;

// Appends each record with one write, so that two processes may share a file. spdlog's own file sink would
// make the file with the umask's mode and hand its descriptor to child processes.
class DescriptorSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit DescriptorSink(std::string file) : file_(std::move(file)) {
    if (!file_.empty()) descriptor_ = OpenFile();
  }
  ~DescriptorSink() override {
    if (!file_.empty()) close(descriptor_);
  }
  void Reopen() {
    if (file_.empty()) return;
    const int fresh = OpenFile();
    close(descriptor_);
    descriptor_ = fresh;
  }
  // What to say of a file that was there before and that everybody may read; "" of any other. Its mode may be
  // somebody's choice (logrotate's `create`), so it stays.
  std::string Complaint() const {
    struct stat status {};
    if (file_.empty() || fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return "";
    if ((status.st_mode & S_IRWXO) == 0) return "";
    return fmt::format(
        "{} is open to every user of this machine (mode {:04o}) and names orders; chmod 640 {}", file_,
        status.st_mode & 07777, file_);
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& record) override {
    std::string_view rest(record.payload.data(), record.payload.size());
    while (!rest.empty()) {
      const ssize_t written = write(descriptor_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;  // a full disk must not stop the work
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }
  void flush_() override {}

 private:
  int OpenFile() const {
    const int opened = open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (opened < 0)
      throw std::runtime_error(fmt::format("could not open the log file {}: {}", Printable(file_),
                                           std::generic_category().message(errno)));
    return opened;
  }

  const std::string file_;
  int descriptor_ = STDERR_FILENO;
};

// The process's one log.
struct Log {
  std::mutex mutex;
  std::shared_ptr<DescriptorSink> sink = std::make_shared<DescriptorSink>("");
  std::unique_ptr<spdlog::logger> logger = std::make_unique<spdlog::logger>("", sink);
  Format format = Format::kText;
};

Log& TheLog() {
  static Log log;
  return log;
}

spdlog::level::level_enum SpdlogLevel(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarn:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

std::string_view Word(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarn:
      return "warn";
    case Level::kError:
      return "error";
  }
  return "info";
}

std::string Timestamp(Time now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const time_t whole = seconds.time_since_epoch().count();
  std::tm parts{};
  gmtime_r(&whole, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, (now - seconds).count());
}

std::string Line(Format format, Level level, std::string_view event, std::string_view text) {
  const std::string now = Timestamp(SystemClock().Now());
  if (format == Format::kText) return fmt::format("{} {:<5} {}: {}\n", now, Word(level), event, text);
  json::Writer writer;
  writer.BeginObject().Member("ts", now).Member("level", Word(level));
  writer.Member("event", event).Member("msg", text).EndObject();
  return writer.Take() + "\n";
}

// What moves the cursor, ends a line or turns the direction of what follows.
bool Unprintable(uint32_t code) {
  const bool control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
  const bool line_end = code == 0x2028 || code == 0x2029;
  const bool direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return control || line_end || direction;
}

uint32_t Decode(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  uint32_t code = first & (0xFFu >> (character.size() + 1));
  for (const char c : character.substr(1)) code = (code << 6) | (static_cast<unsigned char>(c) & 0x3Fu);
  return code;
}

std::string Escaped(uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\u{:04x}", code);
  }
}

}  // namespace

std::string Printable(std::string_view text, size_t most) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8::ValidLength(text.substr(at));
    const std::string_view character = text.substr(at, length == 0 ? 1 : length);
    const uint32_t code = length == 0 ? 0xFFFD : Decode(character);
    const std::string shown = length == 0         ? "\xEF\xBF\xBD"
                              : Unprintable(code) ? Escaped(code)
                                                  : std::string(character);
    if (out.size() + shown.size() > most) return out + fmt::format("…[{} more bytes]", text.size() - at);
    out += shown;
    at += character.size();
  }
  return out;
}

void Open(Level level, Format format, const std::string& file) {
  auto sink = std::make_shared<DescriptorSink>(file);
  const std::string complaint = sink->Complaint();
  {
    Log& log = TheLog();
    const std::lock_guard lock(log.mutex);
    log.sink = sink;
    log.logger = std::make_unique<spdlog::logger>("", std::move(sink));
    log.logger->set_level(SpdlogLevel(level));
    log.format = format;
  }
  if (!complaint.empty()) Warn("log", complaint);
}

void Reopen() {
  Log& log = TheLog();
  std::string problem;
  {
    const std::lock_guard lock(log.mutex);
    try {
      log.sink->Reopen();
      problem = log.sink->Complaint();
    } catch (const std::exception& error) {
      problem = error.what() + std::string("; going on in the old one");
    }
  }
  if (!problem.empty()) Warn("log", problem);
}

void Write(Level level, std::string_view event, std::string_view text) {
  Log& log = TheLog();
  const std::lock_guard lock(log.mutex);
  if (!log.logger->should_log(SpdlogLevel(level))) return;
  const std::string line = Line(log.format, level, Printable(event, kMostEvent), Printable(text));
  log.logger->log(SpdlogLevel(level), spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace tmc::log
