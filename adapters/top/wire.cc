#include "adapters/top/wire.h"

#include "adapters/top/answer.h"
#include "adapters/top/china_time.h"
#include "adapters/top/entry.h"
#include "adapters/top/salvage.h"
#include "adapters/top/trade.h"

namespace tmc::top {
namespace {

// A complete answer whose bytes are no JSON text: worth a scan of its entries.
Error MaybeUnreadable(Error error, const HttpResponse& response) {
  if (error.from_platform || Unfit(response, kConsume) || !EntryBytes(response.body)) return error;
  error.code = "bad_encoding";
  error.unreadable = true;
  return error;
}

std::vector<std::string_view> EntrySlices(std::string_view body, const Answer& answer) {
  std::vector<std::string_view> path = answer.path;
  path.push_back("messages");
  if (answer.result["messages"]["tmc_message"].Exists()) path.push_back("tmc_message");
  return json::SliceElements(body, path);
}

// A row without lines does not tell what was paid back; an order has at least one.
WindowRow RowOf(OrderTruth truth, bool has_lines) {
  if (!has_lines) truth.refund_status = truth.refund_amount = "";
  return {.order_id = std::move(truth.order_id),
          .shop_nick = std::move(truth.shop_nick),
          .status = std::move(truth.status),
          .refund_status = std::move(truth.refund_status),
          .modified = truth.modified,
          .paid_amount = std::move(truth.paid_amount),
          .total_amount = std::move(truth.total_amount),
          .post_fee = std::move(truth.post_fee),
          .refund_amount = std::move(truth.refund_amount)};
}

std::vector<std::string_view> Keys(std::vector<std::string_view> path, std::string_view last) {
  path.push_back(last);
  return path;
}

}  // namespace

Result<ConsumeAnswer> ReadConsume(const HttpResponse& response) {
  const auto answer = Open(response, kConsume);
  if (!answer) return MaybeUnreadable(answer.error(), response);
  const auto entries = EntriesIn(answer->result);
  if (!entries) return BadAnswer(kConsume, "the messages are of no known shape");
  ConsumeAnswer taken;
  std::vector<std::string_view> slices;
  for (size_t i = 0; i < entries->size(); ++i) {
    auto entry = ReadEntry((*entries)[i]);
    if (auto* envelope = std::get_if<Envelope>(&entry)) {
      taken.messages.push_back(std::move(*envelope));
      continue;
    }
    auto& bad = taken.bad.emplace_back(std::move(std::get<BadEntry>(entry)));
    if (slices.empty()) slices = EntrySlices(response.body, *answer);
    bad.raw = i < slices.size() ? slices[i] : std::string_view(response.body);
  }
  return taken;
}

Result<Done> ReadSuccess(const HttpResponse& response, const Call& call) {
  const auto answer = Open(response, call);
  if (!answer) return answer.error();
  const auto success = answer->result["is_success"].Bool();
  if (!success) return BadAnswer(call, "the answer does not say is_success");
  if (*success) return Done{};
  return Error{.fault = Fault::kMessage,
               .code = "not_success",
               .text = std::string(call.method) + ": is_success is false",
               .from_platform = true};
}

Result<OrderTruth> ReadOrder(std::string_view order_id, const HttpResponse& response) {
  const auto answer = Open(response, kOrder);
  if (!answer) return answer.error();
  const json::Node trade = answer->result["trade"];
  auto read = ReadTrade(trade);
  if (const auto* flaw = std::get_if<std::string>(&read)) return BadAnswer(kOrder, *flaw);
  auto& truth = std::get<OrderTruth>(read);
  if (truth.order_id != order_id)
    return BadAnswer(kOrder, "asked for " + std::string(order_id) + ", got " + truth.order_id);
  if (truth.total_amount.empty()) return BadAnswer(kOrder, "the trade has no total_fee");
  if (truth.paid_amount.empty()) return BadAnswer(kOrder, "the trade is paid, but has no payment");
  if (truth.refund_amount.empty()) return BadAnswer(kOrder, "a line was paid back, but has no payment");
  const auto raw = json::Slice(response.body, Keys(answer->path, "trade"));
  if (!raw) return BadAnswer(kOrder, "the trade's bytes can't be found");
  truth.digest = TradeDigest(trade);
  truth.raw = *raw;
  return std::move(truth);
}

Result<WindowPage> ReadWindow(const WindowWish& wish, const HttpResponse& response) {
  const auto answer = Open(response, kWindow);
  if (!answer) return answer.error();
  const auto trades = Items(answer->result["trades"], "trade", "tid");
  if (!trades) return BadAnswer(kWindow, "the trades are of no known shape");
  WindowPage page;
  for (json::Node trade : *trades) {
    auto read = ReadTrade(trade);
    if (const auto* flaw = std::get_if<std::string>(&read)) return BadAnswer(kWindow, *flaw);
    const bool has_lines = !Items(trade["orders"], "order", "oid")->empty();
    page.rows.push_back(RowOf(std::move(std::get<OrderTruth>(read)), has_lines));
  }
  page.total = answer->result["total_results"].Int();
  if (wish.want_total && page.total.value_or(-1) < 0)
    return BadAnswer(kWindow, "the answer has no total_results");
  return page;
}

Result<Time> ReadServerTime(const HttpResponse& response) {
  const auto answer = Open(response, kServerTime);
  if (!answer) return answer.error();
  const auto time = ReadChinaTime(answer->result["time"].Text().value_or(""));
  if (!time) return BadAnswer(kServerTime, "the answer's time is no time");
  return *time;
}

Result<ShopInfo> ReadShop(const HttpResponse& response) {
  const auto answer = Open(response, kShop);
  if (!answer) return answer.error();
  const json::Node user = answer->result["tmc_user"];
  if (!user.IsObject() || user.Size() == 0)
    return Error{.fault = Fault::kUnknown,
                 .code = "no_such_user",
                 .text = "taobao.tmc.user.get: the message service knows no such seller",
                 .from_platform = true};
  const auto topics = Items(user["topics"], "string", "");
  const std::string_view user_id = user["user_id"].Text().value_or("");
  if (!topics || !UsableId(user_id)) return BadAnswer(kShop, "the user has no usable user_id or topics");
  ShopInfo shop{.user_id = std::string(user_id),
                .nick = std::string(user["user_nick"].Text().value_or("")),
                .topics = {}};
  for (json::Node topic : *topics)
    if (topic.Text()) shop.topics.emplace_back(*topic.Text());
  return shop;
}

}  // namespace tmc::top
