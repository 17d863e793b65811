#include "tests/simulator/shops.h"

namespace tmc::sim {

size_t Shops::Add(Shop shop) {
  if (const auto known = FindShop(shop.user_id)) {
    shops_[*known] = std::move(shop);
    return *known;
  }
  shops_.push_back(std::move(shop));
  return shops_.size() - 1;
}

std::optional<size_t> Shops::FindShop(std::string_view name) const {
  for (size_t i = 0; i < shops_.size(); ++i)
    if (shops_[i].user_id == name || shops_[i].nick == name) return i;
  return std::nullopt;
}

std::optional<size_t> Shops::OfSession(std::string_view session) const {
  for (size_t i = 0; i < shops_.size(); ++i)
    if (shops_[i].session == session) return i;
  return std::nullopt;
}

}  // namespace tmc::sim
