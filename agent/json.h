#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/outcome.h"

// Reading and writing JSON from outside. Every text is hostile: size and depth are capped, UTF-8 is
// validated, numbers stay the text they were (64-bit ids and money stay exact).
namespace tmc::json {

inline constexpr size_t kMaxDepth = 64;        // levels of {} and []
inline constexpr size_t kMaxText = 64u << 20;  // bytes of any text; callers set lower caps of their own

enum class Flaw { kEmpty, kTooLarge, kTooDeep, kBadEncoding, kSyntax };

struct ParseError {
  Flaw flaw;
  size_t offset;
  std::string text;  // "bad JSON at byte 17: missing a comma or } after an object member"
};

class Document;

// A place in a Document, or nothing at all: every getter of nothing gives nothing. Two pointers; copy it.
// Lives as long as its Document.
class Node {
 public:
  Node() = default;
  bool Exists() const { return value_ != nullptr; }
  bool IsObject() const;
  bool IsArray() const;
  bool IsNull() const;
  size_t Size() const;                          // members or elements; 0 for anything else
  Node operator[](std::string_view key) const;  // first member of that name, or nothing
  Node operator[](const char* key) const { return (*this)[std::string_view(key)]; }
  Node At(size_t index) const;                 // element of an array
  std::string_view KeyAt(size_t index) const;  // members of an object in their order
  Node MemberAt(size_t index) const;
  size_t Count(std::string_view key) const;  // how often an object holds this key (more than 1: repeated)
  // Text of a string or of a number, as it was written. "" is a text. true, false, null, {} and [] are none.
  std::optional<std::string_view> Text() const;
  std::optional<bool> Bool() const;    // true/false, also as text
  std::optional<int64_t> Int() const;  // whole decimal digits with an optional minus, within int64

 private:
  friend class Document;
  explicit Node(const void* value) : value_(value) {}
  const void* value_ = nullptr;
};

// A parsed text. Owns its memory; move only.
class Document {
 public:
  Document();
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();
  // Whole text, one value, optional UTF-8 BOM; anything behind it is an error (also a NUL byte).
  // Returns nothing when all is well.
  std::optional<ParseError> Parse(std::string_view text, size_t max_bytes = kMaxText);
  Node root() const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

// The bytes of a value inside `text`, found by its path of keys ("[]" steps into the first element);
// `text` must have parsed. Nothing when the path leads nowhere. First of repeated keys.
std::optional<std::string_view> Slice(std::string_view text, const std::vector<std::string_view>& path);
// The bytes of each element of the array at `path` (a bare value stands for an array of one).
std::vector<std::string_view> SliceElements(std::string_view text, const std::vector<std::string_view>& path);

// Writes JSON text. Keys and texts may hold any bytes: what is not UTF-8 becomes U+FFFD.
class Writer {
 public:
  Writer& BeginObject();
  Writer& EndObject();
  Writer& BeginArray();
  Writer& EndArray();
  Writer& Key(std::string_view key);
  Writer& String(std::string_view text);
  Writer& Int(int64_t number);
  Writer& Bool(bool value);
  Writer& Null();
  Writer& Raw(std::string_view json);  // a value that has been parsed before
  // Key and value in one; an empty optional is written as null.
  Writer& Member(std::string_view key, std::string_view text) { return Key(key).String(text); }
  Writer& Member(std::string_view key, const char* text) { return Key(key).String(text); }
  Writer& Member(std::string_view key, int64_t number) { return Key(key).Int(number); }
  Writer& Member(std::string_view key, int number) { return Key(key).Int(number); }
  Writer& Member(std::string_view key, bool value) { return Key(key).Bool(value); }
  Writer& Member(std::string_view key, std::optional<int64_t> number) {
    return number ? Member(key, *number) : Key(key).Null();
  }
  const std::string& text() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  void Separate();
  std::string out_;
  bool comma_ = false;
};

}  // namespace tmc::json
