#include "tests/simulator/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tmc::sim {

Reader::Reader(std::string_view text, std::initializer_list<std::string_view> known) : text_(text) {
  if (const auto error = document_.Parse(text)) {
    complaint = error->text;
  } else if (!document_.root().IsObject()) {
    complaint = "expected an object {…}";
  }
  for (size_t i = 0; !complaint && i < document_.root().Size(); ++i) {
    const std::string_view key = document_.root().KeyAt(i);
    if (std::find(known.begin(), known.end(), key) == known.end())
      complaint = fmt::format("unknown member \"{}\"; known: {}", key, fmt::join(known, ", "));
  }
}

std::string_view Reader::Raw(std::string_view key) const {
  return json::Slice(text_, {key}).value_or(std::string_view());
}

void Reader::Text(std::string_view key, std::string& into) {
  if (!Has(key)) return;
  if (const auto text = (*this)[key].Text())
    into = *text;
  else
    Complain(key, "a text");
}

void Reader::Flag(std::string_view key, bool& into) {
  if (!Has(key)) return;
  if (const auto flag = (*this)[key].Bool())
    into = *flag;
  else
    Complain(key, "true or false");
}

void Reader::Duration(std::string_view key, milliseconds& into) {
  std::string text;
  Text(key, text);
  if (!Has(key)) return;
  if (const auto duration = ParseDuration(text))
    into = *duration;
  else
    Complain(key, "a duration like 300ms, 5s, 2m");
}

void Reader::Moment(std::string_view key, Time now, Time& into) {
  std::string text;
  Text(key, text);
  if (!Has(key)) return;
  if (const auto moment = ParseMoment(text, now))
    into = *moment;
  else
    Complain(key, "a time like \"2026-01-15 08:30:00\" or \"-90s\"");
}

void Reader::Fraction(std::string_view key, double& into) {
  std::string text;
  Text(key, text);
  if (!Has(key)) return;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error != std::errc() || end != text.data() + text.size() || into < 0 || into > 1)
    Complain(key, "a number from 0 to 1");
}

void Reader::Complain(std::string_view key, std::string_view wanted) {
  if (!complaint) complaint = fmt::format("\"{}\" must be {}, not {}", key, wanted, Raw(key));
}

Complaint SetApp(World& world, std::string_view text) {
  Reader in(text, {"app_key", "app_secret", "groups", "topics"});
  in.Text("app_key", world.app.key);
  in.Text("app_secret", world.app.secret);
  const auto list = [&](const char* key, std::vector<std::string>& into) {
    if (!in.Has(key)) return;
    into.clear();
    for (size_t i = 0; i < in[key].Size(); ++i) into.emplace_back(in[key].At(i).Text().value_or(""));
  };
  list("groups", world.app.groups);
  list("topics", world.app.topics);
  return in.complaint;
}

Complaint AddShop(World& world, std::string_view text) {
  Reader in(text, {"user_id", "nick", "session", "dead", "group"});
  Shop shop;
  in.Text("user_id", shop.user_id);
  in.Text("nick", shop.nick);
  in.Text("session", shop.session);
  in.Flag("dead", shop.dead);
  in.Text("group", shop.group);
  if (shop.user_id.empty() || shop.user_id.find_first_not_of("0123456789") != std::string::npos)
    in.Complain("user_id", "digits");
  if (shop.nick.empty()) in.Complain("nick", "a text");
  if (!in.complaint) world.shops.Add(std::move(shop));
  return in.complaint;
}

Complaint ReviveOrKill(World& world, std::string_view text) {
  Reader in(text, {"shop", "dead", "session"});
  std::string name;
  in.Text("shop", name);
  const auto shop = world.shops.FindShop(name);
  if (!shop) in.Complain("shop", "a known user id or nick");
  if (in.complaint) return in.complaint;
  in.Flag("dead", world.shops.at(*shop).dead);
  in.Text("session", world.shops.at(*shop).session);
  return in.complaint;
}

Complaint SetSwitches(World& world, std::string_view text) {
  Reader in(text, {"simplify",   "bare_single",    "shuffle_fields", "unknown_fields",  "empty",
                   "hold",       "clamp_quantity", "escapes",        "read_lag",        "list_lag",
                   "stale",      "shuffle_ties",   "move_rows",      "window_end_open", "refuse_with_error",
                   "visibility", "jitter",         "retention",      "duplicates",      "duplicate_gap",
                   "reorder",    "shuffle_batch",  "partial"});
  Switches& switches = world.switches;
  QueueRules& rules = world.queue.rules;
  in.Flag("simplify", switches.style.simplify);
  in.Flag("bare_single", switches.style.bare_single);
  in.Flag("shuffle_fields", switches.style.shuffle);
  in.Flag("unknown_fields", switches.style.unknown_fields);
  in.Text("empty", switches.empty_form);
  in.Duration("hold", switches.hold);
  in.Flag("clamp_quantity", switches.clamp_quantity);
  in.Flag("escapes", switches.escapes);
  in.Duration("read_lag", switches.read_lag);
  in.Duration("list_lag", switches.list_lag);
  in.Fraction("stale", switches.stale);
  in.Flag("shuffle_ties", switches.shuffle_ties);
  in.Whole("move_rows", switches.move_rows);
  in.Flag("window_end_open", switches.window_end_open);
  in.Flag("refuse_with_error", switches.refuse_with_error);
  in.Duration("visibility", rules.visibility);
  in.Whole("jitter", rules.jitter);
  in.Duration("retention", rules.retention);
  in.Fraction("duplicates", rules.duplicates);
  in.Duration("duplicate_gap", rules.duplicate_gap);
  in.Whole("reorder", rules.reorder);
  in.Flag("shuffle_batch", rules.shuffle_batch);
  in.Flag("partial", rules.partial);
  constexpr std::string_view kForms[] = {"object", "missing", "null", "text", "array", "list"};
  if (std::find(std::begin(kForms), std::end(kForms), switches.empty_form) == std::end(kForms))
    in.Complain("empty", "object, missing, null, text, array or list");
  return in.complaint;
}

Complaint SetLimits(World& world, std::string_view text) {
  Reader in(text, {"daily_quota", "per_second", "ban", "api", "sub_code", "clear"});
  bool clear = false;
  in.Flag("clear", clear);
  if (clear) world.limits.Clear();
  int64_t quota = 0;
  in.Whole("daily_quota", quota);
  if (in.Has("daily_quota")) world.limits.SetDailyQuota(quota);
  const json::Node rates = in["per_second"];
  for (size_t i = 0; i < rates.Size(); ++i)
    world.limits.SetPerSecond(rates.KeyAt(i), rates.MemberAt(i).Int().value_or(1));
  std::string api = "*", sub_code;
  milliseconds ban{0};
  in.Text("api", api);
  in.Text("sub_code", sub_code);
  in.Duration("ban", ban);
  if (!in.complaint && in.Has("ban")) world.limits.Ban(api, world.Now() + ban, sub_code);
  return in.complaint;
}

}  // namespace tmc::sim
