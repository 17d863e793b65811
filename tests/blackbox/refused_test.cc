// Bad input: calls that the platform refuses, or cannot serve for a while.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

constexpr char kFates[] =
    "SELECT shop, state, attempts, confirmed_at IS NOT NULL FROM inbound_message WHERE channel = 'tmc' "
    "ORDER BY shop";
constexpr char kLetters[] = "SELECT count(*) FROM dead_letter";

// Lines of the log that say `event`.
std::ptrdiff_t Lines(const Ended& ended, std::string_view event) {
  std::ptrdiff_t lines = 0;
  for (size_t at = 0; (at = ended.err.find(event, at)) != std::string::npos; at += event.size()) ++lines;
  return lines;
}

Words Quickly(Words more = {}) {
  more.insert(more.end(), {"--reconcile-interval", "0"});
  return more;
}

// Two shops with a message each; the second one's session is what a test makes of it.
struct TwoShops {
  Scene scene;
  std::string first, second;

  TwoShops() {
    scene.Post("/shops", R"([{"user_id":"123456789","nick":"first","session":"session-1"},
                             {"user_id":"222","nick":"second","session":"session-2"}])");
    scene.folder.File("session", "123456789 session-1\nsecond session-2\n");
    scene.Order("1001");
    scene.Post("/orders", R"({"tid":"2001","shop":"222","status":"WAIT_SELLER_SEND_GOODS","at":"-30m"})");
    first = scene.Message("1001");
    second = scene.Message("2001");
  }
  void SecondWaits(const Ended& ended) {
    CHECK_MESSAGE(ended.status == 77, ended.err);
    CHECK(scene.Rows(kFates) == "123456789|applied|0|1\n222|failed|0|0");
    CHECK(scene.Rows(kLetters) == "0");
    CHECK(scene.Confirmed() == std::set{first});
  }
  void BothAreDone() {
    CHECK(scene.Rows("SELECT shop, state, confirmed_at IS NOT NULL FROM inbound_message ORDER BY shop") ==
          "123456789|applied|1\n222|applied|1");
    CHECK(scene.Rows(kLetters) == "0");
    CHECK(scene.Confirmed() == std::set{first, second});
    CHECK(scene.Violations() == "");
  }
};

}  // namespace

TEST_CASE("Bad input: a wrong secret costs nothing but a line and the status 77") {
  Scene scene;
  scene.Order("1001");
  const std::string id = scene.Message("1001");
  scene.Fault(R"({"api":"fullinfo.get","status":503})");
  CHECK(scene.Once(Quickly({"--once-wait", "200ms"})).status == 75);
  // What counts or ages; its next time may come meanwhile, and a refused read then names itself in
  // last_error.
  constexpr char kCounted[] =
      "SELECT state, attempts, failures, grace_from, settled_at, letter_id FROM inbound_message";
  const std::string before = scene.Rows(kCounted);

  scene.folder.File("secret", "wrong\n");
  scene.Message("1001");
  const Ended refused = scene.Once(Quickly({"--give-up-after", "1s"}));
  CHECK_MESSAGE(refused.status == 77, refused.err);
  CHECK(Lines(refused, "gateway.closed") == 1);
  CHECK(refused.err.find("Invalid signature") != std::string::npos);
  CHECK(scene.Rows(kCounted) == before);
  CHECK(scene.Rows(kLetters) == "0");
  CHECK(scene.Confirmed().empty());

  scene.folder.File("secret", "helloworld\n");
  const Ended mended = scene.Once(Quickly());
  CHECK_MESSAGE(mended.status == 0, mended.err);
  CHECK(scene.Rows("SELECT count(*) FROM inbound_message WHERE state = 'applied'") == "2");
  CHECK(scene.Confirmed().count(id) == 1);
}

TEST_CASE("Bad input: no permission for the order interface") {
  Scene scene;
  scene.Order("1001");
  const std::string id = scene.Message("1001");
  scene.Fault(R"({"api":"fullinfo.get","times":0,"error":{"code":11,"msg":"Insufficient ISV permissions"}})");
  const Ended refused = scene.Once(Quickly({"--max-attempts", "1", "--give-up-after", "1s"}));
  CHECK_MESSAGE(refused.status == 77, refused.err);
  CHECK(Lines(refused, "gateway.closed") == 1);
  CHECK(refused.err.find("taobao.trade.fullinfo.get") != std::string::npos);
  CHECK(scene.Rows("SELECT attempts, settled_at, confirmed_at, failing_since FROM inbound_message") ==
        "0|null|null|null");
  CHECK(scene.Rows(kLetters) == "0");
  CHECK(scene.Confirmed().empty());

  scene.Delete("/faults");
  const Ended mended = scene.Once(Quickly());
  CHECK_MESSAGE(mended.status == 0, mended.err);
  CHECK(scene.Rows("SELECT state FROM inbound_message") == "applied");
  CHECK(scene.Confirmed() == std::set{id});
  CHECK(scene.Violations() == "");
}

