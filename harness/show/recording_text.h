// A recorded job, as text.
#pragma once

#include <string>

#include "harness/judge/recorded.h"
#include "harness/show/wrap.h"

namespace loadline {

// What ran where, how long its steps waited and took, the stall over time, and what it means. `source` is the file
// that the job was read from, for the command that replays it. Tables have at most `width` columns.
std::string recording_text(const Recording& job, const RecordedJudgement& judgement, const std::string& source,
                           std::size_t width = kUnlimited);

}  // namespace loadline
