#include "agent/inbox.h"

#include <doctest/doctest.h>

#include <list>

#include "agent/dead_letters.h"
#include "tests/support/temp_folder.h"

using namespace tmc;

namespace {

const Time kNow = FromMillis(1'768'437'000'000);

struct Box {
  TempFolder folder;
  Store store{{.path = folder.Path("tmc.db"), .create = true}};
  Inbox inbox{store, "top"};

  Accepted Accept(const std::string& msg_id, int64_t claim = 0, ClaimedRow* row = nullptr,
                  const std::string& body = "{}") {
    return inbox.Accept({msg_id, "900001", "seller_a", "taobao_trade_TradeCreate", body, kNow - 1min}, "tmc",
                        kNow, claim, row);
  }
  ClaimedRow Claimed(const std::string& msg_id, int64_t claim = 1) {
    ClaimedRow row;
    Accept(msg_id, claim, &row);
    return row;
  }
  std::vector<std::string> DueIds(Time now, int64_t claim, int64_t most = 100, size_t bytes = 1 << 20) {
    std::vector<std::string> ids;
    for (const ClaimedRow& row : inbox.Claim(now, claim, most, bytes, false)) ids.push_back(row.msg_id);
    return ids;
  }
  std::string Row(const std::string& columns, const std::string& msg_id) {
    const std::string sql = "SELECT concat_row FROM (SELECT " + columns +
                            " AS concat_row FROM inbound_message WHERE msg_id = '" + msg_id + "')";
    auto& kept = statements.emplace_back(sql);
    auto query = store.Use(kept.c_str());
    return query.Step() ? query.Text(0) : "no row";
  }
  std::list<std::string> statements;
};

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("Inbox: a message is one row, with its bytes as they came") {
  Box box;
  const std::string body("{\"a\":\0\xff}", 8);
  CHECK(box.Accept("m1", 0, nullptr, body) == Accepted::kNew);
  CHECK(box.Accept("m1", 0, nullptr, "other") == Accepted::kAgain);
  CHECK(box.Row("deliveries || state", "m1") == "2received");
  const auto rows = box.inbox.Claim(kNow, 7, 10, 1 << 20, false);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].body == body);
  CHECK(rows[0].claim == 7);
  CHECK(rows[0].attempts == 1);
  CHECK(rows[0].grace_from == kNow);
  CHECK(rows[0].published_at == kNow - 1min);
}

TEST_CASE("Inbox: ids that differ behind a NUL or a case are different messages") {
  Box box;
  CHECK(box.Accept(std::string("A\0B", 3)) == Accepted::kNew);
  CHECK(box.Accept(std::string("A\0C", 3)) == Accepted::kNew);
  CHECK(box.Accept("A") == Accepted::kNew);
  CHECK(box.Accept("a") == Accepted::kNew);
  CHECK(box.inbox.Open() == 4);
}

TEST_CASE("Inbox: accepting with a claim counts the attempt in the same write") {
  Box box;
  const ClaimedRow row = box.Claimed("m1", 5);
  CHECK(row.claim == 5);
  CHECK(row.attempts == 1);
  CHECK(row.source == "message");
  CHECK(box.Row("state || attempts || claim || (due_at IS NULL)", "m1") == "enriching151");
  CHECK(box.inbox.Holds(row));
  CHECK(box.DueIds(kNow + 1h, 6).empty());  // in hand: nobody else's
}

TEST_CASE("Inbox: a message that comes again never changes when an open row is due") {
  Box box;
  ClaimedRow row = box.Claimed("m1");
  box.inbox.Retry(row, {.due_at = kNow + 10min, .give_back = true, .failures = 4, .last_error = "x"});
  CHECK(box.Accept("m1", 9) == Accepted::kAgain);
  CHECK(box.Row("state || deliveries || claim || confirm_owed", "m1") == "failed200");
  CHECK(box.inbox.EarliestDue() == kNow + 10min);
}

TEST_CASE("Inbox: a settled message that comes again owes its confirm again, and is not opened") {
  Box box;
  const ClaimedRow row = box.Claimed("m1");
  REQUIRE(box.inbox.Apply(row, kNow, "", false));
  auto owed = box.inbox.Owed(10);
  REQUIRE(owed.size() == 1);
  REQUIRE(box.inbox.Confirmed(owed[0], kNow + 1s));
  CHECK(box.inbox.Owed(10).empty());
  CHECK(box.Accept("m1", 9) == Accepted::kAgain);
  CHECK(box.Row("state || confirm_owed || (confirmed_at IS NULL)", "m1") == "applied11");
  CHECK(box.inbox.Owed(10).size() == 1);
}

