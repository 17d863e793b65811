#include "tests/simulator/faults.h"

#include <algorithm>

namespace tmc::sim {
namespace {

bool SameApi(std::string_view wanted, std::string_view api) {
  if (wanted == "*" || wanted == api) return true;
  const size_t at = api.rfind(wanted);
  return at != api.npos && at > 0 && api[at - 1] == '.' && at + wanted.size() == api.size();
}

bool Concerns(const Fault& fault, std::string_view api, const Params& params, Time now) {
  if (!SameApi(fault.api, api) || (fault.until && now >= *fault.until)) return false;
  return std::all_of(fault.match.begin(), fault.match.end(),
                     [&](const auto& pair) { return Find(params, pair.first) == pair.second; });
}

}  // namespace

int64_t Faults::Add(Fault fault) {
  fault.id = next_id_++;
  faults_.push_back(std::move(fault));
  return faults_.back().id;
}

std::optional<Fault> Faults::Take(std::string_view api, const Params& params, Time now, Chance& chance) {
  for (Fault& fault : faults_) {
    if (fault.times > 0 && fault.hits >= fault.times) continue;
    if (!Concerns(fault, api, params, now) || (fault.chance < 1 && !chance.Hit(fault.chance))) continue;
    if (fault.skip > 0) {
      --fault.skip;
      continue;
    }
    ++fault.hits;
    return fault;
  }
  return std::nullopt;
}

}  // namespace tmc::sim
