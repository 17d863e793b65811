#include "agent/worker.h"

#include <fmt/format.h>

#include "agent/log.h"

namespace tmc {

Worker::Worker(Context& context, Gateway& gateway, Sessions& sessions, Inbox& inbox, DeadLetters& letters,
               Cursors& cursors)
    : context_(context),
      gateway_(gateway),
      sessions_(sessions),
      inbox_(inbox),
      letters_(letters),
      cursors_(cursors),
      orders_(context.store, std::string(context.platform.Name())),
      outbox_(context.store, std::string(context.platform.Name())),
      source_{std::string(context.platform.Name()), context.settings.app_key},
      api_(context.platform.Order("1", gateway.With("")).api) {}

void Worker::Add(std::vector<ClaimedRow> rows) {
  for (ClaimedRow& row : rows) {
    ++in_hand_;
    suspects_ += row.suspect;
    Sort(std::move(row));
  }
}

void Worker::Sort(ClaimedRow row) {
  if (row.channel == "reconcile" || row.channel == "reread") {
    row.kind = SubjectKind::kOrder;
  } else {
    auto content = context_.platform.ReadContent(row.topic, row.body);
    if (auto* rejected = std::get_if<Rejected>(&content)) {
      finished_.push_back({{std::move(row)}, std::move(*rejected)});
      return;
    }
    Trigger& trigger = std::get<Trigger>(content);
    row.kind = trigger.kind;
    row.subject_id = std::move(trigger.subject_id);
    row.order_id = std::move(trigger.order_id);
    row.announced_rank = trigger.announced_rank;
  }
  if (row.kind == SubjectKind::kNone) {
    finished_.push_back({{std::move(row)}, NoSubject{}});
    return;
  }
  row.body.clear();
  row.body.shrink_to_fit();
  Subject& subject = subjects_[row.order_id];
  if (subject.waiting.empty() && !subject.flying) ready_.push_back(row.order_id);
  subject.waiting.push_back(std::move(row));
}

bool Worker::Startable() const {
  return !gateway_.Closed(api_, "");
}

void Worker::Start() {
  const auto slots = static_cast<size_t>(context_.settings.parallel);
  while (!ready_.empty() && flying_.size() < slots && StartOne(ready_.front())) ready_.pop_front();
}

void Worker::Refuse(std::vector<ClaimedRow> rows, Error error) {
  finished_.push_back({std::move(rows), Result<OrderTruth>(std::move(error))});
}

// False: not now, try again later.
bool Worker::StartOne(const std::string& order_id) {
  Subject& subject = subjects_[order_id];
  const std::string shop = subject.waiting.front().shop;
  const auto session = sessions_.For(shop);
  const std::string scope = ShopScope(shop);
  if (!session) {
    if (context_.pacer.Close(scope, "no session for this shop in the session file"))
      log::Error(
          "order.read",
          fmt::format("there is no session for shop {}; add a line to the session file, its messages wait",
                      shop));
    Refuse(std::move(subject.waiting),
           {.fault = Fault::kShop, .code = "no_session", .text = "no session for shop " + shop});
    subjects_.erase(order_id);
    return true;
  }
  if (!gateway_.May(api_, shop)) {
    if (!gateway_.Closed(api_, shop) || !gateway_.Barred(api_, shop)) return false;
    const Fault fault = gateway_.Closed(api_, "") ? Fault::kAgent : Fault::kShop;
    Refuse(std::move(subject.waiting),
           {.fault = fault, .code = "closed", .text = "no calls for now, see `status`"});
    subjects_.erase(order_id);
    return true;
  }
  Flight flight;
  flight.order_id = order_id;
  flight.rows = std::move(subject.waiting);
  flight.shop_unbound = session->unbound;
  flight.call = gateway_.Send(context_.platform.Order(order_id, gateway_.With(session->text)), shop);
  subject.waiting.clear();
  subject.flying = true;
  flying_.emplace(flight.call.id, std::move(flight));
  return true;
}

std::optional<milliseconds> Worker::Pause() const {
  if (ready_.empty() || flying_.size() >= static_cast<size_t>(context_.settings.parallel))
    return std::nullopt;
  return gateway_.Delay(api_, "");
}

bool Worker::Take(HttpDone& done) {
  const auto found = flying_.find(done.id);
  if (found == flying_.end()) return false;
  Flight flight = std::move(found->second);
  flying_.erase(found);
  auto truth = context_.platform.ReadOrder(flight.order_id, done.response);
  const bool counts = gateway_.Heard(flight.call, done.response, truth ? nullptr : &truth.error());
  if (truth && flight.shop_unbound && !flight.call.shop.empty() && bind_bare_to_.empty())
    bind_bare_to_ = flight.call.shop;
  finished_.push_back(
      {std::move(flight.rows), std::move(truth), flight.shop_unbound, counts, flight.call.platform_time});
  Subject& subject = subjects_[flight.order_id];
  subject.flying = false;
  if (subject.waiting.empty()) {
    subjects_.erase(flight.order_id);
  } else {
    ready_.push_back(flight.order_id);
  }
  return true;
}

size_t Worker::GiveBackAll() {
  std::vector<ClaimedRow> rows;
  for (auto& [id, flight] : flying_) {
    context_.http.Abort(id);
    for (ClaimedRow& row : flight.rows) rows.push_back(std::move(row));
  }
  for (auto& [order_id, subject] : subjects_)
    for (ClaimedRow& row : subject.waiting) rows.push_back(std::move(row));
  flying_.clear();
  subjects_.clear();
  ready_.clear();
  const Time now = context_.clock.Now();
  for (const ClaimedRow& row : rows) inbox_.GiveBack(row, now);
  in_hand_ -= rows.size();
  return rows.size();
}

}  // namespace tmc
