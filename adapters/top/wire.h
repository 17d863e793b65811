#pragma once

#include <string_view>
#include <variant>

#include "agent/http.h"
#include "agent/message.h"
#include "agent/order.h"
#include "agent/outcome.h"
#include "agent/platform.h"

// TOP's bytes into the agent's nouns. Each takes whatever came, and throws on nothing.
namespace tmc::top {

struct Call;

Result<ConsumeAnswer> ReadConsume(const HttpResponse& response);
// Confirm and permit: `is_success` is true, or kMessage.
Result<Done> ReadSuccess(const HttpResponse& response, const Call& call);
Result<OrderTruth> ReadOrder(std::string_view order_id, const HttpResponse& response);
Result<WindowPage> ReadWindow(const WindowWish& wish, const HttpResponse& response);
Result<Time> ReadServerTime(const HttpResponse& response);
Result<ShopInfo> ReadShop(const HttpResponse& response);
std::variant<Trigger, Rejected> ReadContent(std::string_view topic, std::string_view body);

}  // namespace tmc::top
