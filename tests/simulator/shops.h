#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tmc::sim {

struct Shop {
  std::string user_id, nick, session;
  bool dead = false;  // its session is refused
  std::string group;  // where its messages go; empty: the app's first group
  std::vector<std::string> topics;
};

class Shops {
 public:
  size_t Add(Shop shop);
  // By user id or nick.
  std::optional<size_t> FindShop(std::string_view name) const;
  std::optional<size_t> OfSession(std::string_view session) const;
  Shop& at(size_t index) { return shops_[index]; }
  const Shop& at(size_t index) const { return shops_[index]; }
  const std::vector<Shop>& all() const { return shops_; }

 private:
  std::vector<Shop> shops_;
};

}  // namespace tmc::sim
