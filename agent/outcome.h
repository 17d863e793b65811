#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "agent/clock.h"

namespace tmc {

// Whose fault a failed call is; it alone decides what happens next. Each adapter sorts its
// platform's errors into these once, by a table; nobody else looks at an error code.
enum class Fault {
  kOutside,  // transport, the platform's own trouble: again, with backoff, bounded by age
  kMessage,  // this message or this order: asking again is pointless
  kUnknown,  // the subject does not exist, or does not exist yet
  kShop,     // this shop's session is dead, unknown or not allowed
  kApi,      // this one interface is not permitted to the app
  kAgent,    // signature, app key, protocol: no call of ours can work
  kClock,    // our timestamp was refused
  kLimited,  // too many calls: not before `wait` is over
};

struct Error {
  Fault fault = Fault::kOutside;
  std::string
      code;  // stable word for a log line or last_error: "27 invalid-sessionkey", "transport", "bad_answer"
  std::string text;  // one sentence for a person; may hold text of the platform (escape before printing)
  std::optional<milliseconds> wait =
      std::nullopt;        // kLimited: how long the ban lasts, where the answer says so
  bool whole_app = false;  // kLimited: the ban is the app's (daily quota), not the one interface's
  bool unreadable =
      false;  // the answer came whole, but its bytes are not one JSON text (consume: scan its entries)
  bool too_large = false;      // the answer passed HttpRequest::max_body and was cut off by us
  bool from_platform = false;  // parsed as the platform's own answer, so that its Date counts
};

// A line's name for an error: "27 invalid-sessionkey: SessionKey非法".
inline std::string Sentence(const Error& error) {
  return error.code + ": " + error.text;
}

// A value, or the error that stands in its place.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}      // NOLINT: both conversions are the point
  Result(Error error) : held_(std::move(error)) {}  // NOLINT
  explicit operator bool() const { return held_.index() == 0; }
  T& operator*() { return std::get<0>(held_); }
  const T& operator*() const { return std::get<0>(held_); }
  T* operator->() { return &std::get<0>(held_); }
  const T* operator->() const { return &std::get<0>(held_); }
  const Error& error() const { return std::get<1>(held_); }

 private:
  std::variant<T, Error> held_;
};

struct Done {};  // Result<Done>: it worked, and there is nothing to say.

}  // namespace tmc
