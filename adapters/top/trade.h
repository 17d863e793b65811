#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "agent/json.h"
#include "agent/order.h"

namespace tmc::top {

// What is asked of a trade (trade.fullinfo.get, api 54). `orders` is asked for whole: the ERP gets it.
inline constexpr std::string_view kTradeFields =
    "tid,status,type,payment,total_fee,post_fee,received_payment,created,modified,pay_time,consign_time,"
    "end_time,step_trade_status,step_paid_fee,seller_nick,buyer_open_uid,orders";
// The least that fills a WindowRow (trades.sold.increment.get, api 128).
inline constexpr std::string_view kWindowFields =
    "tid,status,payment,total_fee,post_fee,pay_time,modified,seller_nick,orders.oid,orders.refund_status,"
    "orders.payment";

// Reads a trade node; an order's read and the window's rows go through it alike, so that their amounts
// compare. Amounts that are missing stay empty, save post_fee, which is then 0.00. `raw` and `digest` are the
// caller's. The other alternative says what is wrong with it.
std::variant<OrderTruth, std::string> ReadTrade(json::Node trade);

// Over the fields of kTradeFields and the known ones of each line: independent of the order of members and
// lines, of numbers written as text, of the writing of amounts, and of a missing, null or empty value.
std::string TradeDigest(json::Node trade);

}  // namespace tmc::top
