#pragma once

#include <string>
#include <string_view>

namespace tmc {

// The help of a command ("run", "status", "trace", "orders", "dlq", "reconcile", "permit", "version"); of any
// other word, the overview. At most 40 lines.
std::string HelpText(std::string_view command);

}  // namespace tmc
