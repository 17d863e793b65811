#pragma once

#include "agent/clock.h"

// TERM, INT, HUP and USR1 are blocked in every thread and taken by the main one, so that no code runs in a
// handler.
namespace tmc::stop_signals {

void Block();                 // before any thread starts; ignores PIPE
int Wait(milliseconds most);  // the next one of them, or 0

}  // namespace tmc::stop_signals
