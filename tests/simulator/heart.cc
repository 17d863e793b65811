#include "tests/simulator/heart.h"

#include <algorithm>

#include "tests/simulator/apis.h"
#include "tests/simulator/charset.h"
#include "tests/simulator/sign.h"

namespace tmc::sim {
namespace {

constexpr char kPath[] = "/router/rest";

ApiError Plain(int code, const char* msg) {
  return {code, msg, "", ""};
}

std::string Describe(const Answer& answer) {
  const auto* error = std::get_if<ApiError>(&answer);
  if (error == nullptr) return "ok";
  return "error " + std::to_string(error->code) + (error->sub_code.empty() ? "" : " " + error->sub_code);
}

// The name in the record for what only a faulty caller does.
std::string Misdeed(int code) {
  switch (code) {
    case 9:
      return "bad_verb";
    case 21:
    case 22:
      return "bad_method";
    case 23:
      return "bad_format";
    case 24:
    case 25:
    case 51:
      return "bad_signature";
    case 28:
    case 29:
      return "bad_app_key";
    case 30:
    case 31:
      return "bad_timestamp";
    case 32:
    case 33:
      return "bad_version";
    default:
      return {};
  }
}

std::string Ended(Ending ending) {
  switch (ending) {
    case Ending::kWhole:
      return {};
    case Ending::kDrop:
      return "drop";
    case Ending::kReset:
      return "reset";
    case Ending::kCut:
      return "cut";
    case Ending::kHang:
      return "hang";
    case Ending::kStall:
      return "stall";
  }
  return {};
}

// The fault stands in the answer's place, before anything has changed.
bool Replaces(const Fault& fault) {
  if (fault.after) return false;
  if (fault.error || fault.ban || fault.is_success || fault.status || fault.body) return true;
  return fault.ending == Ending::kDrop || fault.ending == Ending::kReset || fault.ending == Ending::kHang;
}

}  // namespace

SimResponse Heart::Handle(const SimRequest& request) {
  if (request.path != kPath) {
    world_.record.Wrong(world_.Now(), request.path, "bad_path", request.path);
    SimResponse response;
    response.status = 404;
    response.content_type = "text/html";
    response.body = "<html><body>404 Not Found</body></html>";
    return response;
  }
  Call call = Read(request);
  call.may_wait = world_.switches.hold > 0ms;
  return Serve(call, false);
}

Call Heart::Read(const SimRequest& request) {
  Call call;
  call.verb = request.method;
  call.now = world_.Now();
  DecodeForm(request.query, call.params);
  DecodeForm(request.body, call.params);
  call.api = Find(call.params, "method");
  call.style = world_.switches.style;
  call.style.simplify |= Find(call.params, "simplify") == "true";
  call.xml = Find(call.params, "format") != "json";
  call.empty_form = world_.switches.empty_form;
  return call;
}

SimResponse Heart::Serve(Call& call, bool checked) {
  auto refusal = checked ? std::nullopt : Check(call);
  auto fault = world_.faults.Take(call.api, call.params, call.now, world_.chance);
  if (fault && fault->ban)
    world_.limits.Ban(fault->ban_app ? "*" : call.api, call.now + *fault->ban, fault->ban_sub_code);
  if (!refusal && (!checked || (fault && fault->ban))) refusal = CheckLimits(call);
  const Fault none;
  const Fault& wrong = fault ? *fault : none;
  if (fault) call.may_wait = false;
  call.delay = wrong.delay;
  call.style.bare_single |= wrong.bare_single;
  if (!wrong.empty_form.empty()) call.empty_form = wrong.empty_form;
  Answer answer = Ask(call, wrong, refusal);
  if (call.waits) return KeepOpen(std::move(call));
  return Dress(call, wrong, std::move(answer));
}

Answer Heart::Ask(Call& call, const Fault& fault, const std::optional<ApiError>& refusal) {
  if (refusal) return *refusal;
  Answer answer;
  if (!Replaces(fault)) answer = FindApi(call.api)->answer(world_, call);
  if (const auto* error = std::get_if<ApiError>(&answer); error != nullptr && error->code == 40)
    world_.record.Wrong(call.now, call.api, "missing_argument", error->msg);
  if (fault.error) return *fault.error;
  if (fault.is_success) return Members{{"is_success", *fault.is_success ? "true" : "false"}};
  return answer;
}

// What is left of the fault: the answer's way over the wire.
SimResponse Heart::Dress(const Call& call, const Fault& fault, Answer answer) {
  SimResponse response;
  std::string outcome = Describe(answer);
  response.date = HttpDate(world_.Now());
  if (const auto* error = std::get_if<ApiError>(&answer))
    response.body = WrapError(*error, RequestId());
  else
    response.body =
        WrapAnswer(call.api, std::get<Members>(std::move(answer)), call.style, RequestId(), world_.chance);
  if (call.xml) {
    response.body = ToXml(response.body);
    response.content_type = "text/xml;charset=UTF-8";
  }
  ApplyCharset(fault, response);
  if (fault.status) outcome = "http " + std::to_string(response.status = *fault.status);
  if (fault.body) {
    response.body = *fault.body;
    if (!fault.status) outcome = "body";
  }
  if (!fault.content_type.empty()) response.content_type = fault.content_type;
  response.ending = fault.ending.value_or(Ending::kWhole);
  response.bytes = fault.bytes;
  response.delay = fault.delay;
  response.trickle = fault.trickle;
  if (response.ending != Ending::kWhole) outcome += (outcome.empty() ? "" : ", ") + Ended(response.ending);
  world_.record.Call(call.now, call.api, std::move(outcome));
  return response;
}

std::optional<ApiError> Heart::Check(Call& call) {
  std::optional<ApiError> error = CheckProtocol(call);
  if (!error) error = CheckSignature(call);
  if (!error) error = CheckSession(call);
  for (const auto& [name, value] : call.params)
    if (value.empty()) world_.record.Wrong(call.now, call.api, "empty_parameter", name);
  if (error && !Misdeed(error->code).empty())
    world_.record.Wrong(call.now, call.api, Misdeed(error->code), error->msg);
  return error;
}

std::optional<ApiError> Heart::CheckProtocol(const Call& call) {
  const auto get = [&](std::string_view name) { return Find(call.params, name); };
  if (call.verb != "POST" && call.verb != "GET") return Plain(9, "Http Action Not Allowed");
  if (get("app_key").empty()) return Plain(28, "Missing app Key");
  if (get("app_key") != world_.app.key) return Plain(29, "Invalid app Key");
  if (call.api.empty()) return Plain(21, "Missing method");
  if (FindApi(call.api) == nullptr) return Plain(22, "Invalid method");
  if (get("timestamp").empty()) return Plain(30, "Missing timestamp");
  const auto stamp = ParsePlatformTime(get("timestamp"));
  if (!stamp || std::chrono::abs(*stamp - call.now) > 10min) return Plain(31, "Invalid timestamp");
  if (get("v").empty()) return Plain(32, "Missing version");
  if (get("v") != "2.0") return Plain(33, "Invalid version");
  if (!get("format").empty() && get("format") != "json" && get("format") != "xml")
    return Plain(23, "Invalid format");
  if (call.xml) world_.record.Wrong(call.now, call.api, "xml_asked_for", "format is not json");
  return std::nullopt;
}

std::optional<ApiError> Heart::CheckSignature(const Call& call) {
  const std::string_view method = Find(call.params, "sign_method"), sign = Find(call.params, "sign");
  if (!KnownSignMethod(method)) return Plain(51, "Invalid sign method");
  if (sign.empty()) return Plain(24, "Missing signature");
  if (Sign(call.params, world_.app.secret, method) != sign) return Plain(25, "Invalid signature");
  return std::nullopt;
}

std::optional<ApiError> Heart::CheckSession(Call& call) {
  if (!FindApi(call.api)->needs_session) return std::nullopt;
  const std::string_view session = Find(call.params, "session");
  if (session.empty()) return Plain(26, "Missing session");
  call.shop = world_.shops.OfSession(session);
  if (call.shop && !world_.shops.at(*call.shop).dead) return std::nullopt;
  return ApiError{27, "Invalid session", "invalid-sessionkey", "SessionKey非法"};
}

std::optional<ApiError> Heart::CheckLimits(const Call& call) {
  auto refusal = world_.limits.Admit(call.api, call.now);
  if (!refusal) return std::nullopt;
  if (refusal->repeated) world_.record.Wrong(call.now, call.api, refusal->what, refusal->error.sub_msg);
  return std::move(refusal->error);
}

SimResponse Heart::KeepOpen(Call call) {
  SimResponse response;
  response.hold = next_hold_++;
  holds_.emplace(*response.hold, Hold{std::move(call), world_.clock.Steady() + world_.switches.hold});
  world_.held_calls = holds_.size();
  return response;
}

void Heart::Abandon(uint64_t ticket) {
  holds_.erase(ticket);
  world_.held_calls = holds_.size();
}

std::optional<SimResponse> Heart::Held(uint64_t ticket) {
  const auto found = holds_.find(ticket);
  if (found == holds_.end() || Patience(ticket) > 0ms) return std::nullopt;
  Call call = std::move(found->second.call);
  Abandon(ticket);
  call.may_wait = call.waits = false;
  call.now = world_.Now();
  return Serve(call, true);
}

milliseconds Heart::Patience(uint64_t ticket) {
  const auto found = holds_.find(ticket);
  if (found == holds_.end()) return 0ms;
  const std::string_view group = Find(found->second.call.params, "group_name");
  auto wait = found->second.until - world_.clock.Steady();
  if (const auto next = world_.queue.NextVisible(group.empty() ? kDefaultGroup : group))
    wait = std::min(wait, *next - world_.Now());
  return std::max(wait, milliseconds(0));
}

std::string Heart::RequestId() {
  constexpr char kLetters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string id;
  for (uint64_t number = world_.chance.Next(), i = 0; i < 12; ++i, number /= 36) id += kLetters[number % 36];
  return id;
}

}  // namespace tmc::sim
