// Where the time of a step goes, as a line profiler shows it.
#pragma once

#include <string>
#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"
#include "harness/show/wrap.h"

namespace loadline {

// A table for the FULL cell of each headline, or its SYNTHETIC where it has no FULL, of the stages summed over its
// trials; of SYNTHETIC alone for each of its cells. Empty where no compute reports stages.
std::string stages_text(const Result& result, const Judgement& judgement, std::size_t width = kUnlimited);

// The stages of a cell, summed over its trials, in the order of a step.
std::vector<StageSummary> stages_of(const CellResult& cell);

}  // namespace loadline
