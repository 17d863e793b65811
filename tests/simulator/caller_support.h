#pragma once

#include <string>

#include "agent/json.h"
#include "tests/simulator/control.h"
#include "tests/simulator/heart.h"
#include "tests/simulator/sign.h"

namespace tmc::sim {

class TestClock final : public Clock {
 public:
  Time Now() const override { return *ParsePlatformTime("2026-01-15 08:30:00") + passed; }
  milliseconds Steady() const override { return passed; }
  milliseconds passed{0};
};

// An answer, parsed; the path through the envelope is up to the test.
struct Parsed {
  SimResponse response;
  json::Document document;
  json::Node root() const { return document.root(); }
  int64_t ErrorCode() const { return root()["error_response"]["code"].Int().value_or(0); }
  std::string SubCode() const {
    return std::string(root()["error_response"]["sub_code"].Text().value_or(""));
  }
};

// A caller with one shop's session and the right secret, unless told otherwise.
class Caller {
 public:
  explicit Caller(uint64_t seed = 7) : heart(clock, seed), control(heart) {
    Tell("POST", "/shops", R"({"user_id":"123456789","nick":"测试店铺01","session":"session-1"})");
  }

  SimRequest Request(const std::string& api, Params params = {}) {
    params.emplace("method", api);
    params.emplace("app_key", "12345678");
    params.emplace("timestamp", PlatformTime(clock.Now()));
    params.emplace("format", "json");
    params.emplace("v", "2.0");
    params.emplace("sign_method", "hmac-sha256");
    std::erase_if(params, [](const auto& pair) { return pair.second == "-"; });  // "-": leave it out
    params.emplace("sign", Sign(params, "helloworld", Find(params, "sign_method")));
    SimRequest request;
    for (const auto& [name, value] : params)
      request.body += (request.body.empty() ? "" : "&") + Encode(name) + "=" + Encode(value);
    return request;
  }

  Parsed Call(const std::string& api, Params params = {}) { return Send(Request(api, std::move(params))); }
  Parsed Send(const SimRequest& request) { return Parse(heart.Handle(request)); }
  static Parsed Parse(SimResponse response) {
    Parsed parsed{std::move(response), {}};
    (void)parsed.document.Parse(parsed.response.body);
    return parsed;
  }

  Parsed Consume(Params params = {}) { return Call("taobao.tmc.messages.consume", std::move(params)); }
  Parsed Confirm(const std::string& ids) {
    return Call("taobao.tmc.messages.confirm", {{"s_message_ids", ids}});
  }
  Parsed ReadTrade(const std::string& tid, const std::string& fields = "tid,status,modified") {
    return Call("taobao.trade.fullinfo.get", {{"tid", tid}, {"fields", fields}, {"session", "session-1"}});
  }
  std::string StatusOf(const std::string& tid) {
    const Parsed read = ReadTrade(tid);
    const auto status = read.root()["trade_fullinfo_get_response"]["trade"]["status"].Text();
    return status ? std::string(*status) : read.SubCode();
  }

  // The ids of a consume, comma-joined.
  std::string Take(Params params = {}) {
    const Parsed answer = Consume(std::move(params));
    const auto list = answer.root()["tmc_messages_consume_response"]["messages"]["tmc_message"];
    std::string ids;
    for (size_t i = 0; i < list.Size(); ++i)
      ids += (i > 0 ? "," : "") + std::string(list.At(i)["id"].Text().value_or("none"));
    return ids;
  }

  // A call of the control address.
  Parsed Tell(const char* method, std::string path, std::string body) {
    SimRequest request;
    request.method = method;
    const size_t question = std::min(path.find('?'), path.size());
    request.query = path.substr(std::min(question + 1, path.size()));
    request.path = path.substr(0, question);
    request.body = std::move(body);
    return Parse(control.Handle(request));
  }
  Parsed Post(const std::string& path, std::string body) { return Tell("POST", path, std::move(body)); }

  // How often the record holds that misdeed.
  int64_t Wrongs(std::string_view what) {
    int64_t count = 0;
    for (const auto& row : heart.world().record.violations) count += row.what == what;
    return count;
  }

  TestClock clock;
  Heart heart;
  Control control;
};

inline constexpr char kTid[] = "3812000000000210193";

}  // namespace tmc::sim
