#include "agent/json.h"
#include "agent/utf8.h"

namespace tmc::json {
namespace {

void Quote(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const size_t length = utf8::ValidLength(text);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    const char c = text[0];
    if (length > 1) {
      out.append(text.substr(0, length));
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += "\\u00";
      out += kHex[(c >> 4) & 15];
      out += kHex[c & 15];
    } else {
      out += c;
    }
    text.remove_prefix(length);
  }
  out += '"';
}

}  // namespace

void Writer::Separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

Writer& Writer::BeginObject() {
  Separate();
  out_ += '{';
  comma_ = false;
  return *this;
}

Writer& Writer::EndObject() {
  out_ += '}';
  comma_ = true;
  return *this;
}

Writer& Writer::BeginArray() {
  Separate();
  out_ += '[';
  comma_ = false;
  return *this;
}

Writer& Writer::EndArray() {
  out_ += ']';
  comma_ = true;
  return *this;
}

Writer& Writer::Key(std::string_view key) {
  Separate();
  Quote(out_, key);
  out_ += ':';
  comma_ = false;
  return *this;
}

Writer& Writer::String(std::string_view text) {
  Separate();
  Quote(out_, text);
  return *this;
}

Writer& Writer::Int(int64_t number) {
  return Raw(std::to_string(number));
}
Writer& Writer::Bool(bool value) {
  return Raw(value ? "true" : "false");
}
Writer& Writer::Null() {
  return Raw("null");
}

Writer& Writer::Raw(std::string_view json) {
  Separate();
  out_ += json;
  return *this;
}

}  // namespace tmc::json
