#include "tests/power/judge.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

namespace tmc {
namespace {

// Rows of a SELECT, columns joined by '|'.
std::vector<std::string> Rows(SQLite::Database& database, const std::string& sql) {
  SQLite::Statement statement(database, sql);
  std::vector<std::string> rows;
  while (statement.executeStep()) {
    std::string row;
    for (int i = 0; i < statement.getColumnCount(); ++i)
      row += (i ? "|" : "") + statement.getColumn(i).getString();
    rows.push_back(row);
  }
  return rows;
}

std::string First(SQLite::Database& database, const char* complaint, const std::string& sql) {
  const auto rows = Rows(database, sql);
  return rows.empty() ? "" : fmt::format("{}: {} ({} such)", complaint, rows[0], rows.size());
}

std::string LostIn(const Scenario& scenario, SQLite::Database& database) {
  const auto tables = Rows(database, "SELECT 1 FROM sqlite_schema WHERE name = 'inbound_message'");
  std::set<std::string> safe;
  if (!tables.empty())
    for (const auto& id : Rows(database,
                               "SELECT msg_id FROM inbound_message WHERE state IN ('applied', 'dlq') "
                               "UNION SELECT msg_id FROM dead_letter WHERE msg_id IS NOT NULL"))
      safe.insert(id);
  for (const std::string& id : scenario.Confirmed())
    if (!safe.contains(id)) return "confirmed, but neither applied nor a dead letter: " + id;
  const auto verdict = Rows(database, "PRAGMA integrity_check");
  return verdict == std::vector<std::string>{"ok"} ? "" : "integrity_check: " + verdict.at(0);
}

std::string WrongOrders(Scenario& scenario, SQLite::Database& database) {
  for (const sim::Order& order : scenario.heart.world().trades.orders()) {
    const sim::Truth* truth = sim::Trades::At(order, scenario.heart.world().Now());
    const std::string status = sim::FieldText(truth->fields, "status");
    const auto held =
        Rows(database, "SELECT status, total_amount, modified_at FROM order_snapshot WHERE order_id = '" +
                           order.tid + "'");
    const std::string wanted =
        fmt::format("{}|{}|{}", status, sim::FieldText(truth->fields, "payment"), ToMillis(truth->modified));
    if (held != std::vector<std::string>{wanted})
      return fmt::format("order {} should be {} and is {}", order.tid, wanted,
                         held.empty() ? "unknown" : held[0]);
  }
  return "";
}

std::string WrongRows(const Scenario& scenario, SQLite::Database& database) {
  const std::pair<const char*, const char*> rules[] = {
      {"not settled", "SELECT msg_id, state FROM inbound_message WHERE state NOT IN ('applied', 'dlq')"},
      {"still owed", "SELECT msg_id FROM inbound_message WHERE confirm_owed <> 0"},
      {"not confirmed", "SELECT msg_id FROM inbound_message WHERE confirmed_at IS NULL AND channel = 'tmc'"},
      {"a version without its one event",
       "SELECT order_id, status_version FROM order_history h WHERE 1 <> (SELECT count(*) FROM outbox_event e "
       "WHERE e.order_id = h.order_id AND e.status_version = h.status_version)"},
      {"an event without its version",
       "SELECT order_id, status_version FROM outbox_event e WHERE NOT EXISTS (SELECT 1 FROM order_history h "
       "WHERE e.order_id = h.order_id AND e.status_version = h.status_version)"},
      {"an order that is not its newest version",
       "SELECT order_id, status_version FROM order_snapshot s WHERE status_version IS NOT (SELECT "
       "max(status_version) FROM order_history h WHERE h.order_id = s.order_id)"},
      {"a counter that is not its rows",
       "SELECT name, value FROM tally WHERE (name = 'dead_letters' AND value <> (SELECT count(*) FROM "
       "dead_letter)) OR (name = 'orders_changed' AND value <> (SELECT count(*) FROM order_history)) OR "
       "(name = 'messages_applied' AND value <> (SELECT count(*) FROM inbound_message WHERE state = "
       "'applied'))"},
  };
  for (const auto& [complaint, sql] : rules)
    if (const auto wrong = First(database, complaint, sql); !wrong.empty()) return wrong;
  const auto reasons = Rows(database, "SELECT reason FROM dead_letter");
  if (reasons.size() != scenario.letters().size() ||
      std::set<std::string>(reasons.begin(), reasons.end()) != scenario.letters())
    return First(database, "dead letters", "SELECT msg_id, reason, detail FROM dead_letter ORDER BY id DESC");
  return "";
}

template <typename Look>
std::string Opened(const Scenario& scenario, MemoryVfs& disk, Look look) {
  const MemoryVfs::Aside aside(disk);
  if (disk.Size("/tmc.db") <= 0 && disk.Size("/tmc.db-wal") > 0)
    return "an empty database beside its log, with which the agent does not start";
  if (disk.Size("/tmc.db") < 0)
    return scenario.Confirmed().empty() ? "" : "confirmed, but no database is left";
  try {
    SQLite::Database database(std::string("/tmc.db"), SQLite::OPEN_READWRITE, 0, disk.name());
    return look(database);
  } catch (const SQLite::Exception& error) {
    return std::string("the database cannot be read: ") + error.what();
  }
}

}  // namespace

std::string LostConfirm(const Scenario& scenario, MemoryVfs& disk) {
  return Opened(scenario, disk, [&](SQLite::Database& database) { return LostIn(scenario, database); });
}

std::string WrongEnd(Scenario& scenario, MemoryVfs& disk) {
  return Opened(scenario, disk, [&](SQLite::Database& database) {
    std::string wrong = LostIn(scenario, database);
    if (wrong.empty()) wrong = WrongRows(scenario, database);
    if (wrong.empty()) wrong = WrongOrders(scenario, database);
    return wrong;
  });
}

}  // namespace tmc
