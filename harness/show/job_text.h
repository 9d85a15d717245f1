// How much of its batch job a run has used, like Slurm's seff.
#pragma once

#include <string>

#include "harness/result/result.h"

namespace loadline {

// The job, the share of its CPUs' time that was used, and the peak memory against the requested memory: one line
// each. The denominators are what this process was given, on its own node. Empty outside a batch job, and before the
// run has ended.
std::string job_text(const Result& result);

}  // namespace loadline
