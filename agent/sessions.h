#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/cursors.h"
#include "agent/secrets.h"

namespace tmc {

// Which session speaks for which shop, for one loop. A session line names its shop by user id or nick; a bare
// session belongs to the shop of the first read that succeeds with it, and that is kept in the database.
class Sessions {
 public:
  Sessions(const Secrets& secrets, Cursors& cursors) : secrets_(secrets), cursors_(cursors) {}

  struct Session {
    std::string text;
    bool unbound = false;  // a bare session whose shop is not known yet
  };
  // Reads secrets and shops anew; cheap when nothing changed.
  void Refresh(bool rows_changed);
  // For a shop's user id, or "" for the bare session's shop; nothing when it has none.
  std::optional<Session> For(std::string_view shop) const;
  int64_t generation() const { return set_.generation; }
  const std::string& app_secret() const { return set_.app_secret; }
  const SecretSet& set() const { return set_; }
  // "" while it is unknown, or when there is no bare session.
  const std::string& bare_shop() const { return bare_shop_; }

  // Inside a Transaction:
  void Learn(std::string_view user_id, std::string_view nick);
  void BindBare(std::string_view user_id);
  // The user id of a nick, where a message or the platform has told it.
  std::optional<std::string> UserId(std::string_view nick) const;

 private:
  std::string BareMark() const;
  const Secrets& secrets_;
  Cursors& cursors_;
  SecretSet set_;
  std::map<std::string, std::string, std::less<>> nicks_;  // user id → nick
  std::string bare_shop_;
};

// The pacer's scope of a shop.
std::string ShopScope(std::string_view shop);

}  // namespace tmc
