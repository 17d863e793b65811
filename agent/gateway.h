#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/context.h"
#include "agent/sessions.h"

namespace tmc {

// A call that was made, to be remembered until its answer comes.
struct Call {
  HttpId id = 0;
  std::string api, shop;
  int64_t generation = 0;  // of the secrets it was sent with
  Time platform_time{};    // when it started, on the platform's clock
  milliseconds started{};  // steady
};

// One loop's way to the platform: paced, signed, on the platform's time. What an answer says about the
// budget, a ban, a closed scope or the clock is taken to heart here, once, for all calls.
class Gateway {
 public:
  Gateway(Context& context, Sessions& sessions, Pacer::Share share = Pacer::Share::kMessages);

  // Takes a token; false: not now (budget, ban, closed, or the clock is being checked).
  bool May(std::string_view api, std::string_view shop);
  // How long until May could say yes, as things stand (an answer may change that sooner).
  milliseconds Delay(std::string_view api, std::string_view shop) const;
  bool Closed(std::string_view api, std::string_view shop) const { return context_.pacer.Closed(api, shop); }
  bool Barred(std::string_view api, std::string_view shop) const { return context_.pacer.Barred(api, shop); }
  // This interface is closed until someone mends a permission or a secret.
  bool NeedsPerson(std::string_view api) const;
  CallContext With(std::string_view session) const;
  Call Send(HttpRequest request, std::string_view shop);
  // Takes note of an answer; `error` is null for a success. False when the error must not count, because the
  // secrets it was sent with have been replaced meanwhile.
  bool Heard(const Call& call, const HttpResponse& response, const Error* error);

  // The platform's time interface: true while a check is on its way or due.
  bool CheckingClock() const;
  void StartClockCheck();
  bool TakeClockCheck(const HttpDone& done);

 private:
  void Blame(const Call& call, const Error& error, const HttpResponse& response);
  Context& context_;
  Sessions& sessions_;
  Pacer::Share share_;
  const std::string clock_api_;
  Call clock_check_;
  std::optional<milliseconds> clock_set_;
};

}  // namespace tmc
