#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/clock.h"

namespace tmc {

// One entry of a consume answer: the envelope only. The content stays bytes until the commit that
// counts the attempt is done.
struct Envelope {
  std::string msg_id;     // the platform's id, exact
  std::string shop;       // the seller's user id, or empty
  std::string shop_nick;  // or empty
  std::string topic;
  std::string body;  // the content as received, byte for byte (decoded once from the JSON string)
  std::optional<Time> published_at;
};

// An entry that cannot be taken: no id, or bytes that are not JSON text.
struct BadEntry {
  std::optional<std::string> msg_id;  // where it can still be read
  std::string reason;                 // bad_encoding, missing_msg_id, …
  std::string detail;
  std::string raw;          // its bytes
  std::string topic, shop;  // where readable, else empty
};

struct ConsumeAnswer {
  std::vector<Envelope> messages;
  std::vector<BadEntry> bad;
  size_t entries() const { return messages.size() + bad.size(); }
};

enum class SubjectKind { kNone, kOrder };

// What a message asks for.
struct Trigger {
  SubjectKind kind = SubjectKind::kNone;  // kNone: names no order; kept, announced, confirmed
  std::string subject_id;
  std::string order_id;
  int announced_rank = 0;  // the truth should have reached this rank; 0: nothing announced
};

// Why a content can't be handled at all; becomes a dead letter at once.
struct Rejected {
  std::string reason;  // bad_json, bad_encoding, body_too_large, missing_order_id, …
  std::string detail;
};

}  // namespace tmc
