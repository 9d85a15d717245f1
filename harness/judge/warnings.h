// Circumstances under which the numbers of a result mean less than they seem to.
#pragma once

#include <vector>

#include "harness/judge/judgement.h"

namespace loadline {

// `judgement` needs its cell summaries with their load lines only.
std::vector<Warning> warnings_of(const Result& result, const Judgement& judgement);

}  // namespace loadline
