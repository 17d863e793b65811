#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/http.h"
#include "agent/message.h"
#include "agent/order.h"
#include "agent/outcome.h"

namespace tmc {

// What changes from call to call. Views must outlive the call only.
struct CallContext {
  Time platform_now;            // stamped on the request
  std::string_view app_secret;  // signs it
  std::string_view session;     // the shop's, for calls that need one
};

// Orders modified in [from, to], one page. Pages count from 1, newest rows first.
struct WindowWish {
  Time from, to;  // whole seconds
  int page = 1;
  int page_size = 100;
  bool want_total = true;  // ask for the count (slow) instead of has_next
};

// A row of the window: enough to see whether we hold it.
struct WindowRow {
  std::string order_id;
  std::string shop_nick;
  std::string status, refund_status;  // refund_status empty: not told by the list
  Time modified{};
  std::string paid_amount, total_amount, post_fee, refund_amount;  // empty: not told by the list
};

struct WindowPage {
  std::vector<WindowRow> rows;
  std::optional<int64_t> total;
};

// A shop as the platform's message service knows it.
struct ShopInfo {
  std::string user_id, nick;
  std::vector<std::string> topics;
};

// A platform, without any I/O: it turns a wish into a request, and an answer into nouns or a sorted Error.
// Every Read… takes whatever bytes came, also a transport failure, and never throws on them.
class Platform {
 public:
  virtual ~Platform() = default;
  virtual std::string_view Name() const = 0;            // "top": the `platform` column
  virtual std::string_view MessageChannel() const = 0;  // "tmc": the `channel` column of its messages

  virtual HttpRequest Consume(int quantity, const CallContext&) const = 0;
  virtual Result<ConsumeAnswer> ReadConsume(const HttpResponse&) const = 0;
  // A complete consume answer that did not parse (Error::unreadable), entry by entry.
  virtual ConsumeAnswer SalvageConsume(std::string_view body) const = 0;

  // At most 200 ids. kMessage: the platform refused the ids (is_success false, 40, 41).
  virtual HttpRequest Confirm(std::span<const std::string> msg_ids, const CallContext&) const = 0;
  virtual Result<Done> ReadConfirm(const HttpResponse&) const = 0;

  virtual HttpRequest Order(std::string_view order_id, const CallContext&) const = 0;
  virtual Result<OrderTruth> ReadOrder(std::string_view order_id, const HttpResponse&) const = 0;

  virtual HttpRequest Window(const WindowWish&, const CallContext&) const = 0;
  virtual Result<WindowPage> ReadWindow(const WindowWish&, const HttpResponse&) const = 0;

  virtual HttpRequest ServerTime(const CallContext&) const = 0;
  virtual Result<Time> ReadServerTime(const HttpResponse&) const = 0;

  // Which user id and topics a seller's nick has.
  virtual HttpRequest Shop(std::string_view nick, const CallContext&) const = 0;
  virtual Result<ShopInfo> ReadShop(const HttpResponse&) const = 0;
  // Overwrites the shop's topics; none: all that the app subscribes.
  virtual HttpRequest Permit(std::span<const std::string> topics, const CallContext&) const = 0;
  virtual Result<Done> ReadPermit(const HttpResponse&) const = 0;

  // Parses a message's content: what does it ask for?
  virtual std::variant<Trigger, Rejected> ReadContent(std::string_view topic,
                                                      std::string_view body) const = 0;

  virtual int Rank(std::string_view status) const = 0;  // 0 for a status that the table lacks
  virtual bool Final(std::string_view status) const = 0;
};

}  // namespace tmc
