#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/backoff.h"
#include "agent/clock.h"

namespace tmc {

// Why a scope takes no calls now.
struct Closure {
  std::string scope;  // "app", "agent", "api:<name>", "shop:<user id>"
  bool ban = false;   // has an end that the platform told; otherwise it is probed
  Time until{};       // ban: its end; closed: when the next probe may go
  Time since{};
  std::string detail;  // for a person
  int probes = 0;      // closed: calls let through since, none of which opened it
};

// The platform's call budget, shared by the loops: a token bucket, bans with an end, and closed scopes that
// let one probe through. Thread-safe. Bans are also kept as rows (cursors), so that a restart respects them.
// A call is held up by the scopes "app", "agent", "api:<api>" and "shop:<shop>".
// A scope's times are steady ones: a wall clock that jumps neither frees a ban nor prolongs it.
class Pacer {
 public:
  Pacer(double calls_a_second, const Clock& clock, uint64_t seed);

  // Who asks: while messages want more calls than there are, reconciliation gets one for four of theirs.
  enum class Share { kMessages, kReconciliation };
  // Whether a call may start now; takes a token and, of each closed scope, its probe. `shop` may be empty.
  bool Take(std::string_view api, std::string_view shop, Share share = Share::kMessages);
  // How long until Take could say yes, as things stand (at least 1 ms, at most 1 h).
  milliseconds Delay(std::string_view api, std::string_view shop) const;
  // Whether this scope is closed or banned, regardless of tokens and probes.
  bool Closed(std::string_view api, std::string_view shop) const;
  // Whether a ban or a missing probe holds this call up now, whatever the budget.
  bool Barred(std::string_view api, std::string_view shop) const;

  // A ban of `wait` (plus up to 1 s of jitter), at most 25 h: no quota is longer than a day's. None told: 1 s
  // doubling to 60 s. A shorter one never cuts a longer one.
  void Ban(std::string_view scope, std::optional<milliseconds> wait, std::string_view detail);
  // Closes a scope; of a closed one, tells the newest reason. First probe after 1 min, then doubling to 10
  // min. True when it was open before (say it once).
  bool Close(std::string_view scope, std::string_view detail);
  // A success: opens the scope; true when it was closed. A ban keeps its end.
  bool Open(std::string_view scope);
  // The secrets changed, or a start: every closed scope gets a probe now.
  void ProbeAll();

  std::vector<Closure> Closures() const;  // those in force
  void Restore(const Closure& kept);  // from its row, at start: a ban lasts no longer than it was told to, a
                                      // closed scope gets its probe
  uint64_t changes() const;           // rises with every change of a closure

 private:
  struct Entry {
    Closure closure;
    milliseconds until{};  // steady
    int untold = 0;        // bans in a row that told no end
  };
  using Entries = std::map<std::string, Entry, std::less<>>;
  milliseconds HeldUp(std::string_view api, std::string_view shop) const;
  bool Admit(Share share);
  void Refill();
  void SetUntil(Entry& entry, milliseconds wait);

  const Clock& clock_;
  mutable std::mutex mutex_;
  Random random_;
  const double rate_, burst_;
  double tokens_;
  milliseconds filled_at_;
  Entries bans_, closed_;
  milliseconds crowded_until_{-1h};  // steady: messages wanted a call lately and there was none
  int taken_ = 0;                    // by messages, since reconciliation had one
  uint64_t changes_ = 0;
};

}  // namespace tmc
