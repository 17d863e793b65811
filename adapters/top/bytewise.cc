#include "adapters/top/bytewise.h"

#include <algorithm>

#include "agent/utf8.h"

namespace tmc::top {
namespace {

unsigned char Byte(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

bool IsPair(std::string_view text) {
  if (text.size() < 2) return false;
  const unsigned char lead = Byte(text, 0), trail = Byte(text, 1);
  return lead >= 0x81 && lead <= 0xFE && trail >= 0x40 && trail != 0x7F && trail <= 0xFE;
}

// Of the character at the front, which is not ASCII.
size_t CharacterSize(std::string_view text, Stepping stepping) {
  if (stepping == Stepping::kBytes) return 1;
  const size_t valid = stepping == Stepping::kMixed ? utf8::ValidLength(text) : 0;
  if (valid > 0) return valid;
  return IsPair(text) ? 2 : 1;
}

std::optional<unsigned> Hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  unsigned number = 0;
  for (char c : text.substr(0, 4)) {
    const size_t digit = std::string_view("0123456789abcdef0123456789ABCDEF").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    number = number * 16 + unsigned(digit & 15);
  }
  return number;
}

// Of the escape at the front: its size, and whether it may stay (halves of a surrogate pair never do).
std::pair<size_t, bool> Escape(std::string_view text) {
  if (text.size() < 2) return {1, false};
  if (std::string_view("\"\\/bfnrt").find(text[1]) != std::string_view::npos) return {2, true};
  if (text[1] != 'u') return {1, false};
  const auto code = Hex4(text.substr(2));
  if (!code) return {2, false};
  return {6, *code < 0xD800 || *code > 0xDFFF};
}

// Outside of strings. Anything else tells that a quote was taken for the wrong one: give up at once.
bool IsStructure(char c) {
  return std::string_view("{}[],:\" \t\r\n0123456789+-.eEtrufalsn").find(c) != std::string_view::npos;
}

class Stepper {
 public:
  Stepper(std::string_view text, Stepping stepping) : text_(text), stepping_(stepping) {}

  // False where no object can end any more.
  bool Step() {
    if (at_ >= text_.size()) return false;
    return in_string_ ? StepInString() : StepOutside();
  }
  bool Done() const { return at_ > 0 && depth_ == 0; }
  size_t at() const { return at_; }
  std::string TakeAscii() { return std::move(ascii_); }

 private:
  bool StepOutside() {
    const char c = text_[at_];
    if (!IsStructure(c)) return false;
    if (c == '"') in_string_ = true;
    if (c == '{' || c == '[') ++depth_;
    if (c == '}' || c == ']') --depth_;
    return Take(1, true);
  }
  bool StepInString() {
    const unsigned char c = Byte(text_, at_);
    if (c == '\\') {
      const auto [size, stays] = Escape(text_.substr(at_));
      return Take(size, stays);
    }
    if (c == '"') in_string_ = false;
    if (c >= 0x80) return Take(CharacterSize(text_.substr(at_), stepping_), false);
    return Take(1, c >= 0x20);
  }
  bool Take(size_t size, bool stays) {
    ascii_ += stays ? text_.substr(at_, size) : "?";
    at_ += size;
    return true;
  }

  std::string_view text_;
  Stepping stepping_;
  size_t at_ = 0;
  int depth_ = 0;
  bool in_string_ = false;
  std::string ascii_;
};

}  // namespace

std::optional<BrokenObject> StepOver(std::string_view text, Stepping stepping, size_t& budget) {
  if (!text.starts_with('{')) return std::nullopt;
  Stepper stepper(text.substr(0, budget), stepping);
  while (!stepper.Done() && stepper.Step()) {
  }
  budget -= std::min(budget, stepper.at());
  if (!stepper.Done()) return std::nullopt;
  return BrokenObject{stepper.at(), stepper.TakeAscii()};
}

}  // namespace tmc::top
