#include "agent/commands/print.h"

#include <fmt/format.h>

#include <cstdio>

#include "agent/event.h"
#include "agent/log.h"
#include "agent/utf8.h"

namespace tmc::commands {

std::string ChinaTime(std::optional<Time> time) {
  if (!time) return "-";
  std::string text = Rfc3339(*time + 8h).substr(0, 19);
  text[10] = ' ';
  return text;
}

std::string Age(milliseconds age) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 7200) return fmt::format("{} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{} days", seconds / 86400);
}

void Say(std::string_view text) {
  const std::string line = log::Printable(text, 1 << 20) + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
}

void SayJson(json::Writer& object) {
  const std::string line = object.Take() + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
}

void Complain(std::string_view text) {
  const std::string line = "tmc-agent: " + log::Printable(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void TimeMember(json::Writer& writer, std::string_view key, std::optional<Time> time) {
  writer.Member(key, time ? std::optional(ToMillis(*time)) : std::nullopt);
}

void BytesMember(json::Writer& writer, std::string_view key, std::string_view bytes) {
  writer.Member(key, bytes);
  if (utf8::Valid(bytes)) return;
  std::string hex;
  for (const char byte : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  writer.Member(std::string(key) + "_hex", hex);
}

}  // namespace tmc::commands
