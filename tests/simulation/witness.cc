#include "tests/simulation/witness.h"

#include <algorithm>
#include <cstdlib>

namespace tmc::simulation {
namespace {

std::string Parameter(const std::string& body, std::string_view name) {
  sim::Params params;
  sim::DecodeForm(body, params);
  return std::string(sim::Find(params, name));
}

bool IsConfirm(const HttpRequest& request) {
  return request.api.ends_with("messages.confirm");
}
bool IsConsume(const HttpRequest& request) {
  return request.api.ends_with("messages.consume");
}

}  // namespace

void Witness::ProcessStarted(double rate) {
  rate_ = rate;
  level_ = 0;
  drained_ = stage_.agenda.Now();
}

void Witness::ProcessEnded(const std::function<milliseconds(const std::string&)>& left) {
  for (auto& [scope, end] : banned_) end = std::min(end, stage_.agenda.Now() + left(scope));
}

void Witness::Called(const HttpRequest& request) {
  const milliseconds now = stage_.agenda.Now();
  level_ = std::max(0.0, level_ - static_cast<double>((now - drained_).count()) * rate_ / 1000) + 1;
  drained_ = now;
  if (level_ > std::max(1.0, rate_ / 10) + 1e-6)
    stage_.Complain(fmt::format("the call budget of {} a second is exceeded", rate_));
  for (const std::string& scope : {std::string("app"), "api:" + request.api}) {
    const auto ban = banned_.find(scope);
    if (ban != banned_.end() && now < ban->second)
      stage_.Complain(fmt::format("{} was called {} ms before the end of a ban that it had been told of",
                                  request.api, (ban->second - now).count()));
  }
  if (!stage_.history.on) return;
  std::string what;
  for (const char* name : {"s_message_ids", "tid", "start_modified", "end_modified", "page_no"})
    if (auto value = Parameter(request.body, name); !value.empty()) what += " " + value;
  stage_.history.Add("-> {}{}", request.api, what);
}

void Witness::CheckConfirm(size_t before) {
  const auto& confirms = stage_.platform().record.confirms;
  for (size_t i = before; i < confirms.size(); ++i) {
    if (confirms[i].outcome != "ok") continue;
    for (const std::string& id : confirms[i].ids) {
      const std::string state = state_of(id);
      if (state != "applied" && state != "dlq")
        stage_.Complain(fmt::format("message {} was confirmed while it was {} on disk", id,
                                    state.empty() ? "unknown" : state));
    }
  }
}

// A single read that saw an older truth than there is.
void Witness::CountRead(const sim::Record::ReadRow& read) {
  auto* order = stage_.platform().trades.FindOrder(read.tid);
  const auto* present = order ? sim::Trades::At(*order, stage_.platform().Now()) : nullptr;
  if (present == nullptr) return;
  if (read.outcome != "ok") {
    stage_.Fired(Kind::kHiddenOrder);
  } else if (read.modified != sim::FieldText(present->fields, "modified") ||
             read.status != sim::FieldText(present->fields, "status")) {
    stage_.Fired(Kind::kReadLag);
  }
}

// Why the platform may say that an order does not exist.
bool Witness::Excused(const std::string& tid) {
  auto* order = stage_.platform().trades.FindOrder(tid);
  if (order == nullptr || stage_.Has(Kind::kHiddenOrder)) return true;
  const Time seen = stage_.platform().Now() - stage_.platform().switches.read_lag;
  return sim::Trades::At(*order, seen) == nullptr || stage_.Has(Kind::kReadLag);
}

void Witness::CountOutcome(const std::string& outcome, const std::string& tid) {
  if (outcome.starts_with("error 7 ")) {
    stage_.Fired(Kind::kBan);
  } else if (outcome.starts_with("error 27")) {
    stage_.Fired(Kind::kSessionDead);
  } else if (outcome.starts_with("error 25")) {
    stage_.Fired(Kind::kAgentError);
  } else if (outcome.starts_with("error 11")) {
    stage_.Fired(Kind::kApiError);
  } else if (outcome.starts_with("error 15 isp") || outcome.starts_with("http 5") || outcome == "body") {
    stage_.Fired(Kind::kOutsideError);
  } else if (outcome.starts_with("error 15 isv.invalid-parameter")) {
    stage_.Fired(Kind::kMessageError);
    stage_.doomed_orders[tid].insert("invalid_parameter");
  } else if (outcome.starts_with("error 15 isv.trade-not-exist")) {
    if (!Excused(tid)) stage_.Complain("order " + tid + " was asked for with another shop's session");
    stage_.doomed_orders[tid].insert("unknown_order");
  }
}

void Witness::CountEnding(const HttpRequest& request, const sim::SimResponse& response, bool did) {
  if (response.ending == sim::Ending::kHang || response.ending == sim::Ending::kStall)
    stage_.Fired(Kind::kHang);
  if (did && IsConfirm(request)) {
    stage_.Fired(Kind::kConfirmAnswerLost);
  } else if (did && IsConsume(request)) {
    stage_.Fired(Kind::kConsumeAnswerLost);
  } else {
    stage_.Fired(Kind::kNoAnswer);
  }
}

void Witness::Served(const HttpRequest& request, const sim::SimResponse& response) {
  const sim::Record& record = stage_.platform().record;
  const bool did = record.confirms.size() > confirms_ || record.handed.size() > handed_;
  CheckConfirm(confirms_);
  for (size_t i = reads_; i < record.reads.size(); ++i) CountRead(record.reads[i]);
  for (size_t i = windows_; i < record.windows.size(); ++i)
    if (record.windows[i].page > 1 && stage_.platform().switches.move_rows > 0)
      stage_.Fired(Kind::kMovedRows);
  confirms_ = record.confirms.size();
  handed_ = record.handed.size();
  reads_ = record.reads.size();
  windows_ = record.windows.size();
  const std::string& outcome = record.calls.back().outcome;
  if (IsConfirm(request) && response.ending == sim::Ending::kWhole && !did && outcome == "ok")
    stage_.Fired(Kind::kConfirmRefused);
  if (IsConfirm(request) && did && record.confirms.back().outcome == "refused")
    stage_.Fired(Kind::kConfirmRefused);
  const bool listed = request.api.ends_with("increment.get") && !record.windows.empty();
  const std::string tid = Parameter(request.body, "tid");
  CountOutcome(outcome, tid);
  if (response.ending != sim::Ending::kWhole) CountEnding(request, response, did);
  stage_.history.Add("   {} at the platform: {}{}{}{}", request.api, outcome,
                     listed ? fmt::format(" {} rows", record.windows.back().rows) : "",
                     tid.empty() ? "" : " " + tid,
                     !tid.empty() && !record.reads.empty() && record.reads.back().tid == tid
                         ? " " + record.reads.back().status + " " + record.reads.back().modified
                         : "");
}

void Witness::Heard(const HttpRequest& request, const HttpResponse& response) {
  stage_.history.Add("<- {} {}", request.api, response.transport.empty() ? "answered" : response.transport);

  constexpr std::string_view kLast = "This ban will last for ";
  const size_t at = response.body.find(kLast);
  if (!response.transport.empty() || at == std::string::npos) return;
  const milliseconds end =
      stage_.agenda.Now() + 1000ms * std::atol(response.body.c_str() + at + kLast.size());
  const bool app = response.body.find("limited-by-app-access-count") != std::string::npos;
  milliseconds& held = banned_[app ? std::string("app") : "api:" + request.api];
  held = std::max(held, end);
}

void Witness::CountHandOuts() {
  const auto& queue = stage_.platform().queue.messages();
  std::map<size_t, Time> last;
  size_t newest = 0;
  for (const auto& row : stage_.platform().record.handed) {
    const auto before = last.find(row.message);
    if (before == last.end()) {
      if (row.message < newest) stage_.Fired(Kind::kReorder);
      newest = std::max(newest, row.message);
    } else if (row.after_confirm || row.at - before->second < 2min) {
      stage_.Fired(Kind::kDuplicate);
    } else {
      stage_.Fired(Kind::kRedelivery);
    }
    last[row.message] = row.at;
  }
  for (const auto& message : queue)
    if (message.lost) stage_.Fired(Kind::kLost);
}

}  // namespace tmc::simulation
