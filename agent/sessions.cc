#include "agent/sessions.h"

#include "agent/digest.h"

namespace tmc {

std::string ShopScope(std::string_view shop) {
  return "shop:" + std::string(shop.empty() ? "default" : shop);
}

// Which bare session a kept shop belongs to, without keeping the session.
std::string Sessions::BareMark() const {
  return Sha256Hex("bare session " + set_.bare_session).substr(0, 16);
}

void Sessions::Refresh(bool rows_changed) {
  SecretSet now = secrets_.Get();
  if (now.generation == set_.generation && !rows_changed) return;
  set_ = std::move(now);
  nicks_.clear();
  for (auto& [user_id, nick] : cursors_.Shops()) nicks_[user_id] = nick;
  const std::string kept = cursors_.Meta("bare_shop").value_or("");
  const std::string mark = BareMark() + ":";
  bare_shop_ = !set_.bare_session.empty() && kept.starts_with(mark) ? kept.substr(mark.size()) : "";
}

std::optional<Sessions::Session> Sessions::For(std::string_view shop) const {
  const auto nick = nicks_.find(shop);
  if (!shop.empty())
    if (const std::string* named = set_.Session(shop, nick == nicks_.end() ? "" : nick->second))
      return Session{*named, false};
  if (set_.bare_session.empty()) return std::nullopt;
  if (bare_shop_.empty()) return Session{set_.bare_session, true};
  if (shop.empty() || shop == bare_shop_) return Session{set_.bare_session, false};
  return std::nullopt;
}

void Sessions::Learn(std::string_view user_id, std::string_view nick) {
  if (user_id.empty() || nick.empty()) return;
  auto& held = nicks_[std::string(user_id)];
  if (held == nick) return;
  cursors_.PutShop(user_id, nick);
  held = nick;
}

void Sessions::BindBare(std::string_view user_id) {
  if (set_.bare_session.empty() || user_id.empty()) return;
  if (!bare_shop_.empty() && bare_shop_ != user_id) return;
  bare_shop_ = user_id;
  cursors_.PutMeta("bare_shop", BareMark() + ":" + bare_shop_);
  cursors_.NameDefault(user_id);
}

std::optional<std::string> Sessions::UserId(std::string_view nick) const {
  for (const auto& [user_id, known] : nicks_)
    if (known == nick) return user_id;
  return std::nullopt;
}

}  // namespace tmc
