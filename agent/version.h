#pragma once

#include <string>

namespace tmc {

std::string Version();  // "0.1.0"
std::string Commit();   // short hash, or "unknown"
std::string Compiler();

}  // namespace tmc
