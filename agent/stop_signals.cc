#include "agent/stop_signals.h"

#include <signal.h>

#include <ctime>

namespace tmc::stop_signals {
namespace {

sigset_t Ours() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
  return set;
}

}  // namespace

void Block() {
  const sigset_t set = Ours();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int Wait(milliseconds most) {
  const sigset_t set = Ours();
  const timespec time{most.count() / 1000, (most.count() % 1000) * 1000000};
  const int signal = sigtimedwait(&set, nullptr, &time);
  return signal > 0 ? signal : 0;
}

}  // namespace tmc::stop_signals
