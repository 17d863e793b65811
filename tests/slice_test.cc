#include "agent/slice.h"

#include <doctest/doctest.h>

using namespace tmc;

namespace {
const Time kFrom = FromMillis(1768437000000);

WindowPage Page(std::vector<std::string> ids, std::optional<int64_t> total = std::nullopt) {
  WindowPage page;
  for (const std::string& id : ids) {
    WindowRow row;
    row.order_id = id;
    row.modified = kFrom;
    page.rows.push_back(row);
  }
  page.total = total;
  return page;
}
}  // namespace

TEST_CASE("Slice: what fits a page is complete with one call") {
  Slice slice(kFrom, kFrom + 30min, 2);
  CHECK(slice.Next().page == 1);
  CHECK(slice.Next().want_total);
  CHECK(slice.Take(Page({"a", "b"}, 2)) == Slice::State::kComplete);
  CHECK(Slice(kFrom, kFrom + 1s, 2).Take(Page({}, 0)) == Slice::State::kComplete);
}

TEST_CASE("Slice: pages are read from the last to the first, the count again with the first") {
  Slice slice(kFrom, kFrom + 30min, 2);
  CHECK(slice.Take(Page({"a", "b"}, 5)) == Slice::State::kReading);
  CHECK(slice.Next().page == 3);
  CHECK_FALSE(slice.Next().want_total);
  CHECK(slice.Take(Page({"e"})) == Slice::State::kReading);
  CHECK(slice.Take(Page({"c", "d"})) == Slice::State::kReading);
  CHECK(slice.Next().page == 1);
  CHECK(slice.Next().want_total);
  CHECK(slice.Take(Page({"a", "b"}, 5)) == Slice::State::kComplete);
  CHECK(slice.rows().size() == 5);
}

TEST_CASE("Slice: a row that the pages did not show makes it short, until another reading finds it") {
  Slice slice(kFrom, kFrom + 30min, 2);
  (void)slice.Take(Page({"a", "b"}, 3));
  (void)slice.Take(Page({"b"}));
  CHECK(slice.Take(Page({"a", "b"}, 3)) == Slice::State::kShort);
  slice.ReadAgain();
  (void)slice.Take(Page({"a", "b"}, 3));
  (void)slice.Take(Page({"c"}));
  CHECK(slice.Take(Page({"a", "b"}, 3)) == Slice::State::kComplete);
}

TEST_CASE("Slice: too much for one slice is short at once") {
  Slice slice(kFrom, kFrom + 30min, 100);
  CHECK(slice.Take(Page({"a"}, 5001)) == Slice::State::kShort);
}
