// The words of a verdict. A part of verdict.h.
#pragma once

#include <string>

#include "harness/judge/verdict_class.h"

namespace loadline {

// What limits the configuration, and what to do. Every figure has its interval and comes from `figures`, so all rest
// on the same trials.
std::string sentence_of(const Evidence& evidence, const Figures& figures, const Finding& finding);

// The same with fewer figures where compute or loading is the limit: without how fast the loader is by itself, and what
// one that kept up would give.
std::string briefest_sentence(const Evidence& evidence, const Figures& figures, const Finding& finding);

// Whether the verdict's sentence says that the trials are too noisy, and so also what to do about that. What is said
// after it then repeats no advice of this kind.
bool says_too_noisy(const Verdict& verdict);

// " AU 90.0 ± 1.2 % meets the 85 % requested.", to be added to the sentence of `verdict`; nothing without a goal.
std::string goal_sentence(const Evidence& evidence, const Verdict& verdict);

}  // namespace loadline
