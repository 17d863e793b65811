#include "agent/dead_letters.h"

#include <doctest/doctest.h>

#include "tests/support/temp_folder.h"

using namespace tmc;

namespace {

const Time kNow = FromMillis(1'768'437'000'000);

struct Shelf {
  TempFolder folder;
  Store store{{.path = folder.Path("tmc.db"), .create = true}};
  Inbox inbox{store, "top"};
  DeadLetters letters{store, "top"};

  ClaimedRow Row(const std::string& msg_id, const std::string& body = "{}") {
    ClaimedRow row;
    inbox.Accept({msg_id, "900001", "seller_a", "taobao_trade_TradeCreate", body, kNow - 1min}, "tmc", kNow,
                 1, &row);
    return row;
  }
  ClaimedRow OrderRow(const std::string& msg_id, const std::string& order) {
    ClaimedRow row = Row(msg_id);
    row.kind = SubjectKind::kOrder;
    row.subject_id = row.order_id = order;
    return row;
  }
};

BadEntry Nameless(const std::string& raw) {
  return {std::nullopt, "missing_msg_id", "the entry has no id", raw, "", ""};
}

}  // namespace

TEST_CASE("DeadLetters: a letter tells whose it was, with the row's bytes and times") {
  Shelf shelf;
  const std::string body("{\"tid\":\0\xff", 9);
  ClaimedRow row = shelf.Row("7104", body);
  row.attempts = 3;
  const int64_t id = shelf.letters.Write(row, "bad_json", "bad JSON at byte 7", kNow + 5s);
  const auto letter = shelf.letters.Find(id);
  REQUIRE(letter);
  CHECK(letter->kind == "message");
  CHECK(letter->msg_id == "7104");
  CHECK(letter->platform == "top");
  CHECK(letter->channel == "tmc");
  CHECK(letter->shop == "900001");
  CHECK(letter->topic == "taobao_trade_TradeCreate");
  CHECK(letter->reason == "bad_json");
  CHECK(letter->detail == "bad JSON at byte 7");
  CHECK(letter->body == body);
  CHECK(letter->attempts == 3);
  CHECK(letter->published_at == kNow - 1min);
  CHECK(letter->first_seen_at == kNow);
  CHECK(letter->dead_at == kNow + 5s);
  CHECK(letter->resolution.empty());
  CHECK_FALSE(letter->resolved_at);
  CHECK_FALSE(shelf.letters.Find(id + 1));
}

TEST_CASE("DeadLetters: entries without an id are one letter a content, and counted") {
  Shelf shelf;
  CHECK(shelf.letters.WriteNameless(Nameless("{\"a\":1}"), "tmc", kNow));
  CHECK_FALSE(shelf.letters.WriteNameless(Nameless("{\"a\":1}"), "tmc", kNow + 1h));
  CHECK_FALSE(shelf.letters.WriteNameless(Nameless("{\"a\":1}"), "tmc", kNow + 2h));
  CHECK(shelf.letters.WriteNameless(Nameless("{\"a\":2}"), "tmc", kNow));
  const auto letters = shelf.letters.List({}, 0, 10);
  REQUIRE(letters.size() == 2);
  CHECK(letters[0].repeats == 2);
  CHECK_FALSE(letters[0].msg_id);
  CHECK(letters[0].body == "{\"a\":1}");
  CHECK(letters[0].dead_at == kNow);
  CHECK(letters[1].repeats == 0);
}

TEST_CASE("DeadLetters: a nameless content that a person discarded is not raised again") {
  Shelf shelf;
  shelf.letters.WriteNameless(Nameless("x"), "tmc", kNow);
  REQUIRE(shelf.letters.Resolve(1, "discarded", "noise", kNow));
  CHECK_FALSE(shelf.letters.WriteNameless(Nameless("x"), "tmc", kNow + 1h));
  CHECK(shelf.letters.List({}, 0, 10).empty());
}

