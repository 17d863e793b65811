#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/clock.h"

namespace tmc::sim {

// What the platform saw and did, in time order. Times are the platform's.
class Record {
 public:
  struct CallRow {
    Time at;
    std::string_view api;
    std::string outcome;  // "ok", "error 27 invalid-sessionkey", "http 502", "drop", …
  };
  struct HandRow {
    Time at;
    size_t message;  // place in the queue's messages
    int nth;         // how often it has been handed out by now
    bool after_confirm;
  };
  struct ConfirmRow {
    Time at;
    std::string group;
    std::vector<std::string> ids;
    std::string outcome;
    int fresh, again, unknown, foreign;
  };
  struct ReadRow {
    Time at;
    std::string tid, shop, outcome, status, modified;
    milliseconds delay;
  };
  struct WindowRow {
    Time at;
    std::string shop;
    std::string from, to;
    int64_t page, page_size;
    bool has_next;  // asked for it instead of the total
    size_t total, rows;
    std::string outcome;
  };
  struct Violation {
    Time at;
    std::string what;  // bad_signature, call_during_ban, too_many_ids, …
    std::string_view api;
    std::string detail;
  };

  void Call(Time at, std::string_view api, std::string outcome);
  void Wrong(Time at, std::string_view api, std::string what, std::string detail);
  void Clear();
  // An api's name that lives as long as this record.
  std::string_view Name(std::string_view api) { return *names_.emplace(api).first; }

  std::vector<CallRow> calls;
  std::map<std::string, uint64_t, std::less<>> counts;  // calls by api
  std::vector<HandRow> handed;
  std::vector<ConfirmRow> confirms;
  std::vector<ReadRow> reads;
  std::vector<WindowRow> windows;
  std::vector<Violation> violations;

 private:
  std::set<std::string, std::less<>> names_;
};

}  // namespace tmc::sim
