#include <algorithm>

#include "agent/options.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace tmc;
  static const TempFolder folder;
  const std::string path = folder.File("flags", fuzz::Text(data, size));
  const auto parsed = ParseOptions({"run", "--flagfile", path}, [](const char*) { return std::string(); });
  if (const auto* problem = std::get_if<OptionsProblem>(&parsed)) {
    PROMISE(problem->exit_status == 64 || problem->exit_status == 78);
    PROMISE(!problem->text.empty());
    PROMISE(problem->text.find('\n') == std::string::npos);
    return 0;
  }
  const Options& options = std::get<Options>(parsed);
  if (options.command != Command::kRun) return 0;
  PROMISE(!options.db.empty());
  PROMISE(options.settings.batch >= 10 && options.settings.batch <= 200);
  PROMISE(options.settings.parallel >= 1);
  PROMISE(options.settings.rate > 0);
  PROMISE(options.settings.idle_min <= options.settings.idle_max);
  PROMISE(std::min({options.settings.reconcile_interval, options.settings.reconcile_lag,
                    options.settings.give_up_after, options.settings.once_wait}) >= milliseconds(0));
  return 0;
}
