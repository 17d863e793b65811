#pragma once

#include <array>
#include <string_view>

namespace tmc::top {

// What an error of a call can be about: the same code means another thing to another caller.
enum class Asked {
  kSubject,  // one order, a window of orders, a shop
  kConfirm,  // ids of messages
  kConsume,  // nothing in particular; also the clock
};

// An interface of TOP: its name, the wrapper of its answer (call protocol, document 101617: the
// name without `taobao.`, dots as underscores, `_response`), and members by which an answer without a wrapper
// (simplify=true) is known.
struct Call {
  std::string_view method;
  std::string_view wrapper;
  std::array<std::string_view, 3> members;
  Asked asked;
};

inline constexpr Call kConsume{
    "taobao.tmc.messages.consume", "tmc_messages_consume_response", {"messages"}, Asked::kConsume};
inline constexpr Call kConfirm{
    "taobao.tmc.messages.confirm", "tmc_messages_confirm_response", {"is_success"}, Asked::kConfirm};
inline constexpr Call kOrder{
    "taobao.trade.fullinfo.get", "trade_fullinfo_get_response", {"trade"}, Asked::kSubject};
inline constexpr Call kWindow{"taobao.trades.sold.increment.get",
                              "trades_sold_increment_get_response",
                              {"trades", "total_results", "has_next"},
                              Asked::kSubject};
inline constexpr Call kServerTime{"taobao.time.get", "time_get_response", {"time"}, Asked::kConsume};
inline constexpr Call kShop{"taobao.tmc.user.get", "tmc_user_get_response", {"tmc_user"}, Asked::kSubject};
inline constexpr Call kPermit{
    "taobao.tmc.user.permit", "tmc_user_permit_response", {"is_success"}, Asked::kSubject};

}  // namespace tmc::top
