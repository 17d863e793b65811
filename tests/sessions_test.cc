#include "agent/sessions.h"

#include <doctest/doctest.h>

#include "tests/support/temp_folder.h"

using namespace tmc;

namespace {

// The parts of one loop that know sessions, over a session file that can be rewritten and a real database.
struct Desk {
  TempFolder folder;
  Secrets secrets;
  Store store;
  Cursors cursors{store, "top"};
  Sessions sessions{secrets, cursors};
  explicit Desk(const std::string& file)
      : secrets({folder.File("secret", "s\n"), folder.File("sessions", file), "", ""}),
        store({.path = folder.Path("tmc.db"), .create = true}) {
    REQUIRE_FALSE(secrets.Load());
    sessions.Refresh(true);
  }
  void Rewrite(const std::string& file) {
    folder.File("sessions", file);
    REQUIRE_FALSE(secrets.Load());
    sessions.Refresh(false);
  }
  std::string Of(std::string_view shop) const {
    const auto session = sessions.For(shop);
    return session ? session->text + (session->unbound ? "?" : "") : "none";
  }
};

}  // namespace

TEST_CASE("Sessions: a line by user id speaks for that shop alone") {
  Desk desk("900001 sess-A\n900002 sess-B\n");
  CHECK(desk.Of("900001") == "sess-A");
  CHECK(desk.Of("900002") == "sess-B");
  CHECK(desk.Of("900003") == "none");
  CHECK(desk.Of("") == "none");
}

TEST_CASE("Sessions: a line by nick speaks for its user id once a nick was told, also after a restart") {
  Desk desk("seller_a sess-A\n");
  CHECK(desk.Of("900001") == "none");
  desk.sessions.Learn("900001", "seller_a");
  CHECK(desk.Of("900001") == "sess-A");
  CHECK(desk.sessions.UserId("seller_a") == "900001");
  CHECK_FALSE(desk.sessions.UserId("seller_b"));
  Sessions next(desk.secrets, desk.cursors);
  next.Refresh(true);
  REQUIRE(next.For("900001"));
  CHECK(next.For("900001")->text == "sess-A");
}

TEST_CASE("Sessions: a nick that changed hands is the newest owner's") {
  Desk desk("seller_a sess-A\n");
  desk.sessions.Learn("900001", "seller_a");
  desk.sessions.Learn("900001", "seller_renamed");
  CHECK(desk.Of("900001") == "none");
  desk.sessions.Learn("900002", "seller_a");
  CHECK(desk.Of("900002") == "sess-A");
  desk.sessions.Learn("", "seller_x");
  desk.sessions.Learn("900003", "");
  CHECK(desk.cursors.Shops().size() == 2);
}

TEST_CASE("Sessions: a bare session is anybody's until its shop is known, then that shop's alone") {
  Desk desk("bare-1\n");
  CHECK(desk.Of("") == "bare-1?");
  CHECK(desk.Of("900001") == "bare-1?");
  desk.sessions.BindBare("900001");
  CHECK(desk.sessions.bare_shop() == "900001");
  CHECK(desk.Of("900001") == "bare-1");
  CHECK(desk.Of("") == "bare-1");
  CHECK(desk.Of("900002") == "none");
}

TEST_CASE("Sessions: a bare session's shop is bound once") {
  Desk desk("bare-1\n");
  desk.sessions.BindBare("");
  CHECK(desk.sessions.bare_shop().empty());
  desk.sessions.BindBare("900001");
  desk.sessions.BindBare("900002");
  CHECK(desk.sessions.bare_shop() == "900001");
}

TEST_CASE("Sessions: a bare session's shop is kept across a restart, the session itself is not") {
  Desk desk("bare-1\n");
  desk.sessions.BindBare("900001");
  Sessions next(desk.secrets, desk.cursors);
  next.Refresh(true);
  CHECK(next.bare_shop() == "900001");
  CHECK(desk.cursors.Meta("bare_shop").value_or("").find("bare-1") == std::string::npos);
}

TEST_CASE("Sessions: a new bare session may be another shop's, and begins anew") {
  Desk desk("bare-1\n");
  desk.sessions.BindBare("900001");
  desk.Rewrite("bare-2\n");
  CHECK(desk.sessions.bare_shop().empty());
  CHECK(desk.Of("900001") == "bare-2?");
  desk.Rewrite("bare-1\n");  // the old one put back
  CHECK(desk.sessions.bare_shop() == "900001");
}

TEST_CASE("Sessions: binding names the cursor that was kept while the shop was unknown") {
  Desk desk("bare-1\n");
  desk.cursors.Move("default", "modified", FromMillis(5000), FromMillis(6000));
  desk.sessions.BindBare("900001");
  CHECK(desk.cursors.Get("900001", "modified") == FromMillis(5000));
  CHECK_FALSE(desk.cursors.Get("default", "modified"));
}

TEST_CASE("Sessions: what another loop learned is seen when rows changed") {
  Desk desk("bare-1\n");
  Sessions other(desk.secrets, desk.cursors);
  other.Refresh(true);
  desk.sessions.BindBare("900001");
  other.Refresh(false);
  CHECK(other.bare_shop().empty());
  other.Refresh(true);
  CHECK(other.bare_shop() == "900001");
}
