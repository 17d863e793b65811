#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/clock.h"

namespace tmc {

// One pulled truth of an order, as its adapter read it. Money is the platform's own text.
struct OrderTruth {
  std::string order_id;
  std::string shop_nick;  // or empty
  std::string status;
  int rank = 0;             // by the adapter's table; says only how far an order has come
  bool final = false;       // not left by itself
  Time modified{};          // the platform's modified time
  std::string paid_amount;  // its payment once the order is paid, else "0.00"
  std::string total_amount;
  std::string post_fee;
  std::string refund_amount;
  std::string currency;  // ISO 4217
  std::string refund_status;
  std::string digest;  // over the fields that were asked for, independent of their order
  std::string raw;     // the platform's own object, byte for byte
};

// What we hold of an order.
struct OrderSnapshot {
  std::string order_id, shop, status;
  int64_t status_version = 0;  // modified in ms + revision
  Time modified_at{};
  std::string paid_amount, total_amount, refund_amount, refund_status, digest;
  int rank = 0;
  bool final = false;
};

enum class Judgement {
  kApply,    // newer, or the first we see
  kSame,     // equal time, equal content: nothing happens
  kOlder,    // nothing happens
  kIllegal,  // would leave a final state
};

struct Decision {
  Judgement judgement;
  int64_t status_version;  // kApply, kIllegal: the version it would get
};

// The state machine: ordered by the platform's modified time and, within one and the same time, by the order
// in which different truths were read. `accept` is a person's word that a final state may be left.
Decision Decide(const std::optional<OrderSnapshot>& held, const OrderTruth& truth, bool accept);

}  // namespace tmc
