#include "tests/simulator/apis.h"

#include <array>
#include <charconv>

namespace tmc::sim {

const Api* FindApi(std::string_view name) {
  static constexpr std::array kApis{
      Api{"taobao.tmc.messages.consume", false, ConsumeMessages},
      Api{"taobao.tmc.messages.confirm", false, ConfirmMessages},
      Api{"taobao.trade.fullinfo.get", true, ReadTrade},
      Api{"taobao.trade.get", true, ReadTrade},
      Api{"taobao.trades.sold.increment.get", true, ListTrades},
      Api{"taobao.time.get", false, TellTime},
      Api{"taobao.tmc.user.get", false, ShowUser},
      Api{"taobao.tmc.user.permit", true, PermitUser},
      Api{"taobao.tmc.groups.get", false, ListGroups},
      Api{"taobao.tmc.queue.get", false, CountQueue},
  };
  for (const Api& api : kApis)
    if (api.name == name) return &api;
  return nullptr;
}

ApiError MissingArgument(std::string_view name) {
  return {40, "Missing required arguments:" + std::string(name), "isv.missing-parameter:" + std::string(name),
          ""};
}

ApiError InvalidArgument(std::string_view name) {
  return {41, "Invalid arguments:" + std::string(name), "isv.invalid-parameter:" + std::string(name), ""};
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<int64_t> NumberOf(const Call& call, std::string_view name, int64_t fallback) {
  const std::string_view text = Find(call.params, name);
  return text.empty() ? fallback : WholeNumber(text);
}

std::string WrapTexts(const std::vector<std::string>& texts, const Style& style) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(Quote(text));
  return WrapList({quoted.begin(), quoted.end()}, "string", style);
}

Answer TellTime(World&, Call& call) {
  return Members{{"time", Quote(PlatformTime(call.now))}};
}

}  // namespace tmc::sim
