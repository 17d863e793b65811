#include <algorithm>
#include <array>

#include "tests/simulator/input.h"
#include "tests/simulator/messages.h"
#include "tests/simulator/orders.h"

namespace tmc::sim {
namespace {

constexpr std::array kTimes{"created", "modified", "pay_time", "consign_time", "end_time"};
// Members of an order or a truth that are not fields of the trade.
constexpr std::array kOwn{"tid",           "shop", "truths",      "lines",        "at",
                          "keep_modified", "lag",  "stale_reads", "hidden_reads", "listed"};

bool Own(std::string_view key) {
  return std::find(kOwn.begin(), kOwn.end(), key) != kOwn.end();
}

// "-90s" in a time field is meant from now.
std::string FieldValue(std::string_view key, json::Node node, std::string_view raw, Time now) {
  if (std::find(kTimes.begin(), kTimes.end(), key) == kTimes.end() || !node.Text()) return std::string(raw);
  const auto moment = ParseMoment(*node.Text(), now);
  return moment ? Quote(PlatformTime(*moment)) : std::string(raw);
}

Fields ReadFields(json::Node node, std::string_view text, Time now) {
  Fields fields;
  for (size_t i = 0; i < node.Size(); ++i) {
    const std::string_view key = node.KeyAt(i);
    if (Own(key)) continue;
    fields.emplace_back(key,
                        FieldValue(key, node.MemberAt(i), json::Slice(text, {key}).value_or("null"), now));
  }
  return fields;
}

Complaint ReadChange(std::string_view text, Time now, Change& change) {
  json::Document document;
  if (const auto error = document.Parse(text)) return error->text;
  const json::Node root = document.root();
  change.from = now;
  if (const auto at = root["at"].Text()) {
    const auto moment = ParseMoment(*at, now);
    if (!moment) return "\"at\" must be a time like \"-90s\" or \"2026-01-15 08:30:00\"";
    change.from = *moment;
  }
  change.keep_modified = root["keep_modified"].Bool().value_or(false);
  change.fields = ReadFields(root, text, now);
  const json::Node lines = root["lines"];
  const auto raw = json::SliceElements(text, {"lines"});
  for (size_t i = 0; i < lines.Size() && i < raw.size(); ++i)
    change.lines.push_back(ReadFields(lines.At(i), raw[i], now));
  return std::nullopt;
}

std::optional<size_t> ShopOf(const World& world, json::Node name) {
  if (const auto text = name.Text()) return world.shops.FindShop(*text);
  if (!name.Exists() && !world.shops.all().empty()) return 0;
  return std::nullopt;
}

// What an order does to its readers.
Complaint ReadManners(json::Node root, Order& order) {
  if (const auto lag = root["lag"].Text()) {
    order.lag = ParseDuration(*lag);
    if (!order.lag) return "\"lag\" must be a duration like 30s";
  }
  order.stale_reads = static_cast<int>(root["stale_reads"].Int().value_or(order.stale_reads));
  order.hidden_reads = static_cast<int>(root["hidden_reads"].Int().value_or(order.hidden_reads));
  order.listed = root["listed"].Bool().value_or(order.listed);
  return std::nullopt;
}

Complaint ReadChanges(std::string_view text, json::Node root, Time now, std::vector<Change>& changes) {
  const bool several = root["truths"].IsArray();
  for (std::string_view truth : several ? json::SliceElements(text, {"truths"}) : std::vector{text}) {
    const Complaint complaint = ReadChange(truth, now, changes.emplace_back());
    if (complaint) return complaint;
  }
  return std::nullopt;
}

// Only the order's manners change: no new truth.
bool NoChange(const Change& change) {
  return change.fields.empty() && change.lines.empty();
}

Complaint OrderContent(World& world, Reader& in, Draft& draft) {
  std::string tid;
  in.Text("tid", tid);
  if (tid.empty()) return std::nullopt;
  const Order* order = world.trades.FindOrder(tid);
  if (order != nullptr && !draft.shop) draft.shop = order->shop;
  if (in.Has("content")) return std::nullopt;
  if (order == nullptr || order->truths.empty()) {
    draft.content = "{\"tid\":" + tid + ",\"oid\":" + tid + "}";
    return std::nullopt;
  }
  const Truth* truth = Trades::At(*order, draft.published.value_or(draft.visible));
  draft.content = TradeContent(world, *order, truth != nullptr ? *truth : order->truths.front(), draft.topic);
  return std::nullopt;
}

void ReadContent(Reader& in, Draft& draft) {
  if (!in.Has("content")) return;
  draft.content = in["content"].IsObject() || in["content"].IsArray()
                      ? std::string(in.Raw("content"))
                      : std::string(in["content"].Text().value_or(""));
}

void ReadRaw(Reader& in, Draft& draft) {
  in.Text("raw_entry", draft.raw_entry);
  std::string hex;
  in.Text("raw_entry_hex", hex);
  const auto bytes = FromHex(hex);
  if (!bytes)
    in.Complain("raw_entry_hex", "pairs of hex digits");
  else if (!bytes->empty())
    draft.raw_entry = *bytes;
}

}  // namespace

Complaint AddOrder(World& world, std::string_view text) {
  json::Document document;
  if (const auto error = document.Parse(text)) return error->text;
  const json::Node root = document.root();
  const auto tid = root["tid"].Text();
  if (!tid || tid->empty()) return "an order needs a \"tid\"";
  const auto shop = ShopOf(world, root["shop"]);
  if (!shop) return "an order needs a known \"shop\" (user id or nick)";
  std::vector<Change> changes;
  if (const Complaint complaint = ReadChanges(text, root, world.Now(), changes)) return complaint;
  Order* order = world.trades.FindOrder(*tid);
  const bool fresh = order == nullptr;
  if (fresh) order = &world.trades.AddOrder(std::string(*tid), *shop);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.from < b.from; });
  for (Change& change : changes)
    if (fresh || !NoChange(change)) ApplyChange(world, *order, std::move(change));
  return ReadManners(root, *order);
}

