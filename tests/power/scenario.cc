#include "tests/power/scenario.h"

#include <fmt/format.h>

#include <stdexcept>

#include "tests/simulator/control.h"

namespace tmc {
namespace {

constexpr char kCreated[] = "WAIT_BUYER_PAY", kPaid[] = "WAIT_SELLER_SEND_GOODS",
               kShipped[] = "WAIT_BUYER_CONFIRM_GOODS", kFinished[] = "TRADE_FINISHED";

std::string Tid(int number) {
  return fmt::format("38120000000000{:02}", number);
}

}  // namespace

Scenario::Scenario() {
  Post("/shops", R"({"user_id":"900001","nick":"seller_a","session":"sess-A"})");
  Post("/switches", R"({"visibility":"20s"})");
  for (int order = 1; order <= 8; ++order) Order(order, order <= 4 ? kCreated : kPaid);
  for (int order = 1; order <= 4; ++order) Message(order, "Create");
  for (int order = 5; order <= 7; ++order) Message(order, "BuyerPay", R"("duplicates":1)");
  Post("/messages", R"([{"topic":"taobao_trade_TradeCreate","content":"{\"tid\":"},
                        {"topic":"taobao_trade_TradeCreate","content":{"buyer_nick":"b"}}])");
  Message(8, "BuyerPay");
}

void Scenario::Next() {
  if (chapter_ == Chapter::kFirst) {
    for (int order = 1; order <= 4; ++order) Order(order, kPaid);
    for (int order = 5; order <= 6; ++order) Order(order, kShipped);
    Order(7, kFinished);
    for (int order = 1; order <= 4; ++order) Message(order, "BuyerPay", R"("duplicates":1)");
    for (int order = 5; order <= 6; ++order) Message(order, "SellerShip");
    Message(7, "SellerShip");
    Message(7, "Success");
    Message(1, "Changed");
    Message(2, "Changed");
    chapter_ = Chapter::kSecond;
  } else if (chapter_ == Chapter::kSecond) {
    Order(8, kShipped);
    clock.Advance(15s);  // reconciliation leaves the last ten seconds out
    chapter_ = Chapter::kUntold;
  } else {
    chapter_ = Chapter::kOver;
  }
}

bool Scenario::AllConfirmed() const {
  const sim::Backlog backlog = heart.world().queue.Count();
  return backlog.confirmed == backlog.total;
}

std::set<std::string> Scenario::Confirmed() const {
  std::set<std::string> ids;
  for (const sim::Message& message : heart.world().queue.messages())
    if (message.confirmed) ids.insert(message.id);
  return ids;
}

void Scenario::Post(const std::string& path, const std::string& body) {
  sim::SimRequest request;
  request.path = path;
  request.body = body;
  const sim::SimResponse response = sim::Control(heart).Handle(request);
  if (response.status != 200) throw std::logic_error(path + " " + body + ": " + response.body);
}

void Scenario::Order(int number, const std::string& status) {
  Post("/orders", fmt::format(R"({{"tid":"{}","status":"{}"}})", Tid(number), status));
}

void Scenario::Message(int number, const std::string& topic, const std::string& more) {
  Post("/messages", fmt::format(R"({{"topic":"taobao_trade_Trade{}","tid":"{}"{}{}}})", topic, Tid(number),
                                more.empty() ? "" : ",", more));
}

}  // namespace tmc
