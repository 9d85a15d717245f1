// How much of its batch job a run has used, like Slurm's seff.
#pragma once

#include <optional>
#include <string>

#include "harness/machine/job.h"
#include "harness/result/result.h"

namespace loadline {

// The job, the share of its CPUs' time that was used, and the peak memory against the requested memory: one line
// each. The denominators are what this process was given, on its own node. Empty outside a batch job, and before the
// run has ended.
std::string job_text(const Result& result);

// For a run that will take about `seconds`: how long its job still has, where that is less. Empty where it is not, or
// the scheduler does not say when the job ends. `now`: ISO 8601, UTC.
std::string short_job_text(const std::optional<Job>& job, double seconds, const std::string& now);

}  // namespace loadline
