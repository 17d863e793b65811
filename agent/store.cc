#include "agent/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <iterator>

#include "agent/mistakes.h"
#include "agent/store_file.h"
#include "schema/migrations.h"

namespace tmc {
namespace {

constexpr int kApplicationId = 0x746d6361;  // "tmca"

[[noreturn]] void Rethrow(const SQLite::Exception& error) {
  using Kind = StoreError::Kind;
  Kind kind = Kind::kRefused;
  switch (error.getErrorCode() & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      kind = Kind::kBusy;
      break;
    case SQLITE_FULL:
      kind = Kind::kFull;
      break;
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_NOMEM:
      kind = Kind::kFatal;
      break;
    default:
      break;
  }
  throw StoreError(kind, std::string("database: ") + error.what());
}

template <typename Work>
auto Translated(Work work) {
  try {
    return work();
  } catch (const SQLite::Exception& error) {
    Rethrow(error);
  }
}

int Pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(std::string("PRAGMA ") + name).getInt();
}

// Small files are checked whole; of large ones only what every start touches anyway: damage further in shows
// itself as a corrupt page when it is read.
constexpr int64_t kCheckWhole = 64 << 20;

void CheckContent(SQLite::Database& database, const StoreOptions& options) {
  const int id = Pragma(database, "application_id");
  const int tables = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt();
  if (id != kApplicationId && (tables > 0 || options.read_only))
    throw StoreUnusable(options.path +
                        " is a SQLite database, but not one of tmc-agent's; name another file");
  const int version = Pragma(database, "user_version");
  if (version > Store::NewestSchema())
    throw StoreUnusable(options.path + " was written by a newer tmc-agent (schema " +
                        std::to_string(version) + ", this one knows " +
                        std::to_string(Store::NewestSchema()) + "); install that version");
  if (store_file::Size(options.path) > kCheckWhole) return;
  const std::string verdict = database.execAndGet("PRAGMA quick_check(1)").getString();
  if (verdict != "ok")
    throw StoreUnusable(options.path + " is damaged (" + verdict +
                        "); keep the file, restore a backup or recover it with `sqlite3 FILE .recover`");
}

void KeepWal(SQLite::Database& database, bool keep) {
  sqlite3_db_config(database.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

void Migrate(SQLite::Database& database) {
  const int newest = Store::NewestSchema();
  const int held = Pragma(database, "user_version");
  if (held >= newest) return;
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  for (int i = Pragma(database, "user_version"); i < newest; ++i) database.exec(sql::kMigrations[i]);
  database.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  database.exec("PRAGMA user_version = " + std::to_string(newest));
  transaction.commit();
}

void Configure(SQLite::Database& database, const StoreOptions& options) {
  database.setBusyTimeout(static_cast<int>(options.busy_timeout.count()));
  if (options.read_only) return;
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(Planted(Mistake::kSyncOff) ? "PRAGMA synchronous = OFF" : "PRAGMA synchronous = FULL");
  database.exec("PRAGMA journal_size_limit = 67108864");
  database.exec("PRAGMA temp_store = MEMORY");
  // Pages that change again and again are written back once in 16 MiB of log in place of once in 4.
  database.exec("PRAGMA wal_autocheckpoint = 4000");
}

std::string OpenFailure(const std::string& path, const SQLite::Exception& error) {
  switch (error.getErrorCode() & 0xff) {
    case SQLITE_NOTADB:
      return path + " is not a SQLite database; name another file";
    case SQLITE_CORRUPT:
      return path + " is damaged (" + error.what() +
             "); keep the file, restore a backup or recover it with `sqlite3 FILE .recover`";
    case SQLITE_FULL:
      return path + " cannot be written: the disk is full; make room, then start again";
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
      return path + " cannot be opened for writing (" + error.what() +
             "); check the owner and mode of the file and its directory";
    default:
      return path + " cannot be used: " + error.what();
  }
}

}  // namespace

Query::~Query() {
  statement_.tryReset();
  statement_.clearBindings();
}

Query& Query::Bind(const char* name, int64_t number) {
  Translated([&] { statement_.bind(name, number); });
  return *this;
}

Query& Query::Bind(const char* name, std::string_view text) {
  Translated([&] { statement_.bind(name, std::string(text)); });
  return *this;
}

Query& Query::Blob(const char* name, std::string_view bytes) {
  Translated(
      [&] { statement_.bindNoCopy(name, bytes.data() ? bytes.data() : "", static_cast<int>(bytes.size())); });
  return *this;
}

Query& Query::Null(const char* name) {
  Translated([&] { statement_.bind(name); });
  return *this;
}

bool Query::Step() {
  return Translated([&] { return statement_.executeStep(); });
}

int Query::Run() {
  return Translated([&] {
    while (statement_.executeStep()) {
    }
    return statement_.getChanges();
  });
}

int64_t Query::Int(int column) const {
  return statement_.getColumn(column).getInt64();
}
std::string Query::Text(int column) const {
  return statement_.getColumn(column).getString();
}
bool Query::IsNull(int column) const {
  return statement_.isColumnNull(column);
}

std::optional<int64_t> Query::MaybeInt(int column) const {
  return IsNull(column) ? std::nullopt : std::optional(Int(column));
}

std::optional<Time> Query::MaybeTime(int column) const {
  return IsNull(column) ? std::nullopt : std::optional(TimeAt(column));
}

Store::Store(const StoreOptions& options) {
  store_file::Prepare(options);
  try {
    const int mode = options.read_only ? SQLite::OPEN_READONLY : SQLite::OPEN_READWRITE;
    database_ = std::make_unique<SQLite::Database>(
        options.path, mode, static_cast<int>(options.busy_timeout.count()), options.vfs);
    // A file that is refused stays byte for byte as it is: its -wal is not folded in when it is closed.
    KeepWal(*database_, true);
    CheckContent(*database_, options);
    KeepWal(*database_, false);
    store_file::Narrow(options);
    Configure(*database_, options);
    if (!options.read_only) Migrate(*database_);
  } catch (const SQLite::Exception& error) {
    throw StoreUnusable(OpenFailure(options.path, error));
  }
}

Store::~Store() = default;

Query Store::Use(const char* sql) {
  auto& statement = statements_[sql];
  if (!statement)
    statement = Translated([&] { return std::make_unique<SQLite::Statement>(*database_, sql); });
  return Query(*statement);
}

void Store::Exec(const char* sql) {
  Translated([&] { return database_->exec(sql); });
}

int64_t Store::LastInsertId() const {
  return database_->getLastInsertRowid();
}

int64_t Store::DataVersion() {
  auto query = Use("PRAGMA data_version");
  return query.Step() ? query.Int(0) : 0;
}

bool Store::FoldLog() {
  auto query = Use("PRAGMA wal_checkpoint(TRUNCATE)");
  return query.Step() && query.Int(0) == 0;
}

int Store::SchemaVersion() {
  auto query = Use("PRAGMA user_version");
  return query.Step() ? static_cast<int>(query.Int(0)) : 0;
}

int Store::NewestSchema() {
  return static_cast<int>(std::size(sql::kMigrations));
}

std::string Store::Library() {
  return sqlite3_libversion();
}

Transaction::Transaction(Store& store) : store_(store) {
  store_.Exec("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    store_.Exec("ROLLBACK");
  } catch (const StoreError&) {
    // SQLite has rolled back by itself.
  }
}

// Rows that went into a file which is not there any more would be confirmed and lost.
void Store::CheckPlace() {
  int moved = 0;
  const int found = sqlite3_file_control(database_->getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (found == SQLITE_OK && moved)
    throw StoreError(
        StoreError::Kind::kFatal,
        "database: the file was deleted or replaced while it was open; put it back, then start again");
}

void Transaction::Commit() {
  store_.CheckPlace();
  store_.Exec("COMMIT");
  open_ = false;
}

}  // namespace tmc
