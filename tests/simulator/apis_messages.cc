#include <fmt/format.h>

#include <algorithm>

#include "tests/simulator/apis.h"

namespace tmc::sim {
namespace {

constexpr size_t kMostIds = 200;

std::string EmptyMessages(std::string_view form) {
  if (form == "null") return "null";
  if (form == "text") return R"("")";
  if (form == "array") return "[]";
  if (form == "list") return R"({"tmc_message":[]})";
  return "{}";
}

// The queue's name, or an error for a group that was never set up.
std::variant<std::string, ApiError> GroupOf(const World& world, const Call& call) {
  const std::string name(Find(call.params, "group_name"));
  if (name.empty() || name == kDefaultGroup) return std::string(kDefaultGroup);
  const auto& groups = world.app.groups;
  if (std::find(groups.begin(), groups.end(), name) == groups.end()) return InvalidArgument("group_name");
  return name;
}

std::variant<size_t, ApiError> QuantityOf(World& world, const Call& call) {
  const auto quantity = NumberOf(call, "quantity", 100);
  if (quantity && *quantity >= 10 && *quantity <= 200) return static_cast<size_t>(*quantity);
  world.record.Wrong(call.now, call.api, "bad_quantity", std::string(Find(call.params, "quantity")));
  if (!world.switches.clamp_quantity || !quantity) return InvalidArgument("quantity");
  return static_cast<size_t>(std::clamp<int64_t>(*quantity, 10, 200));
}

Members HandOut(World& world, const Call& call, const std::vector<size_t>& batch) {
  if (batch.empty()) {
    if (call.empty_form == "missing") return {};
    return {{"messages", EmptyMessages(call.empty_form)}};
  }
  std::vector<std::string_view> entries;
  for (size_t index : batch) {
    const Message& message = world.queue.at(index);
    entries.push_back(message.entry);
    world.record.handed.push_back({call.now, index, message.handed, message.confirmed});
  }
  return {{"messages", WrapList(entries, "tmc_message", call.style)}};
}

bool Digits(std::string_view id) {
  return !id.empty() && id.find_first_not_of("0123456789") == id.npos;
}

// The ids of the call; what a correct caller never does is noted.
std::vector<std::string> ReadIds(World& world, const Call& call) {
  std::vector<std::string> ids;
  const auto note = [&](const char* what, std::string_view id) {
    world.record.Wrong(call.now, call.api, what, std::string(id));
  };
  for (std::string_view id : Split(Find(call.params, "s_message_ids"), ',')) {
    if (!Digits(id))
      note("malformed_id", id);
    else if (!world.queue.Handed(id))
      note("id_never_handed_out", id);
    ids.emplace_back(id);
  }
  auto sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) note("id_twice_in_one_call", *twice);
  return ids;
}

bool Refused(const World& world, const std::vector<std::string>& ids) {
  return std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return world.refused_ids.contains(id); });
}

Confirmed Settle(World& world, const Call& call, const std::string& group,
                 const std::vector<std::string>& ids) {
  Confirmed sum;
  for (const std::string& id : ids) {
    const Confirmed one = world.queue.Confirm(group, id, call.now);
    sum.fresh += one.fresh;
    sum.again += one.again;
    sum.unknown += one.unknown;
    sum.foreign += one.foreign;
  }
  return sum;
}

}  // namespace

Answer ConsumeMessages(World& world, Call& call) {
  const auto group = GroupOf(world, call);
  if (const auto* error = std::get_if<ApiError>(&group)) return *error;
  const auto quantity = QuantityOf(world, call);
  if (const auto* error = std::get_if<ApiError>(&quantity)) return *error;
  const auto batch = world.queue.Take(std::get<std::string>(group), std::get<size_t>(quantity), call.now);
  call.waits = batch.empty() && call.may_wait;
  return HandOut(world, call, batch);
}

Answer ConfirmMessages(World& world, Call& call) {
  const auto group = GroupOf(world, call);
  if (const auto* error = std::get_if<ApiError>(&group)) return *error;
  if (Find(call.params, "s_message_ids").empty()) return MissingArgument("s_message_ids");
  auto ids = ReadIds(world, call);
  if (ids.size() > kMostIds) {
    world.record.Wrong(call.now, call.api, "too_many_ids", std::to_string(ids.size()));
    return InvalidArgument("s_message_ids");
  }
  const bool refused = Refused(world, ids);
  const std::string& name = std::get<std::string>(group);
  const Confirmed sum = refused ? Confirmed{} : Settle(world, call, name, ids);
  world.record.confirms.push_back({call.now, name, std::move(ids), refused ? "refused" : "ok", sum.fresh,
                                   sum.again, sum.unknown, sum.foreign});
  if (refused && world.switches.refuse_with_error) return InvalidArgument("s_message_ids");
  return Members{{"is_success", refused ? "false" : "true"}};
}

Answer ListGroups(World& world, Call& call) {
  std::vector<std::string> names;
  for (const std::string& name : world.app.groups) names.push_back("{\"name\":" + Quote(name) + "}");
  Members members{{"total_results", std::to_string(names.size())}};
  if (!names.empty())
    members.emplace_back("groups", WrapList({names.begin(), names.end()}, "tmc_group", call.style));
  return members;
}

Answer CountQueue(World& world, Call& call) {
  if (Find(call.params, "group_name").empty()) return MissingArgument("group_name");
  const auto group = GroupOf(world, call);
  if (const auto* error = std::get_if<ApiError>(&group)) return *error;
  const std::string& name = std::get<std::string>(group);
  size_t put = 0, got = 0;
  for (const Message& message : world.queue.messages()) {
    if (message.group != name) continue;
    ++put;
    got += message.handed > 0;
  }
  const std::string row =
      fmt::format(R"({{"name":{},"broker_name":"broker-a","get_total":{},"put_toal":{}}})",
                  Quote(world.app.key + "_" + name), got, put);
  return Members{{"datas", WrapList({row}, "tmc_queue_info", call.style)}};
}

}  // namespace tmc::sim
