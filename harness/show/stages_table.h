// Where the time of a step goes, in the style of a line profiler.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// A table for the FULL cell of each headline, or its SYNTHETIC where it has no FULL, of its stages summed over its
// trials; for a run of SYNTHETIC alone, one for each of its cells. Empty where no compute reports stages.
std::string stages_text(const Result& result, const Judgement& judgement, std::size_t width = kUnlimited);

// The stages of a cell, summed over its trials, in the order of a step.
std::vector<StageSummary> stages_of(const CellResult& cell);

}  // namespace loadline
