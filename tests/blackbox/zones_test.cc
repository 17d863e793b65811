// The machine's zone and environment change nothing (B25, B77).
#include <doctest/doctest.h>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

constexpr char kTid[] = "3012345678901234567";

// The same scene in an environment; everything of it that must not differ, as one text.
std::string Played(const Words& environment) {
  Scene scene({"--retention", "100000h"});
  scene.Post("/orders",
             std::string(R"({"tid":")") + kTid +
                 R"(","status":"WAIT_SELLER_SEND_GOODS","payment":"0.10","at":"2026-03-05 09:00:00",
                               "modified":"2026-03-05 09:00:00","receiver_name":"张三"})");
  scene.MessageOf(std::string(R"({"tid":")") + kTid +
                  R"(","topic":"taobao_trade_TradeBuyerPay","pub_time":"2026-03-05 09:00:01"})");
  const Ended ended = scene.Once({"--reconcile-interval", "0"}, environment);
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(scene.Violations() == "");
  const Ended list = scene.Agent({"orders", "list", "--db", scene.Db()}, environment);
  CHECK(list.status == 0);
  const Ended since =
      scene.Agent({"orders", "list", "--db", scene.Db(), "--since", "2026-03-05T09:00:01"}, environment);
  CHECK(since.out == "");  // a time without an offset is UTC+8 everywhere
  return scene.Rows(
             "SELECT m.published_at, o.modified_at, o.status_version, o.total_amount, o.digest "
             "FROM inbound_message m JOIN order_snapshot o USING (order_id)") +
         "\n" + list.out;
}

}  // namespace

TEST_CASE("Zones: the same rows and the right instants in every zone, and with no environment at all") {
  const std::string reference = Played({"PATH=/usr/bin:/bin"});
  // 2026-03-05 09:00:00 of the platform is 01:00:00 UTC.
  CHECK(reference.starts_with("1772672401000|1772672400000|1772672400000|0.10|"));
  CHECK(reference.find("2026-03-05 09:00:00") != std::string::npos);
  for (const Words& environment : {Words{"TZ=UTC"}, Words{"TZ=America/New_York"}, Words{"TZ=Asia/Kathmandu"},
                                   Words{"TZ=nonsense/zone", "LC_ALL=de_DE.UTF-8", "LANG=C"}, Words{}}) {
    CAPTURE(environment.empty() ? std::string("env -i") : environment[0]);
    CHECK(Played(environment) == reference);
  }
}
