#include <algorithm>

#include "tests/simulator/apis.h"

namespace tmc::sim {
namespace {

using std::chrono::days;

// What a `fields` parameter asks for.
struct Asked {
  std::vector<std::string_view> trade, line;
  bool whole_lines = false;
  bool lines() const { return whole_lines || !line.empty(); }
};

Asked ReadFields(std::string_view fields) {
  Asked asked;
  for (std::string_view field : Split(fields, ',')) {
    if (field == "orders")
      asked.whole_lines = true;
    else if (field.starts_with("orders."))
      asked.line.push_back(field.substr(7));
    else
      asked.trade.push_back(field);
  }
  return asked;
}

bool Wanted(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string LineText(const Fields& line, const Asked& asked, const Style& style, Chance& chance) {
  Members members;
  for (const auto& [name, raw] : line)
    if (asked.whole_lines || Wanted(asked.line, name)) members.emplace_back(name, raw);
  return WrapObject(std::move(members), style, chance);
}

std::string TradeText(const Truth& truth, const Asked& asked, const Style& style, Chance& chance) {
  Members members;
  for (const auto& [name, raw] : truth.fields)
    if (Wanted(asked.trade, name)) members.emplace_back(name, raw);
  std::vector<std::string> lines;
  for (const Fields& line : truth.lines)
    if (asked.lines()) lines.push_back(LineText(line, asked, style, chance));
  if (!lines.empty()) members.emplace_back("orders", WrapList({lines.begin(), lines.end()}, "order", style));
  return WrapObject(std::move(members), style, chance);
}

const Truth* SeenTruth(World& world, const Call& call, Order* order) {
  if (order == nullptr || order->shop != *call.shop) return nullptr;
  if (world.chance.Hit(world.switches.stale)) ++order->stale_reads;
  return Trades::Read(*order, call.now, world.switches.read_lag);
}

struct WindowCall {
  Time from, to;
  int64_t page = 1, size = 40;
  bool has_next = false;
};

std::variant<WindowCall, ApiError> ReadWindowCall(const Call& call) {
  for (const char* needed : {"fields", "start_modified", "end_modified"})
    if (Find(call.params, needed).empty()) return MissingArgument(needed);
  const auto from = ParsePlatformTime(Find(call.params, "start_modified"));
  const auto to = ParsePlatformTime(Find(call.params, "end_modified"));
  if (!from) return InvalidArgument("start_modified");
  if (!to || *to <= *from || *to - *from > days(1)) return InvalidArgument("end_modified");
  const auto page = NumberOf(call, "page_no", 1), size = NumberOf(call, "page_size", 40);
  if (!page || *page < 1) return InvalidArgument("page_no");
  if (!size || *size < 1 || *size > 100) return InvalidArgument("page_size");
  return WindowCall{*from, *to, *page, *size, Find(call.params, "use_has_next") == "true"};
}

void ShuffleTies(std::vector<Trades::Row>& rows, Chance& chance) {
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end =
        std::find_if(begin, rows.end(), [&](const auto& r) { return r.modified != begin->modified; });
    chance.Shuffle(begin, end);
    begin = end;
  }
}

std::vector<Trades::Row> MatchingRows(World& world, const Call& call, const WindowCall& window) {
  const Switches& switches = world.switches;
  const Time last = switches.window_end_open ? window.to - 1s : window.to;
  auto rows = world.trades.Window(*call.shop, window.from, last, call.now - switches.list_lag);
  const std::string_view status = Find(call.params, "status");
  std::erase_if(rows, [&](const Trades::Row& row) {
    return row.truth->created < call.now - days(90) ||
           (!status.empty() && FieldText(row.truth->fields, "status") != status);
  });
  if (switches.shuffle_ties) ShuffleTies(rows, world.chance);
  return rows;
}

// Orders that change while somebody pages: they move to the head of the list.
void MoveRows(World& world, const std::vector<Trades::Row>& rows, Time now) {
  for (size_t i = 0; i < world.switches.move_rows && !rows.empty(); ++i) {
    Order& order = *rows[world.chance.Below(rows.size())].order;
    Truth truth = order.truths.back();
    truth.from = now;
    truth.modified = std::chrono::floor<std::chrono::seconds>(now);
    SetField(truth.fields, "modified", Quote(PlatformTime(now)));
    world.trades.Change(order, std::move(truth));
  }
}

std::vector<std::string> PageTexts(World& world, const Call& call, const std::vector<Trades::Row>& rows,
                                   size_t begin, size_t end) {
  std::vector<std::string> texts;
  const Asked asked = ReadFields(Find(call.params, "fields"));
  for (size_t i = begin; i < end; ++i)
    texts.push_back(TradeText(*rows[i].truth, asked, call.style, world.chance));
  return texts;
}

}  // namespace

Answer ReadTrade(World& world, Call& call) {
  const std::string_view fields = Find(call.params, "fields"), tid = Find(call.params, "tid");
  if (fields.empty()) return MissingArgument("fields");
  if (tid.empty()) return MissingArgument("tid");
  if (!WholeNumber(tid)) return InvalidArgument("tid");
  const Truth* truth = SeenTruth(world, call, world.trades.FindOrder(tid));
  Record::ReadRow row{call.now, std::string(tid), world.shops.at(*call.shop).nick, "no_such_trade", "",
                      "",       call.delay};
  if (truth != nullptr) {
    row.outcome = "ok";
    row.status = FieldText(truth->fields, "status");
    row.modified = FieldText(truth->fields, "modified");
  }
  world.record.reads.push_back(std::move(row));
  if (truth == nullptr) return ApiError{15, "Remote service error", "isv.trade-not-exist", "交易不存在"};
  return Members{{"trade", TradeText(*truth, ReadFields(fields), call.style, world.chance)}};
}

Answer ListTrades(World& world, Call& call) {
  const auto read = ReadWindowCall(call);
  if (const auto* error = std::get_if<ApiError>(&read)) {
    world.record.Wrong(call.now, call.api, "bad_window", error->sub_code);
    return *error;
  }
  const auto& window = std::get<WindowCall>(read);
  const auto rows = MatchingRows(world, call, window);
  const size_t begin = std::min(static_cast<size_t>((window.page - 1) * window.size), rows.size());
  const size_t end = std::min(begin + static_cast<size_t>(window.size), rows.size());
  Members members;
  if (window.has_next)
    members.emplace_back("has_next", end < rows.size() ? "true" : "false");
  else
    members.emplace_back("total_results", std::to_string(rows.size()));
  const auto texts = PageTexts(world, call, rows, begin, end);
  if (!texts.empty())
    members.emplace_back("trades", WrapList({texts.begin(), texts.end()}, "trade", call.style));
  world.record.windows.push_back({call.now, world.shops.at(*call.shop).nick, PlatformTime(window.from),
                                  PlatformTime(window.to), window.page, window.size, window.has_next,
                                  rows.size(), end - begin, "ok"});
  MoveRows(world, rows, call.now);
  return members;
}

}  // namespace tmc::sim
