// What `loadline doctor` says about the batch job that it runs in. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/judge/checkup.h"
#include "harness/machine/job.h"
#include "harness/machine/machine.h"

namespace loadline {

// "4711 of slurm on n[1-2], partition main, restarted 1 time": what a job is and where. Printable.
std::string job_words(const Job& job);

// The processes that the job has.
struct JobTasks {
  std::size_t requested = 1;
  std::size_t started = 1;  // together with this one, as the ranks of one run
  std::string launcher;     // that started them: "srun"; empty if this process is alone
};

// One row for each fact that is known: the job, its tasks, the CPUs that it gives to this process, the memory that it
// may use on this node, and how long it still has. `now`: ISO 8601, UTC.
std::vector<Symptom> job_checkup(const Job& job, const Machine& machine, const JobTasks& tasks, const std::string& now);

}  // namespace loadline
