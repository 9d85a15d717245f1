// The batch job this process runs in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace loadline {

// A field is nullopt if the scheduler does not report it.
struct Job {
  std::string scheduler;                     // "slurm" or "lsf"
  std::string id;                            // as the scheduler's commands accept it
  std::optional<std::string> array_id;       // of the job array that it belongs to
  std::optional<std::uint64_t> array_index;  // its index in the array, as the user numbered it
  std::optional<std::string> name;           // set by the user, or by the scheduler from the script's name
  std::optional<std::string> partition;      // or queue
  std::optional<std::string> nodes;          // "n[1-2]", or names separated by commas
  std::optional<std::size_t> node_count;
  std::optional<std::size_t> cpus;            // given to this process: those of a task, or of the job on this node
  std::optional<std::size_t> total_cpus;      // of the job, on all of its nodes
  std::optional<std::uint64_t> memory_bytes;  // requested on this node
  std::optional<std::string> ends;            // when its time limit ends: ISO 8601, UTC
  std::size_t restarts = 0;                   // LSF does not count restarts: 1 means at least one

  bool operator==(const Job&) const = default;
};

// The value of an environment variable; nullopt when it is not set.
using Variables = std::function<std::optional<std::string>(const char* name)>;

// From the variables that sbatch(1) and srun(1) document, and LSF's "Environment variables set for job execution".
// `hostname`: of this node; it is looked up in LSF's list of hosts. nullopt outside a batch job.
std::optional<Job> job_from(const Variables& variables, std::string_view hostname);

// job_from() for this process's environment.
std::optional<Job> this_job();

// How many tasks the user requested for the job or for the step that this process belongs to (srun(1)); nullopt if the
// scheduler does not tell.
std::optional<std::size_t> tasks_of_job(const Variables& variables);
// The same for this process's environment.
std::optional<std::size_t> tasks_of_job();

// How long the job still has, 0 if its time limit has passed; nullopt if the scheduler does not say when it ends.
// `now`: ISO 8601, UTC.
std::optional<double> seconds_left(const Job& job, const std::string& now);

// How many of `world_size` processes run on this machine, as srun(1), Open MPI, MPICH and MVAPICH tell each process;
// 1 if none of them does.
std::size_t processes_here(const Variables& variables, std::size_t world_size);
// The same for this process's environment.
std::size_t processes_here(std::size_t world_size);

}  // namespace loadline
