#include "adapters/top/platform.h"
#include "tests/fuzz/answer.h"

namespace {

using namespace tmc;

constexpr char kOrder[] = "3812000000000210193";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  static const auto platform = top::MakeTop({});
  const std::string_view body = fuzz::Text(data, size);
  const auto truth = platform->ReadOrder(kOrder, fuzz::Answer(body));
  if (!truth) {
    fuzz::CheckError(truth.error());
    return 0;
  }
  PROMISE(truth->order_id == kOrder);
  PROMISE(!truth->status.empty());
  PROMISE(!truth->digest.empty());
  PROMISE(body.find(truth->raw) != body.npos);
  // What is kept of it is read as the same order again.
  const auto again = platform->ReadOrder(
      kOrder, fuzz::Answer(R"({"trade_fullinfo_get_response":{"trade":)" + truth->raw + "}}"));
  PROMISE(again);
  PROMISE(again->digest == truth->digest);
  PROMISE(again->raw == truth->raw);
  PROMISE(again->status == truth->status);
  PROMISE(again->modified == truth->modified);
  return 0;
}
