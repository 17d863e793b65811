#include "agent/json.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>

namespace tmc::json {
namespace {

// Iterative: nesting must not overflow the stack. Numbers as text: 64-bit ids and money stay exact, and the
// number parser, which has crashed on 34 bytes (CVE-2024-38517), is never run.
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                            rapidjson::kParseNumbersAsStringsFlag;
using Value = rapidjson::Value;

const Value& Cast(const void* value) {
  return *static_cast<const Value*>(value);
}

std::string_view View(const Value& text) {
  return {text.GetString(), text.GetStringLength()};
}

// Brackets outside of strings, before anything is built.
bool TooDeep(std::string_view text) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if (c == '}' || c == ']') {
      if (depth > 0) --depth;
    }
  }
  return false;
}

Flaw Sort(rapidjson::ParseErrorCode code, std::string_view text, size_t offset) {
  // The parser calls a raw control character inside a string a bad escape.
  const std::string_view near = text.substr(offset > 0 ? offset - 1 : 0, 2);
  switch (code) {
    case rapidjson::kParseErrorStringEscapeInvalid:
      return near.find('\\') == near.npos ? Flaw::kBadEncoding : Flaw::kSyntax;
    case rapidjson::kParseErrorDocumentEmpty:
      return Flaw::kEmpty;
    case rapidjson::kParseErrorStringInvalidEncoding:
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return Flaw::kBadEncoding;
    default:
      return Flaw::kSyntax;
  }
}

// The parser lets a lone low surrogate pass; it comes out as ED B0..BF xx, which is no UTF-8.
bool HasLoneSurrogate(const Value& root) {
  std::vector<const Value*> todo{&root};
  auto lone = [](const Value& v) {
    const std::string_view text = View(v);
    for (size_t at = text.find('\xED'); at != text.npos; at = text.find('\xED', at + 1))
      if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) return true;
    return false;
  };
  while (!todo.empty()) {
    const Value& value = *todo.back();
    todo.pop_back();
    if (value.IsString() && lone(value)) return true;
    if (value.IsArray())
      for (const Value& item : value.GetArray()) todo.push_back(&item);
    if (value.IsObject())
      for (const auto& member : value.GetObject()) {
        if (lone(member.name)) return true;
        todo.push_back(&member.value);
      }
  }
  return false;
}

}  // namespace

struct Document::Tree {
  // The default pool takes 64 KiB for the smallest text.
  explicit Tree(size_t text) : pool(std::clamp<size_t>(2 * text, 512, 64 << 10)), document(&pool, 512) {}
  rapidjson::MemoryPoolAllocator<> pool;
  rapidjson::Document document;
};

Document::Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::optional<ParseError> Document::Parse(std::string_view text, size_t max_bytes) {
  tree_.reset();
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.empty()) return ParseError{Flaw::kEmpty, 0, "empty"};
  if (text.size() > max_bytes)
    return ParseError{Flaw::kTooLarge, max_bytes,
                      std::to_string(text.size()) + " bytes, more than " + std::to_string(max_bytes)};
  if (const size_t nul = text.find('\0'); nul != text.npos)  // would end the text for the parser alone
    return ParseError{Flaw::kSyntax, nul, "bad JSON at byte " + std::to_string(nul) + ": a NUL byte"};
  if (TooDeep(text))
    return ParseError{Flaw::kTooDeep, 0, "nesting deeper than " + std::to_string(kMaxDepth) + " levels"};
  auto tree = std::make_unique<Tree>(text.size());
  tree->document.Parse<kFlags>(text.data(), text.size());
  if (tree->document.HasParseError()) {
    const auto code = tree->document.GetParseError();
    const size_t offset = tree->document.GetErrorOffset();
    return ParseError{
        Sort(code, text, offset), offset,
        "bad JSON at byte " + std::to_string(offset) + ": " + rapidjson::GetParseError_En(code)};
  }
  if (text.find("\\u") != text.npos && HasLoneSurrogate(tree->document))
    return ParseError{Flaw::kBadEncoding, 0, "half a surrogate pair"};
  tree_ = std::move(tree);
  return std::nullopt;
}

Node Document::root() const {
  return tree_ ? Node(&tree_->document) : Node();
}

bool Node::IsObject() const {
  return value_ && Cast(value_).IsObject();
}
bool Node::IsArray() const {
  return value_ && Cast(value_).IsArray();
}
bool Node::IsNull() const {
  return value_ && Cast(value_).IsNull();
}

size_t Node::Size() const {
  if (IsObject()) return Cast(value_).MemberCount();
  return IsArray() ? Cast(value_).Size() : 0;
}

Node Node::operator[](std::string_view key) const {
  if (!IsObject()) return {};
  const auto& object = Cast(value_);
  const auto member = object.FindMember(
      Value(rapidjson::StringRef(key.data(), static_cast<rapidjson::SizeType>(key.size()))));
  return member == object.MemberEnd() ? Node() : Node(&member->value);
}

Node Node::At(size_t index) const {
  if (!IsArray() || index >= Size()) return {};
  return Node(&Cast(value_)[static_cast<rapidjson::SizeType>(index)]);
}

std::string_view Node::KeyAt(size_t index) const {
  if (!IsObject() || index >= Size()) return {};
  return View((Cast(value_).MemberBegin() + static_cast<std::ptrdiff_t>(index))->name);
}

Node Node::MemberAt(size_t index) const {
  if (!IsObject() || index >= Size()) return {};
  return Node(&(Cast(value_).MemberBegin() + static_cast<std::ptrdiff_t>(index))->value);
}

size_t Node::Count(std::string_view key) const {
  size_t count = 0;
  for (size_t i = 0; i < (IsObject() ? Size() : 0); ++i) count += KeyAt(i) == key;
  return count;
}

std::optional<std::string_view> Node::Text() const {
  if (!value_ || !Cast(value_).IsString()) return std::nullopt;
  return View(Cast(value_));
}

std::optional<bool> Node::Bool() const {
  if (value_ && Cast(value_).IsBool()) return Cast(value_).GetBool();
  const auto text = Text();
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<int64_t> Node::Int() const {
  const auto text = Text();
  if (!text || text->empty()) return std::nullopt;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

}  // namespace tmc::json
