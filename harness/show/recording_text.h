// A recorded job for people, as text.
#pragma once

#include <string>

#include "harness/judge/recorded.h"
#include "harness/show/wrap.h"

namespace loadline {

// What ran where, how long its steps waited and took, the course of the stall, and what it means. `source` is the file
// that it was read from, for the command that plays it again. Tables have at most `width` columns.
std::string recording_text(const Recording& job, const RecordedJudgement& judgement, const std::string& source,
                           std::size_t width = kUnlimited);

}  // namespace loadline
