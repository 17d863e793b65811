#include "agent/slice.h"

#include "agent/mistakes.h"

namespace tmc {
namespace {
constexpr int64_t kMostRows = 5000;  // more than that is read in smaller slices
}  // namespace

WindowWish Slice::Next() const {
  // The first page comes last and brings the count again.
  if (Planted(Mistake::kPagesForwards)) return {from_, to_, forwards_, page_size_, true};
  return {from_, to_, std::max(page_, 1), page_size_, page_ <= 1};
}

Slice::State Slice::Take(const WindowPage& page) {
  for (const WindowRow& row : page.rows) {
    WindowRow& held = rows_[row.order_id];
    if (held.order_id.empty() || row.modified > held.modified) held = row;
  }
  if (page.total) expected_ = *page.total;
  if (Planted(Mistake::kPagesForwards)) {
    if (int64_t{forwards_} * page_size_ < expected_) return ++forwards_, State::kReading;
    return forwards_ = 1, Judge();
  }
  if (page_ > 1) {
    --page_;
    return State::kReading;
  }
  if (page_ == 1) return Judge();
  if (expected_ > kMostRows && to_ - from_ > 1s) return State::kShort;
  const int64_t pages = (expected_ + page_size_ - 1) / page_size_;
  if (pages <= 1) return Judge();
  page_ = static_cast<int>(pages);
  return State::kReading;
}

Slice::State Slice::Judge() const {
  return static_cast<int64_t>(rows_.size()) >= expected_ ? State::kComplete : State::kShort;
}

void Slice::ReadAgain() {
  page_ = 0;
}

}  // namespace tmc
