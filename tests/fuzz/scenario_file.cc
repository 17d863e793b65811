#include "tests/fuzz/fuzz.h"
#include "tests/simulator/heart.h"
#include "tests/simulator/scenario.h"
#include "tests/support/fake_clock.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace tmc;
  const std::string_view text = fuzz::Text(data, size);
  if (text.find("generate") != text.npos) return 0;  // as many orders as it likes: slow, not wrong
  FakeClock clock(FromMillis(1768437000000));
  sim::Heart heart(clock, 1);
  const sim::Complaint complaint = sim::LoadScenario(heart.world(), text);
  PROMISE(!complaint || !complaint->empty());
  // Whatever was put into the world, it answers.
  sim::SimRequest request;
  request.body = "method=taobao.time.get";
  heart.Handle(request);
  clock.Advance(1h);
  heart.world().queue.Take(sim::kDefaultGroup, 200, heart.world().Now());
  for (sim::Order& order : heart.world().trades.orders())
    sim::Trades::Read(order, heart.world().Now(), milliseconds(0));
  return 0;
}
