#include "tests/simulation/books.h"

#include <stdexcept>

namespace tmc::simulation {

void Books::Open() {
  Close();
  const MemoryVfs::Aside aside(disk_);
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(kDatabase, &database_, flags, disk_.name().c_str()) != SQLITE_OK)
    throw std::runtime_error("the judge cannot open the database");
  version_.clear();
}

void Books::Close() {
  if (database_ == nullptr) return;
  const MemoryVfs::Aside aside(disk_);
  for (auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  sqlite3_close(database_);
  database_ = nullptr;
}

std::vector<Books::Row> Books::Rows(const char* sql, std::initializer_list<std::string_view> arguments) {
  const MemoryVfs::Aside aside(disk_);
  sqlite3_stmt*& statement = statements_[sql];
  if (statement == nullptr && sqlite3_prepare_v2(database_, sql, -1, &statement, nullptr) != SQLITE_OK)
    throw std::runtime_error(std::string("the judge: ") + sqlite3_errmsg(database_) + ": " + sql);
  int place = 0;
  for (const std::string_view argument : arguments)
    sqlite3_bind_text(statement, ++place, argument.data(), static_cast<int>(argument.size()),
                      SQLITE_TRANSIENT);
  std::vector<Row> rows;
  int result;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    Row& row = rows.emplace_back();
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* text = static_cast<const char*>(sqlite3_column_blob(statement, i));
      row.emplace_back(text == nullptr ? "" : text, static_cast<size_t>(sqlite3_column_bytes(statement, i)));
    }
  }
  sqlite3_reset(statement);
  if (result != SQLITE_DONE)
    throw std::runtime_error(std::string("the judge: ") + sqlite3_errmsg(database_) + ": " + sql);
  return rows;
}

std::string Books::One(const char* sql, std::initializer_list<std::string_view> arguments) {
  const auto rows = Rows(sql, arguments);
  return rows.empty() ? "" : rows[0][0];
}

int64_t Books::Number(const char* sql, std::initializer_list<std::string_view> arguments) {
  const std::string text = One(sql, arguments);
  return text.empty() ? 0 : std::stoll(text);
}

bool Books::Changed() {
  std::string version = One("PRAGMA data_version");
  const bool changed = version != version_;
  version_ = std::move(version);
  return changed;
}

}  // namespace tmc::simulation
