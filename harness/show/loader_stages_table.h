// Where the time of a loader's threads and of its consumer goes.
#pragma once

#include <string>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// A table for the FULL cell of each headline, or its IO where it has no FULL: for the loader's threads and for the
// consumer, the share of their time by stage, over the trials, with its 95 % interval. Empty where no loader reports
// stages.
std::string loader_stages_text(const Result& result, const Judgement& judgement, std::size_t width = kUnlimited);

}  // namespace loadline
