#include "agent/version.h"

namespace tmc {

std::string Version() {
  return TMC_VERSION;
}
std::string Commit() {
  return TMC_COMMIT;
}
std::string Compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace tmc
