#include "tests/power/allocations.h"

#include <sqlite3.h>

#include <stdexcept>

namespace tmc::allocations {
namespace {

sqlite3_mem_methods real;
uint64_t count, fail_at, fail_end, failed;  // the tests have one thread

bool Fails() {
  ++count;
  if (count < fail_at || count >= fail_end) return false;
  ++failed;
  return true;
}

void* Malloc(int size) {
  return Fails() ? nullptr : real.xMalloc(size);
}

void* Realloc(void* old, int size) {
  return Fails() ? nullptr : real.xRealloc(old, size);
}

}  // namespace

void Install() {
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real) != SQLITE_OK) throw std::logic_error("SQLite is in use");
  sqlite3_mem_methods failing = real;
  failing.xMalloc = Malloc;
  failing.xRealloc = Realloc;
  if (sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) != SQLITE_OK) throw std::logic_error("SQLite is in use");
}

void FailAt(uint64_t n, uint64_t times) {
  count = failed = 0;
  fail_at = n;
  fail_end = n == 0 ? 0 : n + times;
}

uint64_t Failed() {
  return failed;
}

}  // namespace tmc::allocations