Complaint AddMessage(World& world, std::string_view text, std::string* id) {
  Reader in(text, {"id", "topic", "content", "tid", "shop", "group", "at", "pub_time", "duplicates",
                   "duplicate_gap", "flaw", "escapes", "raw_entry", "raw_entry_hex"});
  if (in.complaint) return in.complaint;
  Draft draft;
  draft.topic = "taobao_trade_TradeChanged";
  draft.visible = world.Now();
  in.Text("id", draft.id);
  in.Text("topic", draft.topic);
  in.Text("group", draft.group);
  in.Moment("at", world.Now(), draft.visible);
  Time published = draft.visible;
  in.Moment("pub_time", world.Now(), published);
  draft.published = published;
  in.Whole("duplicates", draft.extra);
  in.Duration("duplicate_gap", draft.gap);
  in.Text("flaw", draft.flaw);
  in.Flag("escapes", draft.escapes);
  if (!draft.flaw.empty() && !KnownFlaw(draft.flaw)) in.Complain("flaw", "a known flaw");
  const bool nobody = in["shop"].Text() == "";
  if (in.Has("shop") && !nobody && !(draft.shop = ShopOf(world, in["shop"])))
    in.Complain("shop", "a known user id or nick, or \"\" for none");
  ReadContent(in, draft);
  ReadRaw(in, draft);
  if (const Complaint complaint = OrderContent(world, in, draft)) return complaint;
  if (in.complaint) return in.complaint;
  if (nobody)
    draft.shop.reset();
  else if (!draft.shop && !world.shops.all().empty())
    draft.shop = 0;
  const std::string published_id = Publish(world, std::move(draft));
  if (id != nullptr) *id = published_id;
  return std::nullopt;
}

}  // namespace tmc::sim
