// Circumstances under which the numbers of a result mean less than they seem to.
#pragma once

#include <vector>

#include "harness/judge/judgement.h"

namespace loadline {

// `judgement` needs its configurations, and its cell summaries with their load lines.
std::vector<Warning> warnings_of(const Result& result, const Judgement& judgement);

// One warning per kind, in the order of first appearance: how many there are, the worst of them, and what to do if
// its message does not say so.
std::vector<Warning> folded(const std::vector<Warning>& warnings);

}  // namespace loadline
