#pragma once

#include <optional>
#include <string>

#include "agent/order.h"
#include "agent/store.h"

namespace tmc {

// What led to a change.
struct Cause {
  std::string source;  // message, reconcile, replay, operator
  std::string msg_id;
};

// The tables order_snapshot and order_history. An order changes here and nowhere else.
class Orders {
 public:
  Orders(Store& store, std::string platform) : store_(store), platform_(std::move(platform)) {}
  std::optional<OrderSnapshot> Find(std::string_view order_id);
  // Inside a Transaction; `version` is Decide's, and must be above what is held.
  void Apply(const OrderTruth& truth, int64_t version, std::string_view shop, const Cause& cause, Time now);

  // Deletes orders that have not changed since `before`, with their history, among the next `most` rows;
  // begins anew after the last row. How many rows were looked at.
  int64_t Purge(Time before, int64_t most);

 private:
  Store& store_;
  std::string platform_;
  int64_t purged_to_ = 0;  // rowid
};

}  // namespace tmc
