#include "adapters/top/platform.h"

#include <stdexcept>

#include "adapters/top/calls.h"
#include "adapters/top/china_time.h"
#include "adapters/top/form.h"
#include "adapters/top/salvage.h"
#include "adapters/top/sign.h"
#include "adapters/top/statuses.h"
#include "adapters/top/trade.h"
#include "adapters/top/wire.h"

namespace tmc::top {
namespace {

template <typename Range>
std::string Joined(const Range& texts) {
  std::string joined;
  for (const auto& text : texts) joined.append(joined.empty() ? "" : ",").append(text);
  return joined;
}

class TopPlatform final : public Platform {
 public:
  explicit TopPlatform(TopSettings settings) : settings_(std::move(settings)) {
    const std::string& method = settings_.sign_method;
    if (method != "md5" && method != "hmac" && method != "hmac-sha256")
      throw std::invalid_argument("no such sign method: " + method);
  }

  std::string_view Name() const override { return "top"; }
  std::string_view MessageChannel() const override { return "tmc"; }

  HttpRequest Consume(int quantity, const CallContext& context) const override {
    constexpr int kLeast = 10;
    HttpRequest request =
        Request(kConsume, context,
                Parameters{{"group_name", settings_.group}, {"quantity", std::to_string(quantity)}});
    request.timeout += settings_.poll_hold;
    request.idle_allowed = settings_.poll_hold > 0ms;
    if (quantity <= kLeast) request.max_body = json::kMaxText;  // no smaller answer can be asked for
    return request;
  }
  Result<ConsumeAnswer> ReadConsume(const HttpResponse& response) const override {
    return top::ReadConsume(response);
  }
  ConsumeAnswer SalvageConsume(std::string_view body) const override { return Salvage(body); }

  HttpRequest Confirm(std::span<const std::string> msg_ids, const CallContext& context) const override {
    return Request(kConfirm, context, {{"group_name", settings_.group}, {"s_message_ids", Joined(msg_ids)}});
  }
  Result<Done> ReadConfirm(const HttpResponse& response) const override {
    return ReadSuccess(response, kConfirm);
  }

  HttpRequest Order(std::string_view order_id, const CallContext& context) const override {
    return Request(kOrder, context, {{"fields", std::string(kTradeFields)}, {"tid", std::string(order_id)}},
                   kWithSession);
  }
  Result<OrderTruth> ReadOrder(std::string_view order_id, const HttpResponse& response) const override {
    return top::ReadOrder(order_id, response);
  }

  HttpRequest Window(const WindowWish& wish, const CallContext& context) const override {
    return Request(kWindow, context,
                   {{"fields", std::string(kWindowFields)},
                    {"start_modified", ChinaTime(wish.from)},
                    {"end_modified", ChinaTime(wish.to)},
                    {"page_no", std::to_string(wish.page)},
                    {"page_size", std::to_string(wish.page_size)},
                    {"use_has_next", wish.want_total ? "false" : "true"}},
                   kWithSession);
  }
  Result<WindowPage> ReadWindow(const WindowWish& wish, const HttpResponse& response) const override {
    return top::ReadWindow(wish, response);
  }

  HttpRequest ServerTime(const CallContext& context) const override {
    return Request(kServerTime, context, {});
  }
  Result<Time> ReadServerTime(const HttpResponse& response) const override {
    return top::ReadServerTime(response);
  }

  HttpRequest Shop(std::string_view nick, const CallContext& context) const override {
    return Request(kShop, context, {{"fields", "user_nick,topics,user_id"}, {"nick", std::string(nick)}});
  }
  Result<ShopInfo> ReadShop(const HttpResponse& response) const override { return top::ReadShop(response); }

  HttpRequest Permit(std::span<const std::string> topics, const CallContext& context) const override {
    return Request(kPermit, context, {{"topics", Joined(topics)}}, kWithSession);
  }
  Result<Done> ReadPermit(const HttpResponse& response) const override {
    return ReadSuccess(response, kPermit);
  }

  std::variant<Trigger, Rejected> ReadContent(std::string_view topic, std::string_view body) const override {
    return top::ReadContent(topic, body);
  }
  int Rank(std::string_view status) const override { return RankOf(status); }
  bool Final(std::string_view status) const override { return IsFinal(status); }

 private:
  enum Session { kWithoutSession, kWithSession };

  HttpRequest Request(const Call& call, const CallContext& context, Parameters parameters,
                      Session session = kWithoutSession) const {
    parameters.insert({{"method", std::string(call.method)},
                       {"app_key", settings_.app_key},
                       {"timestamp", ChinaTime(context.platform_now)},
                       {"format", "json"},
                       {"v", "2.0"},
                       {"sign_method", settings_.sign_method}});
    if (settings_.simplify) parameters.insert({"simplify", "true"});
    if (session == kWithSession) parameters.insert({"session", std::string(context.session)});
    std::erase_if(parameters, [](const auto& parameter) { return parameter.second.empty(); });
    parameters.insert({"sign", Sign(parameters, settings_.sign_method, context.app_secret)});
    HttpRequest request;
    request.url = settings_.gateway;
    request.body = FormEncoded(parameters);
    request.api = call.method;
    return request;
  }

  TopSettings settings_;
};

}  // namespace

std::unique_ptr<Platform> MakeTop(TopSettings settings) {
  return std::make_unique<TopPlatform>(std::move(settings));
}

}  // namespace tmc::top
