// kill -9: nothing lost, nothing applied twice, whatever moment it comes at.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

constexpr char kUnsettled[] =
    "SELECT count(*) FROM inbound_message WHERE channel = 'tmc' AND (state <> 'applied' OR confirmed_at IS "
    "NULL)";

std::string Tid(int round, int n) {
  return fmt::format("38120000000002{:02}{:03}", round, n);
}

// One round: what makes the moment long enough to hit, and how it is recognised.
struct Moment {
  const char* name;
  const char* fault;  // or nullptr
  std::function<bool(Scene&, int calls_before)> reached;
};

bool Holds(const Scene& scene, const std::string& select) {
  const std::string rows = scene.Rows(select);
  return !rows.empty() && rows.find_first_not_of("0123456789") == rows.npos && rows != "0";
}

std::function<bool(Scene&, int)> CallsReach(const char* api, int more) {
  return [api, more](Scene& scene, int before) { return scene.Calls(api) >= before + more; };
}

const Moment kMoments[] = {
    {"a consume handed out, its answer on the way", R"({"api":"consume","delay":"400ms"})", nullptr},
    {"a consume handed out, its answer lost", R"({"api":"consume","drop":"after"})", nullptr},
    {"rows accepted, the first order read on its way", R"({"api":"fullinfo.get","delay":"400ms","times":0})",
     CallsReach("fullinfo.get", 1)},
    {"the third order read on its way", R"({"api":"fullinfo.get","delay":"400ms","times":0})",
     CallsReach("fullinfo.get", 3)},
    {"some reads answered, others hang", R"({"api":"fullinfo.get","skip":2,"hang":true,"times":0})",
     CallsReach("fullinfo.get", 3)},
    {"rows applied, no confirm sent", R"({"api":"confirm","status":503,"body":"busy","times":0})",
     [](Scene& scene, int) {
       return Holds(scene,
                    "SELECT count(*) FROM inbound_message WHERE state = 'applied' AND confirmed_at IS NULL");
     }},
    {"a confirm on its way, not yet answered", R"({"api":"confirm","delay":"400ms","times":0})",
     CallsReach("confirm", 1)},
    {"a confirm done, its answer lost", R"({"api":"confirm","drop":"after","times":0})",
     CallsReach("confirm", 1)},
    {"rows waiting for their next try", R"({"api":"fullinfo.get","status":503,"body":"busy","times":0})",
     [](Scene& scene, int) {
       return Holds(scene, "SELECT count(*) FROM inbound_message WHERE state = 'failed'");
     }},
    {"a window of the reconciliation on its way", R"({"api":"increment.get","delay":"400ms","times":0})",
     CallsReach("increment.get", 1)},
};

// Starts the agent, waits for the moment, kills it there.
void KillAt(Scene& scene, const Moment& moment, const char* api_before) {
  const int before = scene.Calls(api_before);
  if (moment.fault) scene.Fault(moment.fault);
  Child& agent = scene.Start({"--reconcile-overlap", "1h"});
  const auto reached = moment.reached ? moment.reached : CallsReach("consume", 1);
  CHECK_MESSAGE(WaitUntil([&] { return reached(scene, before); }), moment.name);
  agent.Kill();
  scene.Delete("/faults");
  scene.Post("/redeliver", "{}");
}

const char* ApiOf(const Moment& moment) {
  const std::string_view fault = moment.fault;
  for (const char* api : {"fullinfo.get", "confirm", "increment.get"})
    if (fault.find(api) != fault.npos) return api;
  return "consume";
}

}  // namespace

