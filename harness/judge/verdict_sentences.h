// The words of a verdict. A part of verdict.h.
#pragma once

#include <string>

#include "harness/judge/verdict_class.h"

namespace loadline {

// What limits the configuration, and what to do. Every figure has its interval and comes from `figures`, so all rest
// on the same trials.
std::string sentence_of(const Evidence& evidence, const Figures& figures, const Finding& finding);

// " AU 90.0 ± 1.2 % meets the 85 % requested.", or nothing without a goal.
std::string goal_sentence(const Verdict& verdict);

}  // namespace loadline
