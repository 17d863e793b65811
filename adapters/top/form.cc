#include "adapters/top/form.h"

namespace tmc::top {
namespace {

bool Unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

void Append(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (char c : text) {
    if (Unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

}  // namespace

std::string FormEncoded(const Parameters& parameters) {
  std::string body;
  for (const auto& [name, value] : parameters) {
    if (!body.empty()) body += '&';
    Append(body, name);
    body += '=';
    Append(body, value);
  }
  return body;
}

}  // namespace tmc::top
