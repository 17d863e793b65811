#include "adapters/top/platform.h"
#include "tests/fuzz/answer.h"

namespace {

using namespace tmc;

void CheckEntries(const ConsumeAnswer& answer, size_t size) {
  PROMISE(answer.entries() <= size);
  for (const Envelope& message : answer.messages) PROMISE(!message.msg_id.empty());
  for (const BadEntry& bad : answer.bad) {
    PROMISE(!bad.reason.empty());
    PROMISE(!bad.detail.empty());
    PROMISE(!bad.msg_id || !bad.msg_id->empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  static const auto platform = top::MakeTop({});
  const std::string_view body = fuzz::Text(data, size);
  const auto answer = platform->ReadConsume(fuzz::Answer(body));
  if (answer) {
    CheckEntries(*answer, size);
  } else {
    fuzz::CheckError(answer.error());
  }
  const ConsumeAnswer salvaged = platform->SalvageConsume(body);
  CheckEntries(salvaged, size);
  size_t raw = 0;
  for (const BadEntry& bad : salvaged.bad) raw += bad.raw.size();
  PROMISE(raw <= size);
  return 0;
}
