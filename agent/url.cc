#include "agent/url.h"

#include <algorithm>
#include <charconv>

namespace tmc {
namespace {

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsNameCharacter(char c) {
  const char lower = Lower(c);
  return (lower >= 'a' && lower <= 'z') || IsDigit(c) || c == '-' || c == '.' || c == '_';
}
bool IsAddressCharacter(char c) {
  const char lower = Lower(c);
  return (lower >= 'a' && lower <= 'f') || IsDigit(c) || c == ':' || c == '.';
}
bool IsPathCharacter(char c) {
  return c > ' ' && c < 0x7F && c != '\\' && c != '#';
}

std::optional<int> ParsePort(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!IsDigit(text[0]) || port < 1 || port > 65535) return std::nullopt;
  return port;
}

// Cuts the host off the front of `text`; what is left begins with its port.
std::optional<std::string> TakeHost(std::string_view& text) {
  const bool bracketed = text.starts_with('[');
  const size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos) return std::nullopt;
  const std::string_view host = bracketed ? text.substr(1, end - 1) : text.substr(0, end);
  text.remove_prefix(std::min(text.size(), bracketed ? end + 1 : end));
  if (host.empty() || !std::ranges::all_of(host, bracketed ? IsAddressCharacter : IsNameCharacter))
    return std::nullopt;
  std::string lower(host);
  std::ranges::transform(lower, lower.begin(), Lower);
  return lower;
}

}  // namespace

std::optional<Url> ParseUrl(std::string_view text) {
  Url url;
  const size_t colon = text.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  url.scheme = text.substr(0, colon);
  std::ranges::transform(url.scheme, url.scheme.begin(), Lower);
  if (url.scheme != "http" && url.scheme != "https") return std::nullopt;
  text.remove_prefix(colon + 3);
  if (!std::ranges::all_of(text, IsPathCharacter)) return std::nullopt;
  std::string_view authority = text.substr(0, text.find_first_of("/?"));
  const auto host = TakeHost(authority);
  if (!host) return std::nullopt;
  url.host = *host;
  url.port = url.scheme == "https" ? 443 : 80;
  if (authority.empty()) return url;
  if (authority.size() < 2 || authority[0] != ':') return std::nullopt;
  const auto port = ParsePort(authority.substr(1));
  if (!port) return std::nullopt;
  url.port = *port;
  return url;
}

bool IsLoopback(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  int dots = 0;
  for (const char c : host) {
    if (c == '.') ++dots;
    if (c != '.' && !IsDigit(c)) return false;
  }
  return dots == 3 && host.starts_with("127.");
}

}  // namespace tmc
