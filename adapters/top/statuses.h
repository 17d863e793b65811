#pragma once

#include <string_view>

namespace tmc::top {

// How far a trade has come by its status, 0 for a status that the table lacks; whether it is left by itself.
int RankOf(std::string_view status);
bool IsFinal(std::string_view status);

// The rank that a trade's truth should have reached once this topic was sent; 0 where a topic announces
// nothing.
int AnnouncedRank(std::string_view topic);

// Of an order's lines by their refund: which open one has come least far? Lower is less; -1 for a line whose
// refund is not open (none, closed, paid back).
int RefundProgress(std::string_view refund_status);

}  // namespace tmc::top
