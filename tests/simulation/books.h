#pragma once

#include <sqlite3.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/memory_vfs.h"

namespace tmc::simulation {

inline constexpr char kDatabase[] = "/tmc.db";

// The agent's database as an outsider reads it: a connection of its own, plain SQL, nothing of the agent's
// code.
class Books {
 public:
  using Row = std::vector<std::string>;  // a null is ""
  explicit Books(MemoryVfs& disk) : disk_(disk) {}
  ~Books() { Close(); }
  void Open();
  void Close();
  bool IsOpen() const { return database_ != nullptr; }
  // `sql` is a literal; `arguments` are bound in order.
  std::vector<Row> Rows(const char* sql, std::initializer_list<std::string_view> arguments = {});
  std::string One(const char* sql, std::initializer_list<std::string_view> arguments = {});  // "" of no row
  int64_t Number(const char* sql, std::initializer_list<std::string_view> arguments = {});
  bool Changed();  // since the last time it was asked

 private:
  MemoryVfs& disk_;
  sqlite3* database_ = nullptr;
  std::map<const char*, sqlite3_stmt*> statements_;
  std::string version_;
};

}  // namespace tmc::simulation
