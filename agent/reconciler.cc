#include "agent/reconciler.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/event.h"
#include "agent/json.h"
#include "agent/log.h"
#include "agent/mistakes.h"

namespace tmc {
namespace {
constexpr milliseconds kSlice = 30min;          // TOP recommends at most this; it allows a day
constexpr milliseconds kTold = 10min;           // how long a message may take to tell of a change
constexpr milliseconds kAgain = 10s;            // between readings of a second that stays short
constexpr int kBarren = 3, kMostReadings = 30;  // readings in a row without a new order; in all
constexpr milliseconds kFailedFirst = 1s, kFailedMost = 1min;
constexpr int kMostFailures = 8;                // in a row: the pass is given up, the next one begins there
constexpr milliseconds kOrderKept = 24h * 180;  // orders, since their last change: twice the platform's list
constexpr milliseconds kHousekeeping = 1min;
constexpr int64_t kPurgeAtOnce = 200;

Time WholeSecond(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

bool IsUserId(std::string_view key) {
  return key.find_first_not_of("0123456789") == key.npos;
}
}  // namespace

std::string PassJson(const PassReport& report) {
  json::Writer out;
  out.BeginObject().Member("slices", report.slices).Member("orders_seen", report.seen);
  out.Member("orders_opened", report.opened).Member("short_slices", report.short_slices);
  return out.Member("shops_left_out", report.shops_left_out).EndObject().Take();
}

Reconciler::Reconciler(Context& context)
    : context_(context),
      cursors_(context.store, std::string(context.platform.Name())),
      inbox_(context.store, std::string(context.platform.Name())),
      orders_(context.store, std::string(context.platform.Name())),
      letters_(context.store, std::string(context.platform.Name())),
      outbox_(context.store, std::string(context.platform.Name())),
      sessions_(context.secrets, cursors_),
      gateway_(context, sessions_, Pacer::Share::kReconciliation) {
  sessions_.Refresh(true);
  next_pass_ = context.clock.Steady();
}

void Reconciler::Step(milliseconds longest) {
  doing_ = "looking for work";
  if (call_.id == 0 && !gateway_.CheckingClock()) {
    Begin();
    if (pass_ && context_.clock.Steady() >= not_before_) StartCall();
  }
  gateway_.StartClockCheck();
  doing_ = pass_ ? "reading a window" : "waiting for the next pass";
  Wait(longest);
  if (!pass_) Housekeep();
}

void Reconciler::Begin() {
  const int64_t version = context_.store.DataVersion();
  sessions_.Refresh(version != data_version_);
  data_version_ = version;
  if (pass_) return;
  if (asked_) {
    BeginPass(*std::exchange(asked_, std::nullopt));
  } else if (const auto ask = cursors_.NextAsk(context_.clock.Now() - 1h)) {
    BeginPass({ask->id, false, ask->from, ask->to});
  } else if (context_.settings.reconcile_interval > 0ms && context_.clock.Steady() >= next_pass_) {
    BeginPass({});
  }
}

void Reconciler::Ask(Time from, Time to) {
  asked_ = Pass{std::nullopt, false, from, to};
}

void Reconciler::BeginPass(Pass pass) {
  pass_ = pass;
  report_ = {};
  failures_ = 0;
  targets_.clear();
  slices_.clear();
  if (pass.regular) next_pass_ = context_.clock.Steady() + context_.settings.reconcile_interval;
  const SecretSet& set = sessions_.set();
  if (!set.bare_session.empty()) targets_.push_back({sessions_.bare_shop(), ""});
  for (const auto& [key, session] : set.sessions)
    targets_.push_back(IsUserId(key) ? Target{key, ""} : Target{sessions_.UserId(key).value_or(""), key});
  if (targets_.empty()) return EndPass();
  PlanSlices();
}

void Reconciler::EndPass() {
  lookup_nick_.clear();
  const Time now = context_.clock.Now();
  Transaction transaction(context_.store);
  if (pass_->ask_id) cursors_.PutAnswer(*pass_->ask_id, {report_.failure ? 69 : 0, PassJson(report_)}, now);
  const bool read = report_.slices > 0 || report_.shops_left_out == 0;
  if (pass_->regular && read && !report_.failure) cursors_.Put("last_reconcile_at", ToMillis(now));
  transaction.Commit();
  pass_.reset();
  ++passes_;
  if (report_.opened > 0)
    log::Info("reconcile", fmt::format("{} of {} orders listed are not held like that here; they are read",
                                       report_.opened, report_.seen));
}

std::string Reconciler::CursorKey() const {
  return targets_.front().shop.empty() ? "default" : targets_.front().shop;
}

void Reconciler::PlanSlices() {
  slices_.clear();
  readings_ = barren_ = 0;
  rows_before_ = 0;
  const Time now = Planted(Mistake::kLocalWindow) ? context_.clock.Now() : context_.platform_clock.Now();
  Time from = pass_->from, to = pass_->to;
  if (pass_->regular) {
    to = WholeSecond(now - context_.settings.reconcile_lag);
    const auto cursor = cursors_.Get(CursorKey(), "order");
    from = cursor ? std::min(*cursor, to) - context_.settings.reconcile_overlap
                  : now - context_.settings.reconcile_backfill;
  }
  // Whatever a person asks for: neither beyond what the list holds nor beyond now.
  from = WholeSecond(std::max(from, now - kWindowReach));
  to = std::min(to, WholeSecond(now));
  for (Time at = from; at < to; at += kSlice)
    slices_.emplace_back(at, std::min(at + kSlice, to), context_.settings.window_page);
  if (slices_.empty() && (!targets_.front().nick.empty() && targets_.front().shop.empty())) return;
  if (slices_.empty()) NextTarget();
}

void Reconciler::NextTarget() {
  lookup_nick_.clear();
  targets_.pop_front();
  targets_.empty() ? EndPass() : PlanSlices();
}

void Reconciler::LeaveOut(std::string_view why) {
  const Target& target = targets_.front();
  ++report_.shops_left_out;
  log::Warn("reconcile",
            fmt::format("shop {} is left out of this pass: {}",
                        target.shop.empty() ? (target.nick.empty() ? "(unknown)" : target.nick) : target.shop,
                        why));
  NextTarget();
}

void Reconciler::StartCall() {
  // Where a commit failed and is tried again.
  if (targets_.empty()) return EndPass();
  if (slices_.empty() && !targets_.front().shop.empty() && lookup_nick_.empty()) return PlanSlices();
  const Target& target = targets_.front();
  const bool by_nick = target.shop.empty() && !target.nick.empty();
  call_is_shop_ = by_nick || !lookup_nick_.empty();
  if (call_is_shop_) {
    if (shop_lookup_off_)
      return LeaveOut("its user id is not known yet; name the shop by its id in the session file");
    if (by_nick) lookup_nick_ = target.nick;
    HttpRequest request = context_.platform.Shop(lookup_nick_, gateway_.With(""));
    held_up_ = request.api;
    if (gateway_.May(request.api, "")) call_ = gateway_.Send(std::move(request), "");
    return;
  }
  const auto session = sessions_.For(target.shop);
  if (!session) return LeaveOut("it has no session");
  HttpRequest request = context_.platform.Window(slices_.front().Next(), gateway_.With(session->text));
  const std::string api = held_up_ = request.api;
  if (gateway_.May(api, target.shop)) {
    call_ = gateway_.Send(std::move(request), target.shop);
  } else if (!gateway_.Barred(api, target.shop)) {
    return;  // only the budget: its turn comes
  } else if (gateway_.Closed(api, target.shop) && !gateway_.Closed(api, "")) {
    LeaveOut("its session is refused");
  } else if (gateway_.Closed(api, "")) {
    report_.failure =
        Error{.fault = Fault::kAgent, .code = "closed", .text = "no calls for now, see `status`"};
    EndPass();
  }
}

void Reconciler::Wait(milliseconds longest) {
  milliseconds patience = longest;
  const milliseconds now = context_.clock.Steady();
  const bool held_up = pass_ || gateway_.CheckingClock();
  if (call_.id == 0 && held_up)
    patience = std::min(patience, std::max({not_before_ - now, gateway_.Delay(held_up_, ""), 0ms}));
  if (call_.id == 0 && !held_up && context_.settings.reconcile_interval > 0ms)
    patience = std::min(patience, std::max(next_pass_ - now, 0ms));
  for (HttpDone& done : context_.http.Wait(patience)) {
    if (gateway_.TakeClockCheck(done) || done.id != call_.id) continue;
    call_is_shop_ ? TakeShop(done.response) : TakePage(done.response);
  }
}

void Reconciler::Failed(const Error& error, const HttpResponse& response) {
  const Call call = std::exchange(call_, {});
  gateway_.Heard(call, response, &error);
  switch (error.fault) {
    case Fault::kClock:
      return;
    case Fault::kShop:
      return LeaveOut(Sentence(error));
    case Fault::kMessage:
    case Fault::kUnknown:
      return LeaveOut(Sentence(error));
    case Fault::kLimited:
      return;  // the pacer holds the next call back
    case Fault::kApi:
    case Fault::kAgent:
      report_.failure = error;
      return EndPass();
    case Fault::kOutside:
      break;
  }
  ++failures_;
  log::Warn("reconcile", "a window could not be read, it is asked for again: " + Sentence(error));
  not_before_ = context_.clock.Steady() + Backoff(failures_, kFailedFirst, kFailedMost, context_.random);
  if (failures_ < kMostFailures) return;
  report_.failure = error;
  EndPass();
}

void Reconciler::TakeShop(const HttpResponse& response) {
  const auto shop = context_.platform.ReadShop(response);
  Target& target = targets_.front();
  const bool by_nick = !target.nick.empty() && target.shop.empty();
  if (!shop && (shop.error().fault == Fault::kOutside || shop.error().fault == Fault::kLimited ||
                shop.error().fault == Fault::kClock))
    return Failed(shop.error(), response);
  const Call call = std::exchange(call_, {});
  const std::string nick = std::exchange(lookup_nick_, "");
  if (!shop || shop->user_id.empty()) {
    // An auxiliary call: its refusal switches off this feature alone.
    shop_lookup_off_ = !shop && shop.error().fault != Fault::kUnknown;
    if (by_nick)
      return LeaveOut("its user id could not be learned: " +
                      (shop ? std::string("no such shop") : Sentence(shop.error())));
    if (slices_.empty()) NextTarget();
    return;
  }
  gateway_.Heard(call, response, nullptr);
  Transaction transaction(context_.store);
  sessions_.Learn(shop->user_id, nick);
  if (!by_nick) sessions_.BindBare(shop->user_id);
  transaction.Commit();
  target.shop = shop->user_id;
  if (by_nick) return PlanSlices();
  if (slices_.empty()) NextTarget();
}

void Reconciler::TakePage(const HttpResponse& response) {
  Slice& slice = slices_.front();
  const auto page = context_.platform.ReadWindow(slice.Next(), response);
  if (!page) return Failed(page.error(), response);
  gateway_.Heard(std::exchange(call_, {}), response, nullptr);
  failures_ = 0;
  answered_at_ = Planted(Mistake::kLocalWindow) ? context_.clock.Now()
                                                : response.date.value_or(context_.platform_clock.Now());
  switch (slice.Take(*page)) {
    case Slice::State::kReading:
      return;
    case Slice::State::kComplete:
      return StoreSlice(true);
    case Slice::State::kShort:
      return Short();
  }
}

// Rows moved while the pages were read, or the list does not show what it counts.
void Reconciler::Short() {
  Slice& slice = slices_.front();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(slice.to() - slice.from());
  if (seconds > 1s) {
    const Time from = slice.from(), to = slice.to(), middle = from + seconds / 2;
    slices_.pop_front();
    slices_.emplace_front(middle, to, context_.settings.window_page);
    slices_.emplace_front(from, middle, context_.settings.window_page);
    return;
  }
  // A reading of so short a time that brought something new is worth another at once.
  const bool barren = slice.rows().size() == rows_before_;
  rows_before_ = slice.rows().size();
  barren_ = barren ? barren_ + 1 : 0;
  if (++readings_ >= kMostReadings || barren_ >= kBarren) return StoreSlice(false);
  slice.ReadAgain();
  if (barren_ == 0) return;
  not_before_ = context_.clock.Steady() + kAgain;
  // What was seen need not wait for what was not.
  Transaction transaction(context_.store);
  OpenRows(context_.clock.Now());
  transaction.Commit();
}

bool Reconciler::Differs(const WindowRow& row) {
  const auto held = orders_.Find(row.order_id);
  if (!held || row.modified > held->modified_at) return true;
  if (row.modified < held->modified_at) return false;
  const auto other = [](const std::string& told, const std::string& ours) {
    return !told.empty() && told != ours;
  };
  return other(row.status, held->status) || other(row.refund_status, held->refund_status) ||
         other(row.paid_amount, held->paid_amount) || other(row.total_amount, held->total_amount) ||
         other(row.refund_amount, held->refund_amount);
}

void Reconciler::OpenRow(const WindowRow& row, Time now) {
  SyntheticMessage message;
  message.channel = "reconcile";
  message.order_id = row.order_id;
  message.shop = targets_.front().shop;
  message.msg_id =
      fmt::format("reconcile:{}:order:{}:{}", context_.platform.Name(), row.order_id, ToMillis(row.modified));
  json::Writer seen;
  seen.BeginObject().Member("status", row.status).Member("modified", Rfc3339(row.modified)).EndObject();
  message.body = seen.Take();
  message.due_at = now;
  message.announced_at = row.modified;
  const bool opened =
      inbox_.AcceptSynthetic(message, now) == Accepted::kNew || inbox_.ReopenSynthetic(message.msg_id, now);
  report_.opened += opened;
}

void Reconciler::OpenRows(Time now) {
  for (const auto& [order_id, row] : slices_.front().rows())
    if (Differs(row)) OpenRow(row, now);
}

void Reconciler::StoreSlice(bool complete) {
  const Slice& slice = slices_.front();
  const Time now = context_.clock.Now();
  if (Planted(Mistake::kCursorBeforeRows) && pass_->regular) {
    Transaction early(context_.store);
    cursors_.Move(CursorKey(), "order", slice.to(), now);
    early.Commit();
  }
  Transaction transaction(context_.store);
  OpenRows(now);
  const auto seen = static_cast<int64_t>(slice.rows().size());
  if (!complete) {
    cursors_.AddShortSlice({targets_.front().shop, "order", slice.from(), slice.to(), seen, slice.expected()},
                           now);
    ++report_.short_slices;
  }
  // A slice that a wrong clock planned may end in the future; it has been read up to the answer's time alone.
  const Time read_to = std::min(slice.to(), WholeSecond(answered_at_ - context_.settings.reconcile_lag));
  if (pass_->regular) cursors_.Move(CursorKey(), "order", read_to, now);
  cursors_.Count("reconcile_orders_seen", seen);
  cursors_.Flush();
  transaction.Commit();
  ++report_.slices;
  report_.seen += seen;
  if (!complete)
    log::Warn(
        "reconcile",
        fmt::format("the platform counts {} orders modified at {}, its list shows {}; taken as they are",
                    slice.expected(), Rfc3339(slice.from()), seen));
  if (sessions_.bare_shop().empty() && targets_.front().shop.empty()) NameBareShop();
  slices_.pop_front();
  readings_ = barren_ = 0;
  rows_before_ = 0;
  if (slices_.empty() && lookup_nick_.empty()) NextTarget();
}

// The list worked with the bare session: whose orders are these?
void Reconciler::NameBareShop() {
  for (const auto& [order_id, row] : slices_.front().rows()) {
    if (row.shop_nick.empty()) continue;
    if (const auto user_id = sessions_.UserId(row.shop_nick)) {
      Transaction transaction(context_.store);
      sessions_.BindBare(*user_id);
      transaction.Commit();
      targets_.front().shop = *user_id;
    } else if (!shop_lookup_off_) {
      lookup_nick_ = row.shop_nick;
    }
    return;
  }
}

// Small transactions: a pump that waits for the lock must not notice.
void Reconciler::Housekeep() {
  const milliseconds steady = context_.clock.Steady();
  if (steady - housekept_ < kHousekeeping) return;
  doing_ = "housekeeping";
  const Time now = context_.clock.Now();
  const Time before = now - context_.settings.retain;
  int64_t most = 0;
  const auto purge = [&](auto work) {
    Transaction transaction(context_.store);
    most = std::max<int64_t>(most, work());
    transaction.Commit();
  };
  purge([&] {
    const int64_t missed = inbox_.CountMissed(now - kTold, kPurgeAtOnce);
    cursors_.Count("missed_by_messages", missed);
    cursors_.Flush();
    return missed;
  });
  purge([&] { return inbox_.Purge(before, kPurgeAtOnce); });
  purge([&] { return outbox_.Purge(before, kPurgeAtOnce); });
  purge([&] {
    orders_.Purge(now - std::max(kOrderKept, context_.settings.retain), kPurgeAtOnce);
    return 0;
  });
  purge([&] { return letters_.Purge(before, kPurgeAtOnce); });
  purge([&] {
    cursors_.Purge(before);
    return 0;
  });
  if (most < kPurgeAtOnce) housekept_ = steady;  // else the next step goes on
}

}  // namespace tmc
