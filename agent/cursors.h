#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/pacer.h"
#include "agent/store.h"

namespace tmc {

struct CursorRow {
  std::string shop, kind;
  Time position{}, updated_at{};
};

struct ShortSlice {
  std::string shop, kind;
  Time from{}, to{};
  int64_t seen = 0, expected = 0;
};

// What a command asks the running agent to do.
struct Ask {
  int64_t id = 0;
  std::string kind;  // "reconcile"
  Time from{}, to{};
};

struct Answer {
  int exit_status;
  std::string result;  // JSON
};

// The small tables: how far things have come, counters, closures, shops, requests of other processes.
class Cursors {
 public:
  Cursors(Store& store, std::string platform) : store_(store), platform_(std::move(platform)) {}

  std::optional<Time> Get(std::string_view shop, std::string_view kind);
  void Move(std::string_view shop, std::string_view kind, Time position, Time now);
  void NameDefault(std::string_view shop);  // the cursor kept as 'default' is this shop's
  std::vector<CursorRow> All();
  void AddShortSlice(const ShortSlice& slice, Time now);

  std::optional<std::string> Meta(std::string_view key);
  void PutMeta(std::string_view key, std::string_view value);

  // Counters: added up here, written by Flush() in the transaction that they belong to.
  void Count(std::string_view name, int64_t more) { counted_[std::string(name)] += more; }
  void Flush();
  void Forget() { counted_.clear(); }              // that transaction is being written anew
  void Put(std::string_view name, int64_t value);  // last times and gauges
  int64_t Tally(std::string_view name);
  std::map<std::string, int64_t> Tallies();

  void PutShop(std::string_view user_id, std::string_view nick);
  std::map<std::string, std::string> Shops();  // user id → nick

  // One row a scope: of one that is banned and closed, the first, its ban (the next call tells of the rest).
  void SaveClosures(const std::vector<Closure>& closures);
  std::vector<Closure> Closures();

  int64_t PutAsk(std::string_view kind, Time from, Time to, Time now);
  std::optional<Ask> NextAsk(Time since);
  void PutAnswer(int64_t id, const Answer& answer, Time now);
  std::optional<Answer> GetAnswer(int64_t id);
  void Purge(Time before);

 private:
  Store& store_;
  std::string platform_;
  std::map<std::string, int64_t> counted_;
};

}  // namespace tmc
