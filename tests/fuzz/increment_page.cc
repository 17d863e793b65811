#include "adapters/top/platform.h"
#include "tests/fuzz/answer.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace tmc;
  static const auto platform = top::MakeTop({});
  for (const bool want_total : {true, false}) {
    const WindowWish wish{.from = FromMillis(1768435200000),
                          .to = FromMillis(1768437000000),
                          .page = 1,
                          .page_size = 100,
                          .want_total = want_total};
    const auto page = platform->ReadWindow(wish, fuzz::Answer(fuzz::Text(data, size)));
    if (!page) {
      fuzz::CheckError(page.error());
      continue;
    }
    PROMISE(page->rows.size() <= size);
    PROMISE(!page->total || *page->total >= 0);
    for (const WindowRow& row : page->rows) {
      PROMISE(!row.order_id.empty());
      PROMISE(!row.status.empty());
    }
  }
  return 0;
}
