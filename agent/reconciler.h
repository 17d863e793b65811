#pragma once

#include <atomic>
#include <deque>
#include <optional>
#include <string>

#include "agent/context.h"
#include "agent/cursors.h"
#include "agent/dead_letters.h"
#include "agent/gateway.h"
#include "agent/inbox.h"
#include "agent/orders.h"
#include "agent/outbox.h"
#include "agent/slice.h"

namespace tmc {

// How a pass went.
// How far back a window may reach: the list holds three months.
inline constexpr milliseconds kWindowReach = 24h * 89;

struct PassReport {
  int64_t slices = 0, seen = 0, opened = 0, short_slices = 0;
  int64_t shops_left_out = 0;    // no session, or refused
  std::optional<Error> failure;  // it could not be finished
};

// As `reconcile` prints it.
std::string PassJson(const PassReport& report);

// The loop behind the messages: lists each shop's recently modified orders and opens a row for whatever we do
// not hold like that. It changes no order itself. One Step() makes at most one call.
class Reconciler {
 public:
  explicit Reconciler(Context& context);
  void Step(milliseconds longest = 1s);

  // One pass over a window now, beside the regular ones; does not move cursors. Whole seconds.
  void Ask(Time from, Time to);
  void AskRegular() { next_pass_ = context_.clock.Steady(); }
  bool Idle() const { return !pass_; }
  const PassReport& report() const { return report_; }  // of the last pass
  int64_t passes() const { return passes_; }
  const char* doing() const { return doing_.load(); }

 private:
  struct Target {
    std::string shop;  // user id, or "" while a bare session's shop is unknown
    std::string nick;  // to be mapped first
  };
  struct Pass {
    std::optional<int64_t> ask_id;  // of another process
    bool regular = true;
    Time from{}, to{};  // not regular: the window
  };

  void Begin();
  void BeginPass(Pass pass);
  void EndPass();
  void NextTarget();
  void PlanSlices();
  void StartCall();
  void Wait(milliseconds longest);
  void TakePage(const HttpResponse& response);
  void TakeShop(const HttpResponse& response);
  void Failed(const Error& error, const HttpResponse& response);
  void LeaveOut(std::string_view why);
  void Short();
  void StoreSlice(bool complete);
  bool Differs(const WindowRow& row);
  void OpenRow(const WindowRow& row, Time now);
  void OpenRows(Time now);
  void NameBareShop();
  std::string CursorKey() const;
  void Housekeep();

  Context& context_;
  Cursors cursors_;
  Inbox inbox_;
  Orders orders_;
  DeadLetters letters_;
  Outbox outbox_;
  Sessions sessions_;
  Gateway gateway_;
  std::optional<Pass> pass_;
  std::optional<Pass> asked_;
  std::deque<Target> targets_;  // the first is being read
  std::deque<Slice> slices_;    // of that target, oldest first; the first is being read
  Call call_;
  bool call_is_shop_ = false;
  bool shop_lookup_off_ = false;  // the platform refuses that interface
  std::string lookup_nick_;
  std::string held_up_;  // the interface that was wanted last, for how long to wait
  milliseconds next_pass_{}, not_before_{}, housekept_{-1h};
  Time answered_at_{};  // the platform's time of the last page
  int failures_ = 0, barren_ = 0, readings_ = 0;
  size_t rows_before_ = 0;
  PassReport report_;
  int64_t passes_ = 0;
  int64_t data_version_ = 0;
  std::atomic<const char*> doing_{"starting"};
};

}  // namespace tmc
