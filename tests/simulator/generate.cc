#include "tests/simulator/generate.h"

#include <array>

#include "tests/simulator/messages.h"
#include "tests/simulator/orders.h"

namespace tmc::sim {
namespace {

constexpr int64_t kFirstTid = 3812000000001000001;

struct Step {
  const char* topic;
  const char* status;  // that the order has reached by then
};
constexpr std::array kSteps{
    Step{"taobao_trade_TradeCreate", "WAIT_BUYER_PAY"},
    Step{"taobao_trade_TradeBuyerPay", "WAIT_SELLER_SEND_GOODS"},
    Step{"taobao_trade_TradeSellerShip", "WAIT_BUYER_CONFIRM_GOODS"},
    Step{"taobao_trade_TradeSuccess", "TRADE_FINISHED"},
};

struct Plan {
  int64_t orders = 100, messages = 250, lines = 1;
  uint64_t seed = 1;
  milliseconds spread = 30min;
};

// How many messages, and so how many steps, the order at `index` has.
size_t StepsOf(const Plan& plan, int64_t index) {
  if (plan.orders == 0) return 0;
  return static_cast<size_t>(plan.messages / plan.orders + (index < plan.messages % plan.orders ? 1 : 0));
}

Order& MakeOrder(World& world, const Plan& plan, Chance& chance, int64_t index) {
  const size_t shop = static_cast<size_t>(index) % world.shops.all().size();
  const int64_t first = kFirstTid + static_cast<int64_t>(world.trades.orders().size());
  Order& order = world.trades.AddOrder(std::to_string(first), shop);
  const size_t reached = std::min(std::max<size_t>(StepsOf(plan, index), 1), kSteps.size()) - 1;
  Change change;
  change.from = world.Now() - milliseconds(chance.Below(static_cast<uint64_t>(plan.spread.count()) + 1)) - 1s;
  const std::string cents = std::to_string(100 + chance.Below(900));
  change.fields = {
      {"status", Quote(kSteps[reached].status)},
      {"payment", "\"" + cents.substr(0, 1) + cents.substr(1, 2) + "." + cents.substr(1, 2) + "\""}};
  change.lines.resize(static_cast<size_t>(plan.lines));
  ApplyChange(world, order, std::move(change));
  return order;
}

Draft MakeDraft(const World& world, const Order& order, size_t step) {
  const Truth& truth = order.truths.back();
  Draft draft;
  draft.topic = kSteps[std::min(step, kSteps.size() - 1)].topic;
  if (step >= kSteps.size()) draft.topic = "taobao_trade_TradeChanged";
  draft.shop = order.shop;
  draft.content = TradeContent(world, order, truth, draft.topic);
  draft.published = truth.modified;
  draft.visible = world.Now();
  return draft;
}

void Make(World& world, const Plan& plan) {
  Chance chance(plan.seed);
  std::vector<std::pair<Order*, size_t>> steps;
  for (int64_t i = 0; i < plan.orders; ++i) {
    Order& order = MakeOrder(world, plan, chance, i);
    for (size_t step = 0; step < StepsOf(plan, i); ++step) steps.emplace_back(&order, step);
  }
  chance.Shuffle(steps.begin(), steps.end());
  for (const auto& [order, step] : steps) Publish(world, MakeDraft(world, *order, step));
}

}  // namespace

Complaint Generate(World& world, std::string_view text) {
  Reader in(text, {"orders", "messages", "lines", "seed", "spread"});
  Plan plan;
  in.Whole("orders", plan.orders);
  in.Whole("messages", plan.messages);
  in.Whole("lines", plan.lines);
  in.Whole("seed", plan.seed);
  in.Duration("spread", plan.spread);
  if (plan.orders < 0 || plan.messages < 0 || plan.lines < 1 || plan.lines > 50)
    in.Complain("orders", "a sensible number");
  if (!in.complaint && world.shops.all().empty()) in.complaint = "generate needs a shop";
  if (!in.complaint) Make(world, plan);
  return in.complaint;
}

}  // namespace tmc::sim
