// Two shops, of which one's session dies and comes back.
#include <doctest/doctest.h>
#include <signal.h>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

struct TwoShops : Scene {
  TwoShops() {
    Post("/shops", R"({"user_id":"222","nick":"second shop","session":"session-2"})");
    folder.File("session", "# two shops\n123456789 session-1\n222 session-2\n");
    Post("/sessions", R"({"shop":"222","dead":true})");
    for (const char* shop : {"123456789", "222"})
      for (int n = 0; n < 3; ++n) {
        const std::string tid = std::string(shop) + "00" + std::to_string(n);
        Post("/orders", R"({"tid":")" + tid + R"(","shop":")" + shop +
                            R"(","status":"WAIT_SELLER_SEND_GOODS","at":"-30m"})");
        Message(tid);
      }
  }
  std::string Applied(const std::string& shop, const std::string& wanted) const {
    return RowsBecome("SELECT count(*) FROM inbound_message WHERE shop = '" + shop +
                          "' AND state = 'applied' AND confirmed_at IS NOT NULL",
                      wanted);
  }
};

constexpr char kWaiting[] =
    "SELECT count(*), sum(attempts), max(waits_for) FROM inbound_message WHERE waits_for IS NOT NULL";

}  // namespace

TEST_CASE("Shops: one dead session stops that shop alone, and a new one in the file sets it going again") {
  TwoShops scene;
  Child& agent = scene.Start({"--reconcile-interval", "0"});
  CHECK(scene.Applied("123456789", "3") == "3");
  CHECK(scene.RowsBecome(kWaiting, "3|0|shop:222") == "3|0|shop:222");
  CHECK(scene.Rows("SELECT count(*) FROM dead_letter") == "0");
  scene.Post("/sessions", R"({"shop":"222","dead":false,"session":"session-new"})");
  scene.folder.File("session", "123456789 session-1\n222 session-new\n");
  CHECK(scene.Applied("222", "3") == "3");
  CHECK(agent.Running());
  CHECK(scene.Rows("SELECT max(attempts) FROM inbound_message") == "0");
  const Ended ended = scene.Stop();
  CHECK(ended.status == 0);
  CHECK(ended.err.find("session of shop 222") != std::string::npos);
  CHECK(scene.Violations() == "");
}

TEST_CASE("Shops: a session that the platform revives is found by a probe") {
  TwoShops scene;
  Child& agent = scene.Start({"--reconcile-interval", "0"});
  CHECK(scene.RowsBecome(kWaiting, "3|0|shop:222") == "3|0|shop:222");
  scene.Post("/sessions", R"({"shop":"222","dead":false})");
  agent.Signal(SIGHUP);  // as much as waiting a minute
  CHECK(scene.Applied("222", "3") == "3");
}

TEST_CASE("Shops: run --once leaves with 77 and one clear line, the other shop's work done") {
  TwoShops scene;
  const Ended ended = scene.Once({"--reconcile-interval", "0"});
  CHECK(ended.status == 77);
  CHECK(scene.Applied("123456789", "3") == "3");
  CHECK(scene.Rows(kWaiting) == "3|0|shop:222");
  size_t lines = 0;
  for (size_t at = 0; (at = ended.err.find("session of shop 222", at)) != std::string::npos; ++at) ++lines;
  CHECK(lines == 1);
}

TEST_CASE("Shops: a shop without a session waits, and the status names it") {
  TwoShops scene;
  scene.folder.File("session", "123456789 session-1\n");
  scene.Once({"--reconcile-interval", "0"});
  const Ended status = scene.Agent({"status", "--db", scene.Db()});
  CHECK(status.status == 0);
  CHECK(status.out.find("3 messages for shop:222") != std::string::npos);
}