TEST_CASE("Inbox: a confirm answered after the message came again does not count for that hand-out") {
  Box box;
  REQUIRE(box.inbox.Apply(box.Claimed("m1"), kNow, "", false));
  const auto sent = box.inbox.Owed(10);
  box.inbox.Redelivered("m1");  // while the call is out
  CHECK_FALSE(box.inbox.Confirmed(sent[0], kNow));
  CHECK(box.inbox.Owed(10).size() == 1);
}

TEST_CASE("Inbox: only what is committed as settled is owed, oldest first") {
  Box box;
  const ClaimedRow open = box.Claimed("open"), late = box.Claimed("late"), early = box.Claimed("early");
  box.inbox.Apply(late, kNow + 2s, "", false);
  box.inbox.Bury(early, kNow + 1s, "bad_json", std::nullopt);
  const auto owed = box.inbox.Owed(10);
  REQUIRE(owed.size() == 2);
  CHECK(owed[0].msg_id == "early");
  CHECK(owed[1].msg_id == "late");
  CHECK(box.inbox.Owed(1).size() == 1);
  const auto state = box.inbox.CountOwed(100);
  CHECK(state.count == 2);
  CHECK(state.oldest == kNow + 1s);
}

TEST_CASE("Inbox: rows that we made ourselves owe nothing to the platform") {
  Box box;
  const SyntheticMessage message{"reconcile:top:order:77:5", "reconcile", "900001", "77", "{}", kNow, kNow};
  CHECK(box.inbox.AcceptSynthetic(message, kNow) == Accepted::kNew);
  CHECK(box.inbox.AcceptSynthetic(message, kNow) == Accepted::kAgain);
  auto rows = box.inbox.Claim(kNow, 1, 10, 1 << 20, false);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].order_id == "77");
  CHECK(rows[0].announced_at == kNow);
  CHECK(rows[0].source == "reconcile");
  REQUIRE(box.inbox.Apply(rows[0], kNow, "", false));
  CHECK(box.inbox.Owed(10).empty());
}

TEST_CASE("Inbox: everything written about a row is conditional on its claim") {
  Box box;
  ClaimedRow row = box.Claimed("m1", 5);
  REQUIRE(box.inbox.Bury(row, kNow, "bad_json", 1));
  REQUIRE(box.inbox.OpenAgain("m1", kNow, "replay"));  // a person, meanwhile
  CHECK_FALSE(box.inbox.Holds(row));
  CHECK_FALSE(box.inbox.Apply(row, kNow, "", false));
  CHECK_FALSE(box.inbox.Bury(row, kNow, "x", std::nullopt));
  CHECK_FALSE(box.inbox.Retry(row, {.due_at = kNow}));
  CHECK_FALSE(box.inbox.GiveBack(row, kNow));
  CHECK(box.Row("state || source || attempts || confirm_owed", "m1") == "receivedreplay00");
  // And on the newest claim, not on any.
  const auto again = box.inbox.Claim(kNow, 6, 10, 1 << 20, false);
  REQUIRE(again.size() == 1);
  CHECK_FALSE(box.inbox.Apply(row, kNow, "", false));
  CHECK(box.inbox.Apply(again[0], kNow, "", false));
}

TEST_CASE("Inbox: only a dead row is opened again") {
  Box box;
  const ClaimedRow row = box.Claimed("m1");
  CHECK_FALSE(box.inbox.OpenAgain("m1", kNow, "replay"));
  box.inbox.Apply(row, kNow, "", false);
  CHECK_FALSE(box.inbox.OpenAgain("m1", kNow, "replay"));
  CHECK_FALSE(box.inbox.OpenAgain("none", kNow, "replay"));
}

TEST_CASE("Inbox: a replayed row that was confirmed before is not confirmed again") {
  Box box;
  REQUIRE(box.inbox.Bury(box.Claimed("m1"), kNow, "bad_json", 1));
  REQUIRE(box.inbox.Confirmed(box.inbox.Owed(1)[0], kNow));
  REQUIRE(box.inbox.OpenAgain("m1", kNow, "replay"));
  const auto rows = box.inbox.Claim(kNow, 2, 10, 1 << 20, false);
  REQUIRE(box.inbox.Apply(rows.at(0), kNow, "", false));
  CHECK(box.inbox.Owed(10).empty());
}

