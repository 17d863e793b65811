#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/clock.h"

namespace tmc::sim {

// A member of a JSON object: its name and its value as JSON text.
using Fields = std::vector<std::pair<std::string, std::string>>;

const std::string* FindField(const Fields& fields, std::string_view name);
std::string FieldText(const Fields& fields, std::string_view name);     // without quotes; "" when absent
void SetField(Fields& fields, std::string_view name, std::string raw);  // raw "null": removes it

// What is true of an order from a moment on.
struct Truth {
  Time from;
  Time modified;  // as the platform writes it: whole seconds
  Time created;
  Fields fields;
  std::vector<Fields> lines;
};

struct Order {
  std::string tid;
  size_t shop = 0;
  std::vector<Truth> truths;        // by `from`
  std::optional<milliseconds> lag;  // reads see what was true so long ago
  int stale_reads = 0;              // so many reads to come see the truth before the present one
  int hidden_reads = 0;             // so many reads to come find no such order
  bool listed = true;               // shows up in window lists
};

// The platform's own truth about the orders.
class Trades {
 public:
  Order* FindOrder(std::string_view tid);
  Order& AddOrder(std::string tid, size_t shop);
  // Puts a truth into its place by time.
  void Change(Order& order, Truth truth);
  // What is true at `now`; nothing before the order began.
  static const Truth* At(const Order& order, Time now);
  static const Truth* Before(const Order& order, Time now);
  // What a single read sees; uses up its stale and hidden reads.
  static const Truth* Read(Order& order, Time now, milliseconds usual_lag);

  struct Row {
    Time modified;
    Order* order;
    const Truth* truth;
  };
  // Listed orders of a shop modified in [from, to], newest first.
  std::vector<Row> Window(size_t shop, Time from, Time to, Time as_of);

  std::deque<Order>& orders() { return orders_; }

 private:
  struct Index {
    std::vector<Row> rows;  // newest first
    Time built{}, until{};  // right for moments in [built, until)
  };
  void Build(Index& index, size_t shop, Time as_of);

  std::deque<Order> orders_;
  std::unordered_map<std::string_view, Order*> by_tid_;
  std::map<size_t, Index> index_;
};

}  // namespace tmc::sim
