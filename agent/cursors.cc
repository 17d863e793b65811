#include "agent/cursors.h"

#include "schema/cursors.sql.h"

namespace tmc {

namespace q = sql::cursors;

std::optional<Time> Cursors::Get(std::string_view shop, std::string_view kind) {
  auto query = store_.Use(q::kGet);
  query.Bind(":platform", platform_).Bind(":shop", shop).Bind(":kind", kind);
  return query.Step() ? query.MaybeTime(0) : std::nullopt;
}

void Cursors::Move(std::string_view shop, std::string_view kind, Time position, Time now) {
  auto query = store_.Use(q::kMove);
  query.Bind(":platform", platform_).Bind(":shop", shop).Bind(":kind", kind);
  query.Bind(":position", position).Bind(":now", now).Run();
}

void Cursors::NameDefault(std::string_view shop) {
  store_.Use(q::kRename).Bind(":platform", platform_).Bind(":shop", shop).Run();
}

std::vector<CursorRow> Cursors::All() {
  std::vector<CursorRow> rows;
  auto query = store_.Use(q::kAll);
  query.Bind(":platform", platform_);
  while (query.Step()) rows.push_back({query.Text(0), query.Text(1), query.TimeAt(2), query.TimeAt(3)});
  return rows;
}

void Cursors::AddShortSlice(const ShortSlice& slice, Time now) {
  auto query = store_.Use(q::kShortSlice);
  query.Bind(":shop", slice.shop)
      .Bind(":kind", slice.kind)
      .Bind(":from_at", slice.from)
      .Bind(":to_at", slice.to);
  query.Bind(":seen", slice.seen).Bind(":expected", slice.expected).Bind(":now", now).Run();
}

std::optional<std::string> Cursors::Meta(std::string_view key) {
  auto query = store_.Use(q::kGetMeta);
  return query.Bind(":key", key).Step() ? std::optional(query.Text(0)) : std::nullopt;
}

void Cursors::PutMeta(std::string_view key, std::string_view value) {
  store_.Use(q::kPutMeta).Bind(":key", key).Bind(":value", value).Run();
}

void Cursors::Flush() {
  for (const auto& [name, more] : counted_)
    if (more != 0) store_.Use(q::kAddTally).Bind(":name", name).Bind(":value", more).Run();
  counted_.clear();
}

void Cursors::Put(std::string_view name, int64_t value) {
  store_.Use(q::kPutTally).Bind(":name", name).Bind(":value", value).Run();
}

int64_t Cursors::Tally(std::string_view name) {
  auto query = store_.Use(q::kGetTally);
  return query.Bind(":name", name).Step() ? query.Int(0) : 0;
}

std::map<std::string, int64_t> Cursors::Tallies() {
  std::map<std::string, int64_t> tallies;
  auto query = store_.Use(q::kTallies);
  while (query.Step()) tallies[query.Text(0)] = query.Int(1);
  return tallies;
}

void Cursors::PutShop(std::string_view user_id, std::string_view nick) {
  store_.Use(q::kPutShop).Bind(":user_id", user_id).Bind(":nick", nick).Run();
}

std::map<std::string, std::string> Cursors::Shops() {
  std::map<std::string, std::string> shops;
  auto query = store_.Use(q::kShops);
  while (query.Step()) shops[query.Text(0)] = query.Text(1);
  return shops;
}

void Cursors::SaveClosures(const std::vector<Closure>& closures) {
  store_.Use(q::kClearClosures).Run();
  for (const Closure& closure : closures) {
    auto query = store_.Use(q::kPutClosure);
    query.Bind(":scope", closure.scope).Bind(":ban", closure.ban).Bind(":until", closure.until);
    query.Bind(":since", closure.since).Bind(":detail", closure.detail).Run();
  }
}

std::vector<Closure> Cursors::Closures() {
  std::vector<Closure> closures;
  auto query = store_.Use(q::kClosures);
  while (query.Step()) {
    Closure closure;
    closure.scope = query.Text(0);
    closure.ban = query.Int(1) != 0;
    closure.until = query.TimeAt(2);
    closure.since = query.TimeAt(3);
    closure.detail = query.Text(4);
    closures.push_back(std::move(closure));
  }
  return closures;
}

int64_t Cursors::PutAsk(std::string_view kind, Time from, Time to, Time now) {
  store_.Use(q::kAsk).Bind(":kind", kind).Bind(":from_at", from).Bind(":to_at", to).Bind(":now", now).Run();
  return store_.LastInsertId();
}

std::optional<Ask> Cursors::NextAsk(Time since) {
  auto query = store_.Use(q::kAsked);
  if (!query.Bind(":since", since).Step()) return std::nullopt;
  return Ask{query.Int(0), query.Text(1), query.TimeAt(2), query.TimeAt(3)};
}

void Cursors::PutAnswer(int64_t id, const Answer& answer, Time now) {
  auto query = store_.Use(q::kAnswer);
  query.Bind(":exit_status", answer.exit_status).Bind(":result", answer.result);
  query.Bind(":id", id).Bind(":now", now).Run();
}

std::optional<Answer> Cursors::GetAnswer(int64_t id) {
  auto query = store_.Use(q::kAnswered);
  if (!query.Bind(":id", id).Step()) return std::nullopt;
  return Answer{static_cast<int>(query.Int(0)), query.Text(1)};
}

void Cursors::Purge(Time before) {
  store_.Use(q::kPurgeShortSlices).Bind(":before", before).Run();
  store_.Use(q::kPurgeRequests).Bind(":before", before).Run();
}

}  // namespace tmc
