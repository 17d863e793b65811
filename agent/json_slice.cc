// Where a value stands inside a text that has parsed already.
#include "agent/json.h"

namespace tmc::json {
namespace {

// Steps over JSON that is known to be well-formed.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }
  void Blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  char Peek() {
    Blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void Skip() { ++at_; }
  std::string_view Value() {
    Blanks();
    const size_t begin = at_;
    if (Peek() == '"') {
      String();
    } else if (Peek() == '{' || Peek() == '[') {
      Nest();
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  void String() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      if (text_[at_] == '\\') ++at_;
    ++at_;
  }
  void Nest() {
    int depth = 0;
    do {
      const char c = Peek();
      if (c == '"') {
        String();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    } while (depth > 0 && at_ < text_.size());
  }
  std::string_view text_;
  size_t at_ = 0;
};

// `quoted` is a key as it stands in the text, quotes included; an escaped key is never one of ours.
bool IsKey(std::string_view quoted, std::string_view key) {
  return quoted.size() == key.size() + 2 && quoted.substr(1, key.size()) == key;
}

std::optional<std::string_view> Step(std::string_view value, std::string_view key) {
  Cursor cursor(value);
  if (key == "[]") {
    if (cursor.Peek() != '[') return value;
    cursor.Skip();
    if (cursor.Peek() == ']') return std::nullopt;
    return cursor.Value();
  }
  if (cursor.Peek() != '{') return std::nullopt;
  cursor.Skip();
  while (cursor.Peek() == '"') {
    const std::string_view name = cursor.Value();
    if (cursor.Peek() == ':') cursor.Skip();
    const std::string_view member = cursor.Value();
    if (IsKey(name, key)) return member;
    if (cursor.Peek() == ',') cursor.Skip();
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> Slice(std::string_view text, const std::vector<std::string_view>& path) {
  std::optional<std::string_view> value = Cursor(text).Value();
  for (std::string_view key : path) {
    value = Step(*value, key);
    if (!value) return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> SliceElements(std::string_view text,
                                            const std::vector<std::string_view>& path) {
  std::vector<std::string_view> elements;
  const auto array = Slice(text, path);
  if (!array) return elements;
  Cursor cursor(*array);
  if (cursor.Peek() != '[') return {*array};
  cursor.Skip();
  while (cursor.Peek() != ']' && cursor.Peek() != '\0') {
    elements.push_back(cursor.Value());
    if (cursor.Peek() == ',') cursor.Skip();
  }
  return elements;
}

}  // namespace tmc::json
