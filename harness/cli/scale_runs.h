// The runs of a scaling study. A launcher starts the processes of each.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/cli/verbs.h"
#include "harness/machine/job.h"
#include "harness/plan/plan.h"
#include "harness/result/result.h"

namespace loadline {

// "scaling-4.json" for "scaling.json".
std::string result_of_ranks(const std::string& output, std::size_t ranks);

// The batch of one rank; with strong scaling its share of the requested batch. nullopt: the workload's. Throws usage
// Error if the share is not a whole number of samples, or for strong scaling without exactly one --batch-size.
std::optional<std::size_t> batch_of_rank(const ScaleRequest& request, std::size_t ranks);

// srun in a Slurm job, mpirun elsewhere.
std::string default_launcher(const Variables& variables);

// The words of the command that measures `ranks` ranks and writes to `file`. `program`: the words that run this
// program in another process. Throws usage Error for a launcher without {ranks}.
std::vector<std::string> command_of_ranks(const ScaleRequest& request, const std::string& launcher,
                                          const std::vector<std::string>& program, std::size_t ranks,
                                          const std::string& file);

// What the runs of the study would measure if their ranks had the CPUs of `context`. idle_exclusions lack conditions
// that only the ranks can judge, because they may have other CPUs. Throws Error as make_plan() does.
std::vector<Plan> plans_of_ranks(const ScaleRequest& request, const PlanContext& context);

// A sentence saying why the result in `file` does not fit the study; empty if it does.
std::string misfit_of(const Result& result, const ScaleRequest& request, std::size_t ranks, const std::string& file);

}  // namespace loadline
