#pragma once

#include "tests/simulator/world.h"

// The interfaces themselves, each from a checked call to its answer.
namespace tmc::sim {

struct Api {
  std::string_view name;
  bool needs_session;
  Answer (*answer)(World&, Call&);
};
const Api* FindApi(std::string_view name);

Answer ConsumeMessages(World& world, Call& call);
Answer ConfirmMessages(World& world, Call& call);
Answer ListGroups(World& world, Call& call);
Answer CountQueue(World& world, Call& call);
Answer ShowUser(World& world, Call& call);
Answer PermitUser(World& world, Call& call);
Answer ReadTrade(World& world, Call& call);
Answer ListTrades(World& world, Call& call);
Answer TellTime(World& world, Call& call);

ApiError MissingArgument(std::string_view name);
ApiError InvalidArgument(std::string_view name);
std::optional<int64_t> WholeNumber(std::string_view text);
// Of a parameter; `fallback` when it is absent, nothing when it is no number.
std::optional<int64_t> NumberOf(const Call& call, std::string_view name, int64_t fallback);
// A list of texts as the platform wraps it: {"string":[…]}.
std::string WrapTexts(const std::vector<std::string>& texts, const Style& style);

}  // namespace tmc::sim
