#pragma once

#include <string>
#include <string_view>

// One record is one line, whatever it holds: control characters, line and paragraph separators and direction
// marks are escaped, broken UTF-8 becomes U+FFFD, a value beyond 2 KiB is cut with a mark.
namespace tmc::log {

enum class Level { kDebug, kInfo, kWarn, kError };
enum class Format { kText, kJson };

// Once, before any thread starts. An empty file means standard error. Throws std::runtime_error with a
// sentence where the file cannot be opened (it is made with mode 0600).
void Open(Level level, Format format, const std::string& file);
// After the file was moved away: writes go to a new one at the same path. Keeps the old one if that fails.
void Reopen();

// `event` is a stable word ("consume", "order.read"); `text` is for a person.
void Write(Level level, std::string_view event, std::string_view text);
inline void Debug(std::string_view event, std::string_view text) {
  Write(Level::kDebug, event, text);
}
inline void Info(std::string_view event, std::string_view text) {
  Write(Level::kInfo, event, text);
}
inline void Warn(std::string_view event, std::string_view text) {
  Write(Level::kWarn, event, text);
}
inline void Error(std::string_view event, std::string_view text) {
  Write(Level::kError, event, text);
}

// The escaping alone, for other lines that people read.
std::string Printable(std::string_view text, size_t most = 2048);

}  // namespace tmc::log