TEST_CASE("Crash: killed at ten moments of a batch, nothing is lost and nothing applied twice") {
  Scene scene;
  std::set<std::string> posted;
  int orders = 0;
  for (int round = 0; round < 10; ++round) {
    for (int n = 0; n < 5; ++n, ++orders) {
      scene.Order(Tid(round, n), "WAIT_BUYER_CONFIRM_GOODS");
      for (const char* topic : {"taobao_trade_TradeCreate", "taobao_trade_TradeBuyerPay"})
        posted.insert(scene.Message(Tid(round, n), topic));
    }
    KillAt(scene, kMoments[round], ApiOf(kMoments[round]));
  }
  scene.Start();
  const std::string all = std::to_string(posted.size());
  CHECK(
      scene.RowsBecome("SELECT count(*) FROM inbound_message WHERE channel = 'tmc' AND state = 'applied' AND "
                       "confirmed_at IS NOT NULL",
                       all, std::chrono::seconds(30)) == all);
  CHECK(scene.Rows(kUnsettled) == "0");
  CHECK(scene.Confirmed() == posted);
  const std::string each = std::to_string(orders);
  CHECK(scene.Rows("SELECT count(*), count(DISTINCT order_id) FROM order_history") == each + "|" + each);
  CHECK(scene.Rows("SELECT count(*), count(DISTINCT order_id) FROM outbox_event") == each + "|" + each);
  CHECK(scene.Rows("SELECT count(*) FROM dead_letter") == "0");
  const Ended ended = scene.Stop();
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Violations() == "");
  CHECK(scene.Rows("PRAGMA integrity_check") == "ok");
}

TEST_CASE("Crash: what was confirmed is always a part of what is held") {
  // B01: the kill comes so and so long after the batch was sent.
  for (const int pause : {0, 5, 20}) {
    Scene scene;
    std::set<std::string> posted;
    for (int n = 0; n < 3; ++n) {
      scene.Order(Tid(0, n));
      posted.insert(scene.Message(Tid(0, n)));
    }
    Child& agent = scene.Start({"--reconcile-interval", "0"});
    REQUIRE(WaitUntil([&] { return scene.Calls("consume") > 0; }));
    for (int i = 0; i < pause; ++i) ShortPause();
    agent.Kill();
    for (const std::string& id : scene.Confirmed())
      CHECK(scene.Rows("SELECT state FROM inbound_message WHERE msg_id = '" + id + "'") == "applied");
    scene.Post("/redeliver", "{}");
    const Ended ended = scene.Once({"--reconcile-interval", "0"});
    CHECK_MESSAGE(ended.status == 0, ended.err);
    CHECK(scene.Confirmed() == posted);
    CHECK(scene.Rows("SELECT count(*) FROM order_snapshot") == "3");
    CHECK(scene.Rows("SELECT count(*) FROM outbox_event") == "3");
  }
}

TEST_CASE("Crash: the next start finishes the confirms that are owed") {
  Scene scene;
  scene.Order("77");
  const std::string id = scene.Message("77");
  scene.Fault(R"({"api":"confirm","drop":"before","times":0})");
  Child& agent = scene.Start({"--reconcile-interval", "0"});
  REQUIRE(scene.RowsBecome("SELECT state FROM inbound_message", "applied") == "applied");
  agent.Kill();
  CHECK(scene.Confirmed().empty());
  scene.Delete("/faults");
  const Ended ended = scene.Once({"--reconcile-interval", "0"});  // nothing is handed out again meanwhile
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Confirmed() == std::set{id});
  CHECK(scene.Rows("SELECT deliveries, confirmed_at IS NOT NULL FROM inbound_message") == "1|1");
}

TEST_CASE("Crash: a body that kills its handling is not blamed on the others of its batch") {
  Scene scene;
  for (int n = 0; n < 8; ++n) {
    scene.Order(Tid(0, n));
    scene.Message(Tid(0, n));
  }
  scene.Fault(R"({"api":"fullinfo.get","hang":true,"times":8})");
  Child& agent = scene.Start({"--reconcile-interval", "0"});
  REQUIRE(WaitUntil([&] { return scene.Calls("fullinfo.get") == 8; }));
  agent.Kill();
  CHECK(scene.Rows("SELECT state, min(attempts), count(*) FROM inbound_message GROUP BY state") ==
        "enriching|1|8");
  const Ended ended = scene.Once({"--reconcile-interval", "0"});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Rows("SELECT count(*) FROM inbound_message WHERE state = 'applied'") == "8");
}
