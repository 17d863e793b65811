#include "tests/simulation/judge.h"

#include <algorithm>
#include <utility>

namespace tmc::simulation {

std::string Judge::StateOf(const std::string& msg_id) {
  if (!books_.IsOpen()) return "";
  return books_.One("SELECT state FROM inbound_message WHERE msg_id = ?", {msg_id});
}

milliseconds Judge::BanLeft(const std::string& scope) {
  if (!books_.IsOpen()) return 0ms;
  const int64_t until = books_.Number("SELECT until FROM closure WHERE scope = ? AND ban = 1", {scope});
  return milliseconds(until - ToMillis(stage_.agenda.agent.Now()));
}

void Judge::Started() {
  books_.Open();
  if (std::exchange(crashed_, false)) Integrity();
  Look();
}

void Judge::NotStarted(const std::string& why) {
  Check(locked_ || stage_.full || stage_.disk.faults().dead(), "the agent does not start: " + why);
}
void Judge::Busy() {
  Check(locked_, "the database is busy, and nobody holds its lock");
  stage_.Fired(Kind::kDatabaseBusy);
}
void Judge::Full() {
  Check(stage_.full, "the disk is said to be full, and it is not");
  stage_.Fired(Kind::kDiskFull);
}
void Judge::Fatal(const std::string& why) {
  Check(stage_.disk.faults().dead(), "the agent leaves with 74: " + why);
}

void Judge::Lock() {
  if (locked_ || !books_.IsOpen()) return;
  locker_.Open();
  locker_.Rows("BEGIN IMMEDIATE");
  locked_ = true;
}

void Judge::Unlock() {
  locker_.Close();
  locked_ = false;
}

void Judge::None(const char* sql, const std::string& what) {
  for (const auto& row : books_.Rows(sql)) {
    std::string text;
    for (const std::string& column : row) text += " " + column;
    stage_.Complain(what + ":" + text);
    return;
  }
}

void Judge::Integrity() {
  const std::string verdict = books_.One("PRAGMA integrity_check");
  Check(verdict == "ok", "integrity_check: " + verdict);
}

void Judge::Look() {
  if (books_.IsOpen() && books_.Changed()) NewEvents();
}

// Every change of an order writes an event in its transaction, so that events tell the order of application.
void Judge::NewEvents() {
  const auto rows = books_.Rows(
      "SELECT e.id, e.subject_id, e.status, e.status_version, e.source, s.modified_at, s.status, "
      "s.status_version "
      "FROM outbox_event e LEFT JOIN order_snapshot s ON s.platform = e.platform AND s.order_id = "
      "e.subject_id "
      "WHERE e.id > CAST(? AS INTEGER) AND e.type = 'order.changed' ORDER BY e.id",
      {std::to_string(last_event_)});
  for (const auto& row : rows) {
    last_event_ = std::stoll(row[0]);
    stage_.history.Add("   order {} is {} here, version {}, by {}", row[1], row[2], row[3], row[4]);
    Held& held = held_[row[1]];
    const int64_t version = std::stoll(row[3]), modified = std::stoll(row[5]);
    Check(version > held.version, "the version of order " + row[1] + " fell to " + row[3]);
    Check(modified >= held.modified, "order " + row[1] + " went back to an older truth");
    Check(!held.final || held.status == row[2] || row[4] == "operator",
          "order " + row[1] + " left its final status " + held.status + " for " + row[2]);
    const bool final =
        row[2] == "TRADE_FINISHED" || row[2] == "TRADE_CLOSED" || row[2] == "TRADE_CLOSED_BY_TAOBAO";
    held = {version, modified, row[2], final};
  }
}

void Judge::Crashed() {
  Unlock();
  books_.Close();
  crashed_ = true;
}

void Judge::AfterStop() {
  if (stage_.full || locked_) return;
  None("SELECT msg_id FROM inbound_message WHERE claim > 0", "still claimed after a clean stop");
  None(
      "SELECT msg_id, state FROM inbound_message WHERE state IN ('received', 'enriching', 'failed') AND "
      "due_at IS NULL AND waits_for IS NULL",
      "after a clean stop neither due nor waiting for anything");
}

void Judge::ConfirmedThere() {
  if (!books_.IsOpen()) return;
  std::set<std::string> confirmed;
  for (const auto& row : books_.Rows("SELECT msg_id FROM inbound_message WHERE confirmed_at IS NOT NULL"))
    confirmed.insert(row[0]);
  for (const sim::Message& message : stage_.platform().queue.messages())
    Check(message.confirmed || message.lost || !confirmed.contains(message.id),
          "message " + message.id + " is confirmed here and not at the platform");
}

void Judge::Verdict(const std::string& log) {
  Look();
  Integrity();
  JudgeRows();
  JudgeLetters();
  JudgeOrders();
  JudgeMessages();
  JudgeCounters();
  JudgePlatform();
  JudgeLog(log);
}

void Judge::JudgeRows() {
  None(
      "SELECT msg_id, state, due_at, waits_for, last_error FROM inbound_message "
      "WHERE state NOT IN ('applied', 'dlq')",
      "open after the calm");
  None(
      "SELECT msg_id FROM inbound_message WHERE settled_at IS NULL OR due_at IS NOT NULL OR claim > 0 OR "
      "waits_for IS NOT NULL",
      "settled, and yet in hand, due or waiting");
  None(
      "SELECT msg_id, confirm_owed FROM inbound_message WHERE channel = 'tmc' AND "
      "confirm_owed <> 2 AND (confirmed_at IS NULL OR confirm_owed <> 0)",
      "settled and never confirmed");
  None(
      "SELECT m.msg_id FROM inbound_message m LEFT JOIN dead_letter d ON d.id = m.letter_id "
      "WHERE m.state = 'dlq' AND d.id IS NULL",
      "dead without a letter");
  None(
      "SELECT h.order_id, h.status_version FROM order_history h LEFT JOIN outbox_event e ON "
      "e.subject_id = h.order_id AND e.status_version = h.status_version AND e.type = 'order.changed' "
      "GROUP BY h.order_id, h.status_version HAVING count(e.id) <> 1",
      "not one event for each version");
  None(
      "SELECT e.event_id FROM outbox_event e LEFT JOIN order_history h ON h.order_id = e.subject_id AND "
      "h.status_version = e.status_version WHERE e.type = 'order.changed' AND h.order_id IS NULL",
      "an event without its history");
  None(
      "SELECT s.order_id FROM order_snapshot s WHERE NOT EXISTS (SELECT 1 FROM order_history h WHERE "
      "h.order_id = s.order_id AND h.status_version = s.status_version AND h.status = s.status) OR EXISTS "
      "(SELECT 1 FROM order_history h WHERE h.order_id = s.order_id AND h.status_version > s.status_version)",
      "an order is not its newest history");
}

void Judge::JudgeLetters() {
  None(
      "SELECT id, reason FROM dead_letter WHERE reason = '' OR detail = '' OR attempts < 0 OR first_seen_at "
      "<= 0 OR "
      "dead_at <= 0",
      "an incomplete letter");
  None(
      "SELECT d.id, d.reason FROM dead_letter d JOIN inbound_message m ON m.msg_id = d.msg_id WHERE d.body "
      "<> m.body",
      "a letter without its message's body");
  int64_t nameless = 0;
  for (const auto& row : books_.Rows("SELECT id, msg_id, order_id, reason, detail FROM dead_letter")) {
    if (row[1].empty()) ++nameless;
    const auto by_message = stage_.doomed_messages.find(row[1]);
    const auto by_order = stage_.doomed_orders.find(row[2]);
    const bool expected =
        (by_message != stage_.doomed_messages.end() && by_message->second.contains(row[3])) ||
        (by_order != stage_.doomed_orders.end() && by_order->second.contains(row[3]));
    Check(expected || row[1].empty(), fmt::format("letter {} of message {}, order {} should not be: {}: {}",
                                                  row[0], row[1], row[2], row[3], row[4]));
  }
  Check(nameless <= stage_.nameless,
        fmt::format("{} letters of entries without an id, {} such entries", nameless, stage_.nameless));
}

// The rows of an order, for the history of a failure.
void Judge::TellOf(const std::string& tid) {
  if (!stage_.history.on) return;
  const auto tell = [&](const char* what, const char* sql) {
    for (const auto& row : books_.Rows(sql, {tid}))
      stage_.history.Add("    {}: {}", what, fmt::join(row, " | "));
  };
  tell(
      "message",
      "SELECT msg_id, state, attempts, deliveries, last_error, announced_rank, datetime(announced_at / 1000, "
      "'unixepoch', '+8 hours'), reopened FROM inbound_message WHERE order_id = ? ORDER BY id");
  tell("version",
       "SELECT status, status_version, source, msg_id FROM order_history WHERE order_id = ? ORDER BY "
       "status_version");
  tell("letter",
       "SELECT id, msg_id, reason, detail, resolution FROM dead_letter WHERE order_id = ? ORDER BY id");
}

void Judge::JudgeOrders() {
  for (const sim::Order& order : stage_.platform().trades.orders()) {
    const size_t before = stage_.complaints.size();
    JudgeOrder(order);
    if (stage_.complaints.size() > before) TellOf(order.tid);
  }
  Check(books_.Number("SELECT count(*) FROM order_snapshot") <=
            static_cast<int64_t>(stage_.platform().trades.orders().size()),
        "an order that does not exist is held");
}

namespace {

int64_t Cents(const std::string& text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), [](char c) { return c != '.'; });
  return digits.empty() ? 0 : std::stoll(digits);
}

