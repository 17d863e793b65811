// Bad input: answers that are no answers. Each kind for the consume, the order read and the confirm.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/blackbox/scene.h"

using namespace tmc;

namespace {

constexpr char kFate[] =
    "SELECT state, attempts, confirmed_at IS NOT NULL, last_error IS NOT NULL FROM inbound_message";

void Hit(Scene& scene, const char* api, int times, const char* what) {
  scene.Fault(fmt::format(R"({{"api":"{}","times":{},{}}})", api, times, what));
}

bool Warned(const Ended& ended, const char* event, const char* call) {
  for (size_t at = 0; (at = ended.err.find(event, at)) != std::string::npos; ++at) {
    const std::string line = ended.err.substr(at, ended.err.find('\n', at) - at);
    if (line.find(call) != std::string::npos) return true;
  }
  return false;
}

// `what`: the members of a fault.
void Retried(const char* what) {
  Scene scene;
  scene.Order("1001");
  const std::string id = scene.Message("1001");
  const Words no_pass{"--reconcile-interval", "0"};

  INFO("the consume never succeeds");
  Hit(scene, "consume", 0, what);
  const Ended deaf = scene.Once({"--reconcile-interval", "0", "--once-wait", "700ms"});
  CHECK_MESSAGE(deaf.status == 69, deaf.err);
  CHECK(Warned(deaf, "consume", "taobao.tmc.messages.consume"));
  CHECK(scene.Rows("SELECT count(*) FROM inbound_message") == "0");
  CHECK(scene.Rows("SELECT count(*) FROM dead_letter") == "0");

  INFO("the order read never succeeds");
  scene.Delete("/faults");
  scene.Post("/redeliver", "{}");  // what a failed call may have handed out
  Hit(scene, "fullinfo.get", 0, what);
  const Ended blind =
      scene.Once({"--reconcile-interval", "0", "--once-wait", "1500ms", "--max-attempts", "1"});
  CHECK_MESSAGE(blind.status == 75, blind.err);
  CHECK(Warned(blind, "order.read", "taobao.trade.fullinfo.get"));
  CHECK(scene.Rows(kFate) == "failed|0|0|1");
  CHECK(scene.Rows("SELECT count(*) FROM dead_letter") == "0");
  CHECK(scene.Confirmed().empty());

  INFO("the confirm succeeds the second time");
  scene.Delete("/faults");
  Hit(scene, "confirm", 1, what);
  const Ended mended = scene.Once(no_pass);
  CHECK_MESSAGE(mended.status == 0, mended.err);
  CHECK(Warned(mended, "confirm", "taobao.tmc.messages.confirm"));
  CHECK(scene.Rows("SELECT state, confirmed_at IS NOT NULL FROM inbound_message") == "applied|1");
  CHECK(scene.Confirmed() == std::set{id});
  CHECK(scene.Calls("confirm") == 2);
  CHECK(scene.Violations() == "");
}

}  // namespace

TEST_CASE("Bad input: an answer that is HTML") {
  Retried(R"("body":"<html><body>Sorry, busy</body></html>","content_type":"text/html;charset=UTF-8")");
}
TEST_CASE("Bad input: an answer that is cut off") {
  Retried(R"("cut":20)");
}
TEST_CASE("Bad input: an answer that is empty") {
  Retried(R"("body":"")");
}
TEST_CASE("Bad input: an answer of 503") {
  Retried(R"("status":503)");
}
TEST_CASE("Bad input: an answer that is neither result nor error_response") {
  Retried(R"("body":{"hello":{"world":1}})");
}