TEST_CASE("DeadLetters: one open illegal_transition an order, later rows are counted in it") {
  Shelf shelf;
  CHECK_FALSE(shelf.letters.RepeatIllegal("77"));
  const int64_t id = shelf.letters.Write(shelf.OrderRow("m1", "77"), "illegal_transition", "d", kNow);
  CHECK(shelf.letters.RepeatIllegal("77") == id);
  CHECK(shelf.letters.RepeatIllegal("77") == id);
  CHECK(shelf.letters.Find(id)->repeats == 2);
  CHECK_FALSE(shelf.letters.RepeatIllegal("78"));
  // The table itself refuses a second open one.
  bool refused = false;
  shelf.store.Guard(
      true, [&] { shelf.letters.Write(shelf.OrderRow("m2", "77"), "illegal_transition", "d", kNow); },
      [&](const std::string&) { refused = true; });
  CHECK(refused);
  REQUIRE(shelf.letters.Resolve(id, "replayed", "", kNow));
  CHECK_FALSE(shelf.letters.RepeatIllegal("77"));
  CHECK(shelf.letters.Write(shelf.OrderRow("m3", "77"), "illegal_transition", "d", kNow) > id);
}

TEST_CASE("DeadLetters: another reason of the same order is not the illegal one") {
  Shelf shelf;
  shelf.letters.Write(shelf.OrderRow("m1", "77"), "unknown_order", "d", kNow);
  CHECK_FALSE(shelf.letters.RepeatIllegal("77"));
}

TEST_CASE("DeadLetters: a letter is resolved once, with the person's word") {
  Shelf shelf;
  const int64_t id = shelf.letters.Write(shelf.Row("m1"), "bad_json", "d", kNow);
  CHECK(shelf.letters.Resolve(id, "discarded", "known test message", kNow + 1h));
  CHECK_FALSE(shelf.letters.Resolve(id, "replayed", "other", kNow + 2h));
  CHECK_FALSE(shelf.letters.Resolve(99, "discarded", "none such", kNow));
  const auto letter = shelf.letters.Find(id);
  CHECK(letter->resolution == "discarded");
  CHECK(letter->why == "known test message");
  CHECK(letter->resolved_at == kNow + 1h);
}

TEST_CASE("DeadLetters: the list shows what waits, by filter and page") {
  Shelf shelf;
  for (int i = 1; i <= 4; ++i)
    shelf.letters.Write(shelf.OrderRow("m" + std::to_string(i), i < 3 ? "77" : "78"),
                        i == 2 ? "unknown_order" : "expired", "d", kNow);
  shelf.letters.Resolve(3, "discarded", "w", kNow);
  const auto by = [](auto field, const char* value) {
    LetterFilter filter;
    filter.*field = value;
    return filter;
  };
  LetterFilter all;
  all.all = true;
  const auto ids = [&](const LetterFilter& filter, int64_t after = 0, int64_t most = 10) {
    std::vector<int64_t> found;
    for (const DeadLetter& letter : shelf.letters.List(filter, after, most)) found.push_back(letter.id);
    return found;
  };
  using Ids = std::vector<int64_t>;
  CHECK(ids({}) == Ids{1, 2, 4});
  CHECK(ids(all) == Ids{1, 2, 3, 4});
  CHECK(ids({}, 1) == Ids{2, 4});
  CHECK(ids({}, 0, 2) == Ids{1, 2});
  CHECK(ids(by(&LetterFilter::reason, "expired")) == Ids{1, 4});
  CHECK(ids(by(&LetterFilter::order_id, "78")) == Ids{4});
  CHECK(ids(by(&LetterFilter::msg_id, "m2")) == Ids{2});
  CHECK(shelf.letters.ByReason() ==
        std::vector<std::pair<std::string, int64_t>>{{"expired", 2}, {"unknown_order", 1}});
  CHECK(shelf.letters.Newest() == 4);
}

TEST_CASE("DeadLetters: the purge takes old resolved ones only") {
  Shelf shelf;
  for (const char* name : {"m1", "m2", "m3"}) shelf.letters.Write(shelf.Row(name), "bad_json", "d", kNow);
  shelf.letters.Resolve(1, "discarded", "w", kNow);
  shelf.letters.Resolve(2, "discarded", "w", kNow + 1h);
  CHECK(shelf.letters.Purge(kNow + 1h, 100) == 1);
  CHECK_FALSE(shelf.letters.Find(1));
  CHECK(shelf.letters.Find(2));
  CHECK(shelf.letters.Find(3));
  CHECK(shelf.letters.Newest() == 3);
}

TEST_CASE("DeadLetters: an id is never given twice, also after a purge") {
  Shelf shelf;
  shelf.letters.Write(shelf.Row("m1"), "bad_json", "d", kNow);
  shelf.letters.Resolve(1, "discarded", "w", kNow);
  REQUIRE(shelf.letters.Purge(kNow + 1h, 100) == 1);
  CHECK(shelf.letters.Write(shelf.Row("m2"), "bad_json", "d", kNow) == 2);
}
