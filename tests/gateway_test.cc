#include "agent/gateway.h"

#include <doctest/doctest.h>

#include "tests/support/rig.h"

using namespace tmc;

namespace {

constexpr char kApi[] = "taobao.trade.fullinfo.get";

// One loop's gateway over the rig's wire.
struct Gate {
  Rig rig;
  Cursors cursors{*rig.store, "top"};
  Sessions sessions{*rig.secrets, cursors};
  Gateway gateway{*rig.context, sessions};
  Gate() { sessions.Refresh(true); }

  Call Out(std::string_view shop = "900001") {
    HttpRequest request = rig.platform->Order("3012345678901234567", gateway.With("sess-A"));
    return gateway.Send(std::move(request), shop);
  }
  bool Fails(const Call& call, Error error) { return gateway.Heard(call, {}, &error); }
  bool Closed(const std::string& scope) const {
    for (const Closure& closure : rig.pacer->Closures())
      if (closure.scope == scope) return true;
    return false;
  }
  void NewSession(const std::string& sessions_file) {
    rig.folder.File("sessions", sessions_file);
    REQUIRE_FALSE(rig.secrets->Load());
  }
  // Answers the clock check that is due.
  void CheckClock() {
    gateway.StartClockCheck();
    for (const HttpDone& done : rig.http.Wait(10s)) gateway.TakeClockCheck(done);
  }
};

Error Of(Fault fault) {
  return {.fault = fault, .code = "27 invalid-sessionkey", .text = "no", .from_platform = true};
}

}  // namespace

TEST_CASE("Gateway: a shop's error closes that shop, the others go on") {
  Gate gate;
  CHECK(gate.Fails(gate.Out(), Of(Fault::kShop)));
  CHECK(gate.Closed("shop:900001"));
  CHECK_FALSE(gate.gateway.May(kApi, "900001"));
  CHECK(gate.gateway.May(kApi, "900002"));
}

TEST_CASE("Gateway: an error counts only against the secret it was sent with") {
  for (const Fault fault : {Fault::kShop, Fault::kAgent}) {
    Gate gate;
    const Call call = gate.Out();
    gate.NewSession("900001 sess-new\n900002 sess-B\n");
    CHECK_FALSE(gate.Fails(call, Of(fault)));
    CHECK(gate.rig.pacer->Closures().empty());
    gate.sessions.Refresh(false);
    CHECK(gate.Fails(gate.Out(), Of(fault)));  // the new one is refused, too
    CHECK(gate.rig.pacer->Closures().size() == 1);
  }
}

TEST_CASE("Gateway: an interface that is not permitted is closed alone, whatever the secrets") {
  Gate gate;
  const Call call = gate.Out();
  gate.NewSession("900001 sess-new\n");
  CHECK(gate.Fails(call, Of(Fault::kApi)));
  CHECK(gate.Closed(std::string("api:") + kApi));
  CHECK_FALSE(gate.gateway.May(kApi, "900002"));
  CHECK(gate.gateway.May("taobao.tmc.messages.consume", ""));
}

TEST_CASE("Gateway: a success opens every scope that the call went through") {
  Gate gate;
  for (const Fault fault : {Fault::kShop, Fault::kApi, Fault::kAgent}) gate.Fails(gate.Out(), Of(fault));
  gate.Fails(gate.Out("900002"), Of(Fault::kShop));
  REQUIRE(gate.rig.pacer->Closures().size() == 4);
  CHECK(gate.gateway.Heard(gate.Out(), {}, nullptr));
  CHECK(gate.rig.pacer->Closures().size() == 1);
  CHECK(gate.Closed("shop:900002"));
}

TEST_CASE("Gateway: an answer about the call itself shows that signature and key are good") {
  for (const Fault fault : {Fault::kMessage, Fault::kUnknown}) {
    Gate gate;
    gate.Fails(gate.Out(), Of(Fault::kAgent));
    Error foreign = Of(fault);
    foreign.from_platform = false;
    gate.Fails(gate.Out(), foreign);
    CHECK(gate.Closed("agent"));
    gate.Fails(gate.Out(), Of(fault));
    CHECK_FALSE(gate.Closed("agent"));
  }
}

