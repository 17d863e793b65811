#include "tests/simulation/lives.h"

#include <algorithm>
#include <array>

#include "tests/simulator/messages.h"
#include "tests/simulator/orders.h"

namespace tmc::simulation {
namespace {

// One change of an order, and the topic whose messages tell of it.
struct Turn {
  const char* status = nullptr;  // null: as it was
  const char* topic = "TradeChanged";
  sim::Fields fields{};
  std::vector<sim::Fields> lines{};
};

std::string Text(std::string_view text) {
  return sim::Quote(text);
}

Turn Priced(Stage& stage) {
  const std::string price = Text(fmt::format("{}.{:02}", stage.Between(1, 999), stage.Between(0, 99)));
  return {nullptr, "TradeModifyFee", {{"payment", price}, {"total_fee", price}}, {{{"payment", price}}}};
}

Turn Noted(Stage& stage) {
  return {nullptr,
          "TradeMemoModified",
          {{"seller_memo", Text(fmt::format("note {}", stage.Between(1, 99999)))}},
          {}};
}

constexpr std::array kRefunds{"WAIT_SELLER_AGREE", "SELLER_REFUSE_BUYER", "CLOSED"};

Turn Complained(Stage& stage) {
  return {nullptr,
          "TradeChanged",
          {},
          {{{"refund_status", Text(kRefunds[stage.chance.Below(kRefunds.size())])}}}};
}

std::vector<Turn> Paid(Stage& stage) {
  std::vector<Turn> turns{{"WAIT_BUYER_PAY", "TradeCreate"}};
  while (stage.chance.Hit(0.3)) turns.push_back(Priced(stage));
  turns.push_back({"WAIT_SELLER_SEND_GOODS", "TradeBuyerPay"});
  while (stage.chance.Hit(0.3)) turns.push_back(stage.chance.Hit(0.5) ? Noted(stage) : Complained(stage));
  return turns;
}

std::vector<Turn> Finished(Stage& stage) {
  auto turns = Paid(stage);
  if (stage.chance.Hit(0.2)) turns.push_back({"SELLER_CONSIGNED_PART", "TradePartlySellerShip"});
  turns.push_back({"WAIT_BUYER_CONFIRM_GOODS", "TradeSellerShip"});
  if (stage.chance.Hit(0.2)) turns.push_back(Complained(stage));
  turns.push_back({"TRADE_FINISHED", "TradeSuccess"});
  if (stage.chance.Hit(0.3)) turns.push_back({nullptr, "TradeRated", {{"seller_rate", "true"}}, {}});
  if (stage.Has(Kind::kLeavesFinal) && stage.chance.Hit(0.3)) turns.push_back({"TRADE_CLOSED", "TradeClose"});
  return turns;
}

std::vector<Turn> LifeOf(Stage& stage) {
  switch (stage.chance.Below(5)) {
    case 0:
      return {{"WAIT_BUYER_PAY", "TradeCreate"}, {"TRADE_CLOSED_BY_TAOBAO", "TradeClose"}};
    case 1: {
      auto turns = Paid(stage);
      turns.push_back({"TRADE_CLOSED", "TradeClose", {}, {{{"refund_status", Text("SUCCESS")}}}});
      return turns;
    }
    case 2:
      return Paid(stage);
    default:
      return Finished(stage);
  }
}

constexpr std::array kFlaws{"gbk_nick", "half_emoji", "half_surrogate", "control_char",
                            "no_id",    "no_topic",   "no_content",     "null_content"};

void Spoil(Stage& stage, sim::Draft& draft) {
  if (stage.chance.Hit(0.3)) {
    draft.content = stage.chance.Hit(0.5) ? "{\"tid\":" : "{\"oid\":1}";
  } else {
    draft.flaw = kFlaws[stage.chance.Below(kFlaws.size())];
  }
}

void Tell(Stage& stage, const sim::Order& order, const std::string& topic) {
  sim::World& world = stage.platform();
  sim::Draft draft;
  draft.topic = "taobao_trade_" + topic;
  draft.content = sim::TradeContent(world, order, *sim::Trades::At(order, world.Now()), draft.topic);
  draft.shop = order.shop;
  draft.published = world.Now();
  draft.visible = world.Now() + stage.Duration(1ms, 20s);
  if (stage.Has(Kind::kDuplicate) && stage.chance.Hit(0.1)) {
    draft.extra = static_cast<int>(stage.Between(1, 3));
    draft.gap = stage.Duration(1ms, 10min);
  }
  const bool bad = stage.Has(Kind::kBadContent) && stage.chance.Hit(0.05);
  if (bad) Spoil(stage, draft);
  const bool nameless = draft.flaw == "no_id";
  const std::string id = sim::Publish(world, std::move(draft));
  stage.history.Add("** message {} {} of order {}{}", nameless ? "without an id" : id, topic, order.tid,
                    bad ? ", broken" : "");
  if (!bad) return;
  stage.Fired(Kind::kBadContent);
  stage.nameless += nameless;
  for (const char* reason :
       {"bad_encoding", "bad_json", "missing_order_id", "bad_entry", "missing_content", "missing_topic"})
    stage.doomed_messages[id].insert(reason);
}

void Take(Stage& stage, const std::string& tid, size_t shop, const Turn& turn, Time from) {
  sim::World& world = stage.platform();
  sim::Order* order = world.trades.FindOrder(tid);
  if (order == nullptr) order = &world.trades.AddOrder(tid, shop);
  const auto* before = sim::Trades::At(*order, from);
  const std::string held = before ? sim::FieldText(before->fields, "status") : "";
  sim::Change change{.from = from, .fields = turn.fields, .lines = turn.lines};
  if (turn.status != nullptr) change.fields.emplace_back("status", Text(turn.status));
  const Time modified = before ? before->modified : Time{};
  sim::ApplyChange(world, *order, std::move(change));
  if (std::chrono::floor<std::chrono::seconds>(from) == modified) stage.Fired(Kind::kSameSecond);
  if (held == "TRADE_FINISHED" && turn.status != nullptr) {
    stage.Fired(Kind::kLeavesFinal);
    stage.doomed_orders[tid].insert("illegal_transition");
  }
  stage.history.Add("** order {} is {} {}", tid, turn.status ? turn.status : "changed",
                    sim::PlatformTime(from));
  if (*turn.topic == 0) return;
  if (stage.Has(Kind::kNeverSent) && stage.chance.Hit(0.2)) return stage.Fired(Kind::kNeverSent);
  for (int64_t count = stage.chance.Hit(0.15) ? 2 : 1; count > 0; --count) Tell(stage, *order, turn.topic);
}

// More orders than a page of the list holds, which change in one half hour and of which hardly a message
// tells.
void PlanCrowd(Stage& stage) {
  const size_t shop = stage.chance.Below(stage.platform().shops.all().size());
  const milliseconds at(stage.Between(0, stage.trouble.count() / 2));
  sim::Switches& switches = stage.platform().switches;
  stage.agenda.At(stage.agenda.begin() + at,
                  [&stage, &switches] { switches.move_rows = static_cast<size_t>(stage.Between(1, 3)); });
  stage.agenda.At(stage.agenda.begin() + std::min(at + 1h, stage.trouble - 1ms),
                  [&switches] { switches.move_rows = 0; });
  for (int64_t i = stage.Between(105, 130); i > 0; --i) {
    const milliseconds when = at + milliseconds(stage.Between(0, 600'000));
    const std::string tid = std::to_string(3812000000000300000 + i);
    stage.agenda.At(stage.agenda.begin() + when, [&stage, tid, shop, when] {
      Take(stage, tid, shop, {"WAIT_BUYER_PAY", ""}, Agenda::kBegin + when);
    });
  }
}

void PlanLife(Stage& stage, const std::string& tid, size_t shop) {
  // What is older than the first window can only be told by messages, so it is none of these.
  milliseconds at(stage.Between(-3'600'000, stage.trouble.count() * 8 / 10));
  for (const Turn& turn : LifeOf(stage)) {
    const Time from = Agenda::kBegin + at;
    stage.agenda.At(stage.agenda.begin() + std::max(at, 0ms),
                    [&stage, tid, shop, turn, from] { Take(stage, tid, shop, turn, from); });
    const bool at_once = stage.Has(Kind::kSameSecond) && stage.chance.Hit(0.15);
    at += at_once ? milliseconds(stage.Between(0, 900)) : stage.Duration(2s, 2h);
    if (at >= stage.trouble) return;
  }
}

}  // namespace

void PlanShops(Stage& stage) {
  const int64_t shops = stage.Between(1, 4);
  for (int64_t i = 0; i < shops; ++i)
    stage.platform().shops.Add({.user_id = std::to_string(900001 + i),
                                .nick = "seller_" + std::string(1, static_cast<char>('a' + i)),
                                .session = fmt::format("sess-{}-0", i),
                                .dead = false,
                                .group = "",
                                .topics = {}});
}

void PlanLives(Stage& stage) {
  if (stage.Has(Kind::kMovedRows) && stage.chance.Hit(0.08)) PlanCrowd(stage);
  const int64_t orders = stage.Between(5, 25);
  for (int64_t i = 0; i < orders; ++i)
    PlanLife(stage, std::to_string(3812000000000210000 + stage.Between(0, 9) * 100 + i),
             stage.chance.Below(stage.platform().shops.all().size()));
}

}  // namespace tmc::simulation