TEST_CASE("Inbox: an attempt that was not the message's failure is given back") {
  Box box;
  ClaimedRow row = box.Claimed("m1");
  box.inbox.Retry(row, {.due_at = kNow, .give_back = true});
  CHECK(box.Row("attempts", "m1") == "0");
  row = box.inbox.Claim(kNow, 2, 1, 1 << 20, false).at(0);
  box.inbox.Retry(row, {.due_at = kNow, .give_back = false});
  CHECK(box.Row("attempts", "m1") == "1");
  row = box.inbox.Claim(kNow, 3, 1, 1 << 20, false).at(0);
  CHECK(row.attempts == 2);
  box.inbox.GiveBack(row, kNow);
  CHECK(box.Row("attempts || state", "m1") == "1received");
}

TEST_CASE("Inbox: claims go oldest first, and are bounded by rows and by bytes") {
  Box box;
  for (const char* name : {"m1", "m2", "m3", "m4"}) box.Accept(name, 0, nullptr, std::string(400, 'x'));
  CHECK(box.DueIds(kNow - 1ms, 1).empty());
  CHECK(box.DueIds(kNow, 1, 1) == Ids{"m1"});
  CHECK(box.DueIds(kNow, 2, 100, 500) == Ids{"m2", "m3"});  // the row that passes the bound is the last
  CHECK(box.DueIds(kNow, 3, 100, 0) == Ids{"m4"});          // never none
}

TEST_CASE("Inbox: rows of a closed shop wait until it is released, and are not due") {
  Box box;
  box.inbox.Retry(box.Claimed("m1"), {.waits_for = "shop:900001", .give_back = true, .last_error = "27"});
  box.inbox.Retry(box.Claimed("m2"), {.waits_for = "shop:900001", .give_back = true, .last_error = "27"});
  box.inbox.Retry(box.Claimed("m3"), {.waits_for = "shop:900002", .give_back = true, .last_error = "27"});
  CHECK(box.inbox.Waiting() == 3);
  CHECK(box.inbox.Retryable() == 0);
  CHECK(box.inbox.CountDue(kNow + 24h, 100) == 0);
  CHECK(box.inbox.WaitingScopes() ==
        std::vector<std::pair<std::string, int64_t>>{{"shop:900001", 2}, {"shop:900002", 1}});
  CHECK(box.inbox.Release("shop:900001", kNow, 1) == 1);  // a probe
  CHECK(box.DueIds(kNow, 2) == Ids{"m1"});
  CHECK(box.inbox.Release("shop:900001", kNow, 100) == 1);
  CHECK(box.DueIds(kNow, 3) == Ids{"m2"});
  CHECK(box.inbox.Waiting() == 1);
}

TEST_CASE("Inbox: what was in hand of a dead process is found, and becomes a suspect or a dead letter") {
  Box box;
  box.Claimed("m1");
  box.Claimed("m2");
  const auto rows = box.inbox.Interrupted();
  REQUIRE(rows.size() == 2);
  box.inbox.MarkSuspect(rows[0].id, kNow);
  CHECK(rows[1].msg_id == "m2");
  box.inbox.BuryInterrupted(rows[1].id, kNow, 1);
  CHECK(box.inbox.Interrupted().empty());
  CHECK(box.DueIds(kNow, 3).empty());  // suspects are claimed apart
  CHECK(box.inbox.EarliestDue(false) == std::nullopt);
  const auto suspects = box.inbox.Claim(kNow, 4, 10, 1 << 20, true);
  REQUIRE(suspects.size() == 1);
  CHECK(suspects[0].suspect);
  CHECK(suspects[0].attempts == 2);
  CHECK(box.inbox.Owed(10).at(0).msg_id == "m2");
}

TEST_CASE("Inbox: an id refused alone five times is offered no more until it is handed out again") {
  Box box;
  REQUIRE(box.inbox.Apply(box.Claimed("m1"), kNow, "", false));
  const int64_t id = box.inbox.Owed(1).at(0).id;
  CHECK_FALSE(box.inbox.ConfirmRefused(id));
  CHECK(box.inbox.Owed(1).empty());  // held up by nobody: offered alone only
  for (int i = 2; i < 5; ++i) {
    REQUIRE(box.inbox.OwedRefused());
    CHECK_FALSE(box.inbox.ConfirmRefused(id));
  }
  CHECK(box.inbox.ConfirmRefused(id));
  CHECK_FALSE(box.inbox.OwedRefused());
  box.inbox.Redelivered("m1");
  CHECK(box.inbox.Owed(1).size() == 1);
}

