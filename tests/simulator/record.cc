#include "tests/simulator/record.h"

namespace tmc::sim {

void Record::Call(Time at, std::string_view api, std::string outcome) {
  const std::string_view name = Name(api);
  const auto count = counts.find(name);
  if (count == counts.end())
    counts.emplace(name, 1);
  else
    ++count->second;
  calls.push_back({at, name, std::move(outcome)});
}

void Record::Wrong(Time at, std::string_view api, std::string what, std::string detail) {
  violations.push_back({at, std::move(what), Name(api), std::move(detail)});
}

void Record::Clear() {
  calls.clear();
  counts.clear();
  handed.clear();
  confirms.clear();
  reads.clear();
  windows.clear();
  violations.clear();
}

}  // namespace tmc::sim
