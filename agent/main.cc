// Settings → wiring → the command. The only file that knows which platforms there are.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

#include "adapters/top/platform.h"
#include "agent/commands/commands.h"
#include "agent/commands/print.h"
#include "agent/log.h"
#include "agent/mistakes.h"
#include "agent/options.h"
#include "agent/stop_signals.h"
#include "agent/store.h"

namespace tmc {
namespace {

std::unique_ptr<Platform> MakePlatform(const Options& options) {
  return top::MakeTop({.gateway = options.gateway,
                       .app_key = options.settings.app_key,
                       .group = options.settings.group,
                       .sign_method = options.sign_method,
                       .poll_hold = options.settings.poll_hold});
}

int Dispatch(const Options& options) {
  switch (options.command) {
    case Command::kHelp:
      std::fwrite(options.help.data(), 1, options.help.size(), stdout);
      return 0;
    case Command::kVersion:
      return commands::ShowVersion(options);
    case Command::kStatus:
      return commands::Status(options);
    case Command::kTrace:
      return commands::Trace(options);
    case Command::kOrdersShow:
      return commands::OrdersShow(options);
    case Command::kOrdersList:
      return commands::OrdersList(options);
    case Command::kDlqList:
      return commands::DlqList(options);
    case Command::kDlqShow:
      return commands::DlqShow(options);
    case Command::kDlqReplay:
      return commands::DlqReplay(options);
    case Command::kDlqDiscard:
      return commands::DlqDiscard(options);
    case Command::kRun:
      return commands::Run(options, *MakePlatform(options));
    case Command::kReconcile:
      return commands::Reconcile(options, *MakePlatform(options));
    case Command::kPermit:
      return commands::Permit(options, *MakePlatform(options));
  }
  return 70;
}

int Main(const std::vector<std::string>& words) {
  const auto parsed = ParseOptions(words, ProcessEnvironment);
  if (const auto* problem = std::get_if<OptionsProblem>(&parsed)) {
    commands::Complain(problem->text);
    return problem->exit_status;
  }
  const Options& options = std::get<Options>(parsed);
  try {
    log::Open(options.log_level, options.log_format, options.log_file);
    const int status = Dispatch(options);
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    if (options.command == Command::kRun) return status;  // it prints nothing there
    commands::Complain("standard output could not be written; what was printed is not whole");
    return status ? status : 74;
  } catch (const StoreError& error) {
    commands::Complain(error.kind() == StoreError::Kind::kFull
                           ? options.db + " cannot be written: the disk is full; make room, then start again"
                           : error.what());
    return error.kind() == StoreError::Kind::kRefused ? 70 : 74;
  } catch (const StoreUnusable& error) {
    commands::Complain(error.what());
  } catch (const std::runtime_error& error) {  // a file that cannot be opened
    commands::Complain(error.what());
  }
  return 74;
}

}  // namespace
}  // namespace tmc

int main(int argc, char** argv) {
#ifdef TMC_MISTAKES
  if (const char* mistake = std::getenv("TMC_MISTAKE")) tmc::PlantMistake(mistake);
#endif
  tmc::stop_signals::Block();
  umask(0077);
  try {
    return tmc::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    tmc::commands::Complain(std::string("internal error: ") + error.what());
    return 70;
  }
}
