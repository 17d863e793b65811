#include "agent/gateway.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/log.h"

namespace tmc {
namespace {
// A timestamp refused so soon after the platform told its time is not the clock's fault.
constexpr milliseconds kJustSet = 60s;
}  // namespace

Gateway::Gateway(Context& context, Sessions& sessions, Pacer::Share share)
    : context_(context),
      sessions_(sessions),
      share_(share),
      clock_api_(context.platform.ServerTime(With("")).api) {}

bool Gateway::May(std::string_view api, std::string_view shop) {
  return !CheckingClock() && context_.pacer.Take(api, shop, share_);
}

milliseconds Gateway::Delay(std::string_view api, std::string_view shop) const {
  // While the clock is checked everything waits for that: for its answer, or for its turn.
  if (clock_check_.id != 0) return 1h;
  return CheckingClock() ? context_.pacer.Delay(clock_api_, "") : context_.pacer.Delay(api, shop);
}

bool Gateway::NeedsPerson(std::string_view api) const {
  const auto closures = context_.pacer.Closures();
  return std::any_of(closures.begin(), closures.end(), [&](const Closure& closure) {
    return !closure.ban && (closure.scope == "agent" || closure.scope == "api:" + std::string(api));
  });
}

CallContext Gateway::With(std::string_view session) const {
  return {context_.platform_clock.Now(), sessions_.app_secret(), session};
}

Call Gateway::Send(HttpRequest request, std::string_view shop) {
  Call call;
  call.api = request.api;
  call.shop = shop;
  call.generation = sessions_.generation();
  call.platform_time = context_.platform_clock.Now();
  call.started = context_.clock.Steady();
  call.id = context_.http.Start(std::move(request));
  return call;
}

bool Gateway::Heard(const Call& call, const HttpResponse& response, const Error* error) {
  if (response.date && (!error || error->from_platform)) context_.platform_clock.Observe(*response.date);
  if (!error) {
    for (const std::string& scope :
         {std::string("app"), std::string("agent"), "api:" + call.api, ShopScope(call.shop)})
      if (context_.pacer.Open(scope)) log::Info("gateway.open", scope + " works again");
    return true;
  }
  const bool about_secret = error->fault == Fault::kShop || error->fault == Fault::kAgent;
  if (about_secret && call.generation != context_.secrets.Get().generation) return false;
  Blame(call, *error, response);
  return true;
}

void Gateway::Blame(const Call& call, const Error& error, const HttpResponse& response) {
  Pacer& pacer = context_.pacer;
  const std::string what = Sentence(error);
  switch (error.fault) {
    case Fault::kLimited: {
      const std::string scope = error.whole_app ? "app" : "api:" + call.api;
      pacer.Ban(scope, error.wait, what);
      log::Warn("gateway.limited", fmt::format("{} is limited for {} s: {}", scope,
                                               error.wait.value_or(0ms).count() / 1000, what));
      break;
    }
    case Fault::kApi:
      if (pacer.Close("api:" + call.api, what))
        log::Error("gateway.closed",
                   fmt::format("the app may not call {}: {}; apply for the permission, work goes on "
                               "by itself then",
                               call.api, what));
      break;
    case Fault::kShop:
      if (pacer.Close(ShopScope(call.shop), what))
        log::Error("gateway.closed",
                   fmt::format("the session of shop {} is refused: {}; renew it in the session file, "
                               "its messages wait",
                               call.shop.empty() ? "(unknown)" : call.shop, what));
      break;
    case Fault::kAgent:
      if (pacer.Close("agent", what))
        log::Error("gateway.closed",
                   fmt::format("the platform refuses our calls: {}; check --app-key, the app secret "
                               "and --gateway, everything waits",
                               what));
      break;
    case Fault::kClock:
      if (clock_set_ && context_.clock.Steady() - *clock_set_ < kJustSet) {
        if (pacer.Close("agent", what))
          log::Error("gateway.clock",
                     "the platform refuses our timestamp although it told us its time: " + what);
      } else {
        context_.platform_clock.Refused(response.date);
        log::Warn("gateway.clock", "the platform refused our timestamp; asking it for its time");
      }
      break;
    case Fault::kOutside:
    case Fault::kMessage:
    case Fault::kUnknown:
      // The platform looked at the call itself: signature and app key were good.
      if (error.from_platform && error.fault != Fault::kOutside && pacer.Open("agent"))
        log::Info("gateway.open", "agent works again");
      break;
  }
}

bool Gateway::CheckingClock() const {
  return clock_check_.id != 0 || context_.platform_clock.check_due();
}

void Gateway::StartClockCheck() {
  if (clock_check_.id != 0 || !context_.platform_clock.check_due()) return;
  CallContext with = With("");
  with.platform_now = context_.platform_clock.Tentative();
  HttpRequest request = context_.platform.ServerTime(with);
  if (!context_.pacer.Take(request.api, "")) return;
  clock_check_ = Send(std::move(request), "");
}

bool Gateway::TakeClockCheck(const HttpDone& done) {
  if (clock_check_.id == 0 || done.id != clock_check_.id) return false;
  const auto told = context_.platform.ReadServerTime(done.response);
  if (told) {
    const bool news = context_.platform_clock.Set(*told);
    clock_set_ = context_.clock.Steady();
    const auto offset = std::chrono::duration_cast<std::chrono::seconds>(context_.platform_clock.offset());
    if (news)
      log::Warn("gateway.clock",
                fmt::format("this machine's clock is {} s {} the platform's; its time is used",
                            std::abs(offset.count()), offset.count() > 0 ? "behind" : "ahead of"));
    context_.pacer.Open("agent");
  } else {
    context_.platform_clock.CheckFailed();
    if (told.error().fault == Fault::kClock) clock_set_ = context_.clock.Steady();  // the next refusal closes
    if (told.error().fault != Fault::kClock) Heard(clock_check_, HttpResponse{}, &told.error());
    log::Warn("gateway.clock", "the platform did not tell its time: " + Sentence(told.error()));
  }
  clock_check_ = {};
  return true;
}

}  // namespace tmc