TEST_CASE("Gateway: the outside's error closes and opens nothing") {
  Gate gate;
  gate.Fails(gate.Out(), Of(Fault::kAgent));
  gate.Fails(gate.Out(), Of(Fault::kOutside));
  CHECK(gate.Closed("agent"));
  CHECK(gate.rig.pacer->Closures().size() == 1);
}

TEST_CASE("Gateway: a limit is the interface's, or the whole app's where the answer says so") {
  Gate gate;
  Error limited = Of(Fault::kLimited);
  limited.wait = 30s;
  gate.Fails(gate.Out(), limited);
  CHECK(gate.Closed(std::string("api:") + kApi));
  CHECK(gate.gateway.May("taobao.tmc.messages.consume", ""));
  limited.whole_app = true;
  gate.Fails(gate.Out(), limited);
  CHECK(gate.Closed("app"));
  CHECK_FALSE(gate.gateway.May("taobao.tmc.messages.consume", ""));
  CHECK(gate.gateway.Heard(gate.Out(), {}, nullptr));  // was on its way: a ban keeps its end
  CHECK(gate.Closed("app"));
}

TEST_CASE("Gateway: a refused timestamp asks the platform for its time, and nothing else goes meanwhile") {
  Gate gate;
  gate.rig.Post("/clock", R"({"offset":"-3h"})");
  HttpResponse refusal;
  refusal.date = gate.rig.clock.Now() - 3h;
  const Error error = Of(Fault::kClock);
  CHECK(gate.gateway.Heard(gate.Out(), refusal, &error));
  CHECK(gate.gateway.CheckingClock());
  CHECK_FALSE(gate.gateway.May(kApi, "900001"));
  gate.rig.http.Forget();
  gate.CheckClock();
  CHECK_FALSE(gate.gateway.CheckingClock());
  CHECK(gate.rig.platform_clock->offset() >= -3h - 1s);
  CHECK(gate.rig.platform_clock->offset() <= -3h + 1s);
  CHECK(gate.gateway.May(kApi, "900001"));
  CHECK(gate.rig.pacer->Closures().empty());
}

TEST_CASE("Gateway: while the clock waits to be checked, nobody looks again before that can be") {
  Gate gate;
  CHECK(gate.gateway.Delay(kApi, "") == 1ms);
  gate.rig.platform_clock->Refused(std::nullopt);
  gate.rig.pacer->Ban("api:taobao.time.get", 10min, "limited");
  CHECK(gate.gateway.Delay(kApi, "") >= 10min);
  gate.rig.clock.Advance(11min);
  CHECK(gate.gateway.Delay(kApi, "") == 1ms);
  gate.gateway.StartClockCheck();
  CHECK(gate.gateway.Delay(kApi, "") == 1h);
  for (const HttpDone& done : gate.rig.http.Wait(10s)) gate.gateway.TakeClockCheck(done);
  CHECK(gate.gateway.Delay(kApi, "") == 1ms);
}

TEST_CASE("Gateway: a timestamp refused although the platform just told its time closes the agent") {
  Gate gate;
  gate.Fails(gate.Out(), Of(Fault::kClock));
  gate.rig.http.Forget();
  gate.CheckClock();
  REQUIRE_FALSE(gate.gateway.CheckingClock());
  gate.Fails(gate.Out(), Of(Fault::kClock));
  CHECK(gate.Closed("agent"));
  CHECK_FALSE(gate.gateway.CheckingClock());
}

TEST_CASE("Gateway: a timestamp refused long after is the clock again, not the agent") {
  Gate gate;
  gate.Fails(gate.Out(), Of(Fault::kClock));
  gate.rig.http.Forget();
  gate.CheckClock();
  gate.rig.clock.Advance(61s);
  gate.Fails(gate.Out(), Of(Fault::kClock));
  CHECK_FALSE(gate.Closed("agent"));
  CHECK(gate.gateway.CheckingClock());
}

TEST_CASE("Gateway: only the Date of the platform's own answer moves the clock") {
  Gate gate;
  HttpResponse response;
  response.date = gate.rig.clock.Now() + 40s;
  Error portal = Of(Fault::kOutside);
  portal.from_platform = false;
  gate.gateway.Heard(gate.Out(), response, &portal);
  CHECK(gate.rig.platform_clock->offset() == 0s);
  const Error own = Of(Fault::kUnknown);
  gate.gateway.Heard(gate.Out(), response, &own);
  CHECK(gate.rig.platform_clock->offset() == 40s);
}
