#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

#include "agent/clock.h"

namespace SQLite {
class Database;
class Exception;
class Statement;
}  // namespace SQLite

namespace tmc {

// A local failure of the database.
class StoreError : public std::runtime_error {
 public:
  enum class Kind {
    kBusy,     // another connection held the lock for longer than the busy timeout: again
    kFull,     // no room on the disk: wait, then again
    kFatal,    // I/O error, failed sync, damage: leave, the next start recovers
    kRefused,  // this statement with these values (a constraint, too big): the row is at fault
  };
  StoreError(Kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

// A database that can't be opened; the text is one plain sentence that names the file and the mend.
class StoreUnusable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A prepared statement on loan: parameters by name, reset when it goes (also a RETURNING that was not read
// out).
class Query {
 public:
  Query(SQLite::Statement& statement) : statement_(statement) {}
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();
  Query& Bind(const char* name, int64_t number);
  Query& Bind(const char* name, int number) { return Bind(name, static_cast<int64_t>(number)); }
  Query& Bind(const char* name, bool value) { return Bind(name, static_cast<int64_t>(value)); }
  Query& Bind(const char* name, Time time) { return Bind(name, ToMillis(time)); }
  Query& Bind(const char* name, std::string_view text);
  Query& Bind(const char* name, const char* text) { return Bind(name, std::string_view(text)); }
  Query& Bind(const char* name, const std::string& text) { return Bind(name, std::string_view(text)); }
  Query& Blob(const char* name, std::string_view bytes);  // the bytes must live until the Query is run
  Query& Null(const char* name);
  template <typename T>
  Query& Bind(const char* name, const std::optional<T>& value) {
    return value ? Bind(name, *value) : Null(name);
  }
  bool Step();  // true: there is a row to read
  int Run();    // steps to the end; how many rows changed
  int64_t Int(int column) const;
  std::string Text(int column) const;  // also of a blob; "" of a null
  bool IsNull(int column) const;
  std::optional<int64_t> MaybeInt(int column) const;
  std::optional<Time> MaybeTime(int column) const;
  Time TimeAt(int column) const { return FromMillis(Int(column)); }

 private:
  SQLite::Statement& statement_;
};

struct StoreOptions {
  std::string path{};
  bool read_only = false;  // for commands that only look
  bool create = false;     // make it where it is missing, and set its mode; else both are left alone
  std::string group{};     // may read and write it too (0660); empty: 0600
  std::string vfs{};       // empty: the system's
  milliseconds busy_timeout{5000};
};

// One connection, for one thread. Opening checks the file, narrows its mode and brings the schema up to date;
// a file that is damaged, foreign or from a newer version is left as it is and refused with StoreUnusable.
class Store {
 public:
  explicit Store(const StoreOptions& options);
  ~Store();
  Store(Store&&) = delete;
  // Prepared once a Store; `sql` is one of the constants made from schema/.
  Query Use(const char* sql);
  void Exec(const char* sql);
  // Runs `work`; when `careful`, behind a savepoint, so that what is refused (a constraint, too big) is
  // undone alone and handed to `refused` with the reason. Other errors pass.
  template <typename Work, typename Refused>
  void Guard(bool careful, Work work, Refused refused);
  int64_t LastInsertId() const;
  int64_t DataVersion();  // changes when another connection has committed
  // Writes the whole log back into the database, synced, and begins it anew; false while another connection
  // reads an older state and the busy timeout is over.
  [[nodiscard]] bool FoldLog();
  int SchemaVersion();
  static int NewestSchema();
  static std::string Library();  // SQLite's version

 private:
  friend class Transaction;
  void CheckPlace();  // throws kFatal once the open file is not the one at its path
  std::unique_ptr<SQLite::Database> database_;
  std::unordered_map<const char*, std::unique_ptr<SQLite::Statement>> statements_;
};

// BEGIN IMMEDIATE; rolled back unless committed.
class Transaction {
 public:
  explicit Transaction(Store& store);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  void Commit();

 private:
  Store& store_;
  bool open_ = true;
};

template <typename Work, typename Refused>
void Store::Guard(bool careful, Work work, Refused refused) {
  if (!careful) return work();
  Exec("SAVEPOINT row");
  try {
    work();
  } catch (const StoreError& error) {
    if (error.kind() != StoreError::Kind::kRefused) throw;
    Exec("ROLLBACK TO row");
    refused(std::string(error.what()));
  }
  Exec("RELEASE row");
}

}  // namespace tmc