TEST_CASE("Inbox: an entry that could not be read is dead at once, and owes its confirm") {
  Box box;
  const BadEntry entry{"m1", "bad_encoding", "byte 5", "{\xff}", "t", "900001"};
  CHECK(box.inbox.AcceptDead(entry, "tmc", kNow, 3));
  CHECK_FALSE(box.inbox.AcceptDead(entry, "tmc", kNow, 3));
  CHECK(box.inbox.Known("m1"));
  CHECK(box.Row("state || last_error || letter_id", "m1") == "dlqbad_encoding3");
  CHECK(box.inbox.Owed(10).size() == 1);
}

TEST_CASE("Inbox: a reconciliation opens a settled row again, a lagging one only once") {
  Box box;
  const SyntheticMessage message{"reconcile:top:order:77:5", "reconcile", "900001", "77", "{}", kNow, kNow};
  box.inbox.AcceptSynthetic(message, kNow);
  CHECK_FALSE(box.inbox.ReopenSynthetic(message.msg_id, kNow));  // it is open
  const auto apply = [&](int64_t claim, std::string_view note) {
    const auto rows = box.inbox.Claim(kNow, claim, 10, 1 << 20, false);
    REQUIRE(rows.size() == 1);
    REQUIRE(box.inbox.Apply(rows[0], kNow, note, false));
  };
  apply(1, "truth_lags: x");
  CHECK(box.inbox.ReopenSynthetic(message.msg_id, kNow));
  apply(2, "truth_lags: x");
  CHECK_FALSE(box.inbox.ReopenSynthetic(message.msg_id, kNow));
}

TEST_CASE("Inbox: a change counts as missed only if no message of its order told of it since") {
  Box box;
  const auto settle = [&](const std::string& order, Time modified) {
    box.inbox.AcceptSynthetic({"reconcile:" + order, "reconcile", "900001", order, "{}", kNow, modified},
                              kNow);
    const auto rows = box.inbox.Claim(kNow, 1, 10, 1 << 20, false);
    REQUIRE(rows.size() == 1);
    box.inbox.Apply(rows[0], kNow, "", true);
  };
  settle("told", kNow - 2min);
  settle("untold", kNow);
  for (const char* order : {"told", "untold"}) {  // published a minute before now
    ClaimedRow row = box.Claimed(std::string("m-") + order);
    row.order_id = row.subject_id = order;
    row.kind = SubjectKind::kOrder;
    box.inbox.Apply(row, kNow, "", false);
  }
  CHECK(box.inbox.CountMissed(kNow - 1ms, 100) == 0);  // still have time to tell
  CHECK(box.inbox.CountMissed(kNow, 100) == 1);
  CHECK(box.inbox.CountMissed(kNow, 100) == 0);  // counted once
}

TEST_CASE("Inbox: the purge keeps what is open, what owes, and what waits for a person") {
  Box box;
  DeadLetters letters(box.store, "top");
  const auto confirm = [&] {
    for (const OwedConfirm& owed : box.inbox.Owed(10)) box.inbox.Confirmed(owed, kNow);
  };
  box.Claimed("open");
  for (const char* name : {"done", "young"})
    box.inbox.Apply(box.Claimed(name), std::string(name) == "young" ? kNow + 1h : kNow, "", false);
  const ClaimedRow dead = box.Claimed("dead"), resolved = box.Claimed("resolved");
  const int64_t open_letter = letters.Write(dead, "bad_json", "d", kNow);
  const int64_t closed_letter = letters.Write(resolved, "bad_json", "d", kNow);
  box.inbox.Bury(dead, kNow, "bad_json", open_letter);
  box.inbox.Bury(resolved, kNow, "bad_json", closed_letter);
  letters.Resolve(closed_letter, "discarded", "w", kNow);
  confirm();
  box.inbox.Apply(box.Claimed("owing"), kNow, "", false);
  CHECK(box.inbox.Purge(kNow + 1ms, 1) == 1);  // in small transactions
  CHECK(box.inbox.Purge(kNow + 1ms, 100) == 1);
  CHECK(box.inbox.Purge(kNow + 1ms, 100) == 0);
  for (const char* kept : {"open", "young", "dead", "owing"}) CHECK(box.inbox.Known(kept));
  for (const char* gone : {"done", "resolved"}) CHECK_FALSE(box.inbox.Known(gone));
}
