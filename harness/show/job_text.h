// How much of its batch job a run has used, as Slurm's seff tells it.
#pragma once

#include <string>

#include "harness/result/result.h"

namespace loadline {

// The job, the share of its CPUs that were kept busy, the most memory against what was asked for: a line each. The
// denominator is what this process was given, on its own node. Empty outside of a batch job, and before the run has
// ended.
std::string job_text(const Result& result);

}  // namespace loadline