// Path → text of every member of the truth, as SQLite's json_tree names them.
std::map<std::string, std::string> Leaves(const sim::Truth& truth) {
  std::map<std::string, std::string> leaves;
  for (const auto& [name, raw] : truth.fields) leaves["$." + name] = sim::FieldText(truth.fields, name);
  for (size_t i = 0; i < truth.lines.size(); ++i)
    for (const auto& [name, raw] : truth.lines[i])
      leaves[fmt::format("$.orders.order[{}].{}", i, name)] = sim::FieldText(truth.lines[i], name);
  return leaves;
}

}  // namespace

void Judge::JudgeOrder(const sim::Order& order) {
  const sim::Truth& truth = order.truths.back();
  const auto rows = books_.Rows(
      "SELECT status, total_amount, paid_amount, post_fee, refund_amount, raw FROM order_snapshot "
      "WHERE order_id = ?",
      {order.tid});
  if (books_.Number(
          "SELECT count(*) FROM dead_letter WHERE order_id = ? AND reason = 'illegal_transition' AND "
          "resolution IS NULL",
          {order.tid}) > 0)
    return;
  if (rows.empty()) return stage_.Complain("order " + order.tid + " is not held at all");
  const auto& row = rows[0];
  const auto field = [&](const char* name) { return sim::FieldText(truth.fields, name); };
  int64_t refund = 0;
  for (const auto& line : truth.lines)
    if (sim::FieldText(line, "refund_status") == "SUCCESS") refund += Cents(sim::FieldText(line, "payment"));
  const auto same = [&](const std::string& what, const std::string& held, const std::string& true_one) {
    Check(held == true_one,
          fmt::format("order {}: {} is {} here and {} in truth", order.tid, what, held, true_one));
  };
  same("status", row[0], field("status"));
  same("total_amount", row[1], field("total_fee"));
  same("paid_amount", row[2], field("pay_time").empty() ? "0.00" : field("payment"));
  same("post_fee", row[3], field("post_fee"));
  Check(Cents(row[4]) == refund,
        fmt::format("order {}: refund_amount is {} here and {} cents in truth", order.tid, row[4], refund));
  auto leaves = Leaves(truth);
  size_t found = 0;
  for (const auto& leaf :
       books_.Rows("SELECT fullkey, atom FROM json_tree(CAST(? AS TEXT)) WHERE atom IS NOT NULL", {row[5]})) {
    const auto at = leaves.find(leaf[0]);
    if (at == leaves.end()) continue;
    same(leaf[0], leaf[1], at->second);
    ++found;
  }
  Check(found >= 10, fmt::format("order {}: only {} members of its truth are kept", order.tid, found));
}

