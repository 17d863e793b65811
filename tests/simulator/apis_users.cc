#include <algorithm>

#include "tests/simulator/apis.h"

namespace tmc::sim {
namespace {

constexpr size_t kMostTopics = 100;

std::string GroupName(const World& world, const Shop& shop) {
  if (!shop.group.empty()) return shop.group;
  return world.app.groups.empty() ? kDefaultGroup : world.app.groups.front();
}

Members UserFields(const World& world, const Shop& shop, const Style& style) {
  return {{"created", R"("2026-01-01 00:00:00")"},
          {"group_name", Quote(GroupName(world, shop))},
          {"is_valid", shop.dead ? "false" : "true"},
          {"modified", R"("2026-01-02 00:00:00")"},
          {"topics", WrapTexts(shop.topics.empty() ? world.app.topics : shop.topics, style)},
          {"user_id", shop.user_id},
          {"user_nick", Quote(shop.nick)},
          {"user_platform", R"("tbUIC")"}};
}

}  // namespace

Answer ShowUser(World& world, Call& call) {
  const std::string_view fields = Find(call.params, "fields"), nick = Find(call.params, "nick");
  if (fields.empty()) return MissingArgument("fields");
  if (nick.empty()) return MissingArgument("nick");
  const auto shop = world.shops.FindShop(nick);
  if (!shop || world.shops.at(*shop).nick != nick)
    return ApiError{15, "Remote service error", "isv.user-not-exist:" + std::string(nick), "用户不存在"};
  const auto asked = Split(fields, ',');
  Members user = UserFields(world, world.shops.at(*shop), call.style);
  std::erase_if(user, [&](const auto& member) {
    return std::find(asked.begin(), asked.end(), member.first) == asked.end();
  });
  return Members{{"tmc_user", WrapObject(std::move(user), call.style, world.chance)}};
}

Answer PermitUser(World& world, Call& call) {
  const auto topics = Split(Find(call.params, "topics"), ',');
  if (topics.size() > kMostTopics) return InvalidArgument("topics");
  Shop& shop = world.shops.at(*call.shop);
  if (topics.empty())
    shop.topics = world.app.topics;
  else
    shop.topics.assign(topics.begin(), topics.end());
  return Members{{"is_success", "true"}};
}

}  // namespace tmc::sim
