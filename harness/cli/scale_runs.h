// The runs of a scaling study, each in processes that a launcher starts.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/cli/verbs.h"
#include "harness/machine/job.h"
#include "harness/result/result.h"

namespace loadline {

// "scaling-4.json" beside "scaling.json".
std::string result_of_ranks(const std::string& output, std::size_t ranks);

// The batch of a rank: of strong scaling its share of the batch that was asked for. Throws usage Error where that is
// no whole number of samples, or strong scaling was asked for without exactly one --batch-size. None: the workload's.
std::optional<std::size_t> batch_of_rank(const ScaleRequest& request, std::size_t ranks);

// In a job of Slurm srun, elsewhere mpirun.
std::string default_launcher(const Variables& variables);

// Words of the command that measures so many ranks into `file`. `program`: this one, as other processes may call it.
// Throws usage Error for a launcher without {ranks}.
std::vector<std::string> command_of_ranks(const ScaleRequest& request, const std::string& launcher,
                                          const std::vector<std::string>& program, std::size_t ranks,
                                          const std::string& file);

// Why the result in `file` is no part of the study, a sentence; empty where it is.
std::string misfit_of(const Result& result, const ScaleRequest& request, std::size_t ranks, const std::string& file);

}  // namespace loadline
