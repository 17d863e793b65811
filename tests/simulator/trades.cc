#include "tests/simulator/trades.h"

#include <algorithm>

namespace tmc::sim {

const std::string* FindField(const Fields& fields, std::string_view name) {
  for (const auto& [key, raw] : fields)
    if (key == name) return &raw;
  return nullptr;
}

std::string FieldText(const Fields& fields, std::string_view name) {
  const std::string* raw = FindField(fields, name);
  if (raw == nullptr) return {};
  return raw->starts_with('"') ? raw->substr(1, raw->size() - 2) : *raw;
}

void SetField(Fields& fields, std::string_view name, std::string raw) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == name; });
  if (raw == "null") {
    if (found != fields.end()) fields.erase(found);
  } else if (found != fields.end()) {
    found->second = std::move(raw);
  } else {
    fields.emplace_back(name, std::move(raw));
  }
}

Order* Trades::FindOrder(std::string_view tid) {
  const auto found = by_tid_.find(tid);
  return found == by_tid_.end() ? nullptr : found->second;
}

Order& Trades::AddOrder(std::string tid, size_t shop) {
  Order& order = orders_.emplace_back();
  order.tid = std::move(tid);
  order.shop = shop;
  by_tid_.emplace(order.tid, &order);
  return order;
}

void Trades::Change(Order& order, Truth truth) {
  const auto after = std::upper_bound(order.truths.begin(), order.truths.end(), truth.from,
                                      [](Time from, const Truth& other) { return from < other.from; });
  order.truths.insert(after, std::move(truth));
  index_.erase(order.shop);
}

const Truth* Trades::At(const Order& order, Time now) {
  const Truth* found = nullptr;
  for (const Truth& truth : order.truths)
    if (truth.from <= now) found = &truth;
  return found;
}

const Truth* Trades::Before(const Order& order, Time now) {
  const Truth* present = At(order, now);
  return present == nullptr || present == order.truths.data() ? nullptr : present - 1;
}

const Truth* Trades::Read(Order& order, Time now, milliseconds usual_lag) {
  if (order.hidden_reads > 0) {
    --order.hidden_reads;
    return nullptr;
  }
  const Time seen = now - order.lag.value_or(usual_lag);
  if (order.stale_reads > 0) {
    --order.stale_reads;
    return Before(order, seen);
  }
  return At(order, seen);
}

std::vector<Trades::Row> Trades::Window(size_t shop, Time from, Time to, Time as_of) {
  Index& index = index_[shop];
  if (as_of < index.built || as_of >= index.until) Build(index, shop, as_of);
  const auto newer = [](const Row& row, Time time) { return row.modified > time; };
  const auto begin = std::lower_bound(index.rows.begin(), index.rows.end(), to, newer);
  auto end = begin;
  while (end != index.rows.end() && end->modified >= from) ++end;
  std::vector<Row> rows(begin, end);
  std::erase_if(rows, [](const Row& row) { return row.order->hidden_reads > 0 || !row.order->listed; });
  return rows;
}

void Trades::Build(Index& index, size_t shop, Time as_of) {
  index.rows.clear();
  index.built = as_of;
  index.until = Time::max();
  for (Order& order : orders_) {
    if (order.shop != shop) continue;
    if (const Truth* truth = At(order, as_of)) index.rows.push_back({truth->modified, &order, truth});
    for (const Truth& truth : order.truths)
      if (truth.from > as_of) index.until = std::min(index.until, truth.from);
  }
  std::stable_sort(index.rows.begin(), index.rows.end(),
                   [](const Row& a, const Row& b) { return a.modified > b.modified; });
}

}  // namespace tmc::sim
