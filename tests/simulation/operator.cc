#include "tests/simulation/operator.h"

#include "agent/dead_letters.h"
#include "agent/inbox.h"
#include "agent/store.h"
#include "tests/simulation/books.h"

namespace tmc::simulation {
namespace {

bool Replay(Stage& stage, Store& store, const DeadLetter& letter, bool accept_truth) {
  const bool illegal = letter.reason == "illegal_transition";
  if (!letter.msg_id || (illegal && !accept_truth)) return false;
  const Time now = stage.agenda.agent.Now();
  Transaction transaction(store);
  if (!Inbox(store, "top").OpenAgain(*letter.msg_id, now, illegal ? "operator" : "replay")) return false;
  if (!DeadLetters(store, "top").Resolve(letter.id, "replayed", "", now)) return false;
  transaction.Commit();
  return true;
}

}  // namespace

void ReplayLetters(Stage& stage, bool accept_truth) {
  try {
    Store store({.path = kDatabase, .vfs = stage.disk.name(), .busy_timeout = 0ms});
    for (const DeadLetter& letter : DeadLetters(store, "top").List({}, 0, 200)) {
      if (!Replay(stage, store, letter, accept_truth)) continue;
      stage.Fired(Kind::kReplay);
      stage.history.Add("** letter {} of message {} is replayed", letter.id, *letter.msg_id);
    }
  } catch (const StoreError&) {
  } catch (const StoreUnusable&) {
  }
}

}  // namespace tmc::simulation