TEST_CASE("Bad input: one shop's session is dead, the other shop flows") {
  TwoShops shops;
  Scene& scene = shops.scene;
  scene.Post("/sessions", R"({"shop":"222","dead":true})");
  const Ended refused = scene.Once(Quickly({"--max-attempts", "1", "--give-up-after", "1s"}));
  shops.SecondWaits(refused);
  CHECK(Lines(refused, "gateway.closed") == 1);
  scene.Post("/sessions", R"({"shop":"222","dead":false})");
  const Ended mended = scene.Once(Quickly());
  CHECK_MESSAGE(mended.status == 0, mended.err);
  shops.BothAreDone();
}

TEST_CASE("Bad input: one shop's session is unknown, and comes while the agent runs") {
  TwoShops shops;
  Scene& scene = shops.scene;
  scene.folder.File("session", "123456789 session-1\n");
  shops.SecondWaits(scene.Once(Quickly({"--max-attempts", "1", "--give-up-after", "1s"})));
  scene.Start(Quickly());
  scene.folder.File("session", "123456789 session-1\n222 session-2\n");
  const char* done = "SELECT count(*) FROM inbound_message WHERE confirmed_at IS NOT NULL";
  CHECK(scene.RowsBecome(done, "2") == "2");
  const Ended ended = scene.Stop();
  CHECK_MESSAGE(ended.status == 0, ended.err);
  shops.BothAreDone();
}

TEST_CASE("Bad input: the order interface is down for a while, with 500 messages waiting") {
  Scene scene;
  scene.Post("/generate", R"({"orders":500,"messages":500,"seed":3})");
  // Each message fails at least once, many of them twice.
  scene.Fault(R"({"api":"fullinfo.get","times":250,"status":503})");
  scene.Fault(R"({"api":"fullinfo.get","times":450,
                  "error":{"code":15,"msg":"Remote service error","sub_code":"isp.remote-service-timeout"}})");
  const Ended ended = scene.Once(Quickly({"--max-attempts", "1", "--rate", "5000"}));
  CHECK_MESSAGE(ended.status == 0,
                ended.err.substr(ended.err.size() - std::min<size_t>(ended.err.size(), 900)));
  CHECK(Lines(ended, "order.read") >= 1);
  CHECK(scene.Calls("fullinfo.get") >= 250 + 450 + 500);
  CHECK(scene.Rows(kLetters) == "0");
  CHECK(scene.Rows("SELECT state, confirmed_at IS NOT NULL, count(*) FROM inbound_message "
                   "WHERE channel = 'tmc' GROUP BY 1, 2") == "applied|1|500");
  CHECK(scene.Confirmed().size() == 500);
  CHECK(scene.Violations() == "");
}

TEST_CASE("Bad input: rate limited for seconds, no call before they are over, also after a restart") {
  Scene scene;
  scene.Order("1001");
  scene.Order("1002");
  scene.Fault(R"({"api":"fullinfo.get","ban":"3s"})");
  scene.Message("1001");
  const Ended limited = scene.Once(Quickly({"--once-wait", "300ms"}));
  CHECK_MESSAGE(limited.status == 75, limited.err);
  CHECK(Lines(limited, "gateway.limited") == 1);
  CHECK(scene.Rows(kFates).substr(0, 9) == kShop);
  CHECK(scene.Rows("SELECT attempts, failing_since, confirmed_at FROM inbound_message") == "0|null|null");

  scene.Message("1002");  // consumed at once, its read waits
  scene.Fault(R"({"api":"consume","skip":1,"ban":"1s"})");
  const Ended ended = scene.Once(Quickly());
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Rows("SELECT state, confirmed_at IS NOT NULL FROM inbound_message WHERE channel = 'tmc'") ==
        "applied|1\napplied|1");
  CHECK(scene.Calls("fullinfo.get") == 3);
  CHECK(scene.Rows(kLetters) == "0");
  CHECK(scene.Violations() == "");
}