void Judge::JudgeMessages() {
  std::map<std::string, int64_t> rows;
  for (const auto& row : books_.Rows("SELECT msg_id, deliveries FROM inbound_message WHERE channel = 'tmc'"))
    rows[row[0]] = std::stoll(row[1]);
  for (const sim::Message& message : stage_.platform().queue.messages()) {
    if (message.id.empty()) continue;
    const auto row = rows.find(message.id);
    Check(message.confirmed || message.lost, "message " + message.id + " was never confirmed");
    Check(!message.confirmed || row != rows.end(),
          "message " + message.id + " was confirmed and is not kept");
    if (row == rows.end()) continue;
    Check(row->second <= message.handed,
          fmt::format("message {} counts {} deliveries and was handed out {} times", message.id, row->second,
                      message.handed));
    rows.erase(row);
  }
  if (!rows.empty()) stage_.Complain("message " + rows.begin()->first + " was never published");
}

void Judge::JudgeCounters() {
  const auto tally = [&](const char* name) {
    return books_.Number("SELECT value FROM tally WHERE name = ?", {name});
  };
  const auto equal = [&](const char* name, int64_t rows) {
    Check(tally(name) == rows, fmt::format("{} counts {}, there are {}", name, tally(name), rows));
  };
  equal("orders_changed", books_.Number("SELECT count(*) FROM order_history"));
  equal("messages_new", books_.Number("SELECT count(*) FROM inbound_message WHERE channel = 'tmc'") +
                            books_.Number("SELECT count(*) FROM dead_letter WHERE msg_id IS NULL"));
  equal("messages_received", tally("messages_new") + tally("messages_again"));
  equal("dead_letters", books_.Number("SELECT count(*) FROM dead_letter"));
}

// What a correct caller never does.
void Judge::JudgePlatform() {
  for (const auto& violation : stage_.platform().record.violations) {
    // Bans are judged by what the caller knew; a wrong time stamp is how a jump of the clock is found out.
    if (violation.what == "call_during_ban" || violation.what == "call_after_quota") continue;
    if (violation.what == "bad_timestamp" && stage_.fired[static_cast<size_t>(Kind::kClockJump)] > 0)
      continue;
    stage_.Complain(fmt::format("{} {}: {}", violation.api, violation.what, violation.detail));
    return;
  }
}

void Judge::JudgeLog(const std::string& log) {
  for (const char* secret : {"helloworld", "sess-", "测试买家", "AAEXAAAAAInvented"}) {
    const size_t at = log.find(secret);
    if (at == log.npos) continue;
    const size_t begin = log.rfind('\n', at) + 1;
    stage_.Complain(
        fmt::format("{} is in the log: {}", secret, log.substr(begin, log.find('\n', at) - begin)));
  }
  constexpr int64_t kMostWal = 64 << 20;
  Check(stage_.disk.Size(std::string(kDatabase) + "-wal") < kMostWal, "the WAL is beyond 64 MiB");
}

}  // namespace tmc::simulation
