#pragma once

#include <array>
#include <cstdint>

namespace tmc::simulation {

// Everything that can go wrong in a world. A kind is counted when it happened, not when it was planned.
enum class Kind {
  kDuplicate,          // handed out again although it was confirmed, or twice at once
  kReorder,            // handed out before one that was published earlier
  kRedelivery,         // not confirmed for 5 to 60 minutes
  kLost,               // dropped by the platform after 24 h
  kNeverSent,          // an order changed and no message told of it
  kConfirmAnswerLost,  // the confirm was done
  kConfirmRefused,     // inside an answer with status 200
  kConsumeAnswerLost,  // the messages were handed out
  kBan,
  kOutsideError,  // isp.*, HTTP 5xx, a page in place of an answer
  kAgentError,    // signature refused
  kApiError,      // permission missing
  kMessageError,  // isv.*: asking again is pointless
  kSessionDead,
  kReadLag,      // an order read or a list saw an older truth
  kHiddenOrder,  // an order that is there was not found
  kMovedRows,    // between two pages
  kNoAnswer,     // dropped, reset or cut before anything was done
  kHang,         // till the time limit
  kClockJump,    // of the agent's machine
  kDatabaseBusy,
  kDiskFull,
  kStopStart,
  kCrash,          // between two calls
  kCrashInCommit,  // while the database wrote
  kPowerLoss,      // what was not synced is gone, or a part of it
  kBadContent,     // an entry or a content that cannot be read
  kSameSecond,     // two truths with one modified time
  kLeavesFinal,    // a final state was left by the platform
  kReplay,         // of dead letters
  kCount
};

inline constexpr size_t kKinds = static_cast<size_t>(Kind::kCount);
using Counts = std::array<int64_t, kKinds>;

inline constexpr std::array<const char*, kKinds> kKindNames{"duplicate",
                                                            "reorder",
                                                            "redelivery",
                                                            "lost after 24 h",
                                                            "never sent",
                                                            "confirm answer lost",
                                                            "confirm refused",
                                                            "consume lost",
                                                            "ban",
                                                            "outside error",
                                                            "agent error",
                                                            "api error",
                                                            "message error",
                                                            "session dead",
                                                            "read lag",
                                                            "hidden order",
                                                            "moved rows",
                                                            "no answer",
                                                            "hang",
                                                            "clock jump",
                                                            "database busy",
                                                            "disk full",
                                                            "stop and start",
                                                            "crash",
                                                            "crash in commit",
                                                            "power loss",
                                                            "bad content",
                                                            "same second",
                                                            "leaves final",
                                                            "replay"};

}  // namespace tmc::simulation
