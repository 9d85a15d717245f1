// The batch job this process runs in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace loadline {

// nullopt wherever the scheduler does not tell.
struct Job {
  std::string scheduler;                     // "slurm" or "lsf"
  std::string id;                            // as the scheduler's commands take it
  std::optional<std::string> array_id;       // of the job array that it is a task of
  std::optional<std::uint64_t> array_index;  // its place in the array, as the user numbered it
  std::optional<std::string> name;           // given by the user, or by the scheduler after the script
  std::optional<std::string> partition;      // or queue
  std::optional<std::string> nodes;          // "n[1-2]", or names separated by commas
  std::optional<std::size_t> node_count;
  std::optional<std::size_t> cpus;        // that this process was given: those of a task, or of the job on this node
  std::optional<std::size_t> total_cpus;  // of the job, on all of its nodes
  std::optional<std::uint64_t> memory_bytes;  // asked for on this node
  std::optional<std::string> ends;            // when its time is over: ISO 8601, UTC
  std::size_t restarts = 0;                   // LSF does not count them: 1 stands for at least one

  bool operator==(const Job&) const = default;
};

// The value of an environment variable; nullopt when it is not set.
using Variables = std::function<std::optional<std::string>(const char* name)>;

// From the variables that sbatch(1) and srun(1) document, and LSF's "Environment variables set for job execution".
// `hostname`: of this node, which LSF's list of hosts is searched for. nullopt outside of a batch job.
std::optional<Job> job_from(const Variables& variables, std::string_view hostname);

// job_from() of this process's environment.
std::optional<Job> this_job();

// How many of `world_size` processes run on this machine, as srun(1), Open MPI, MPICH and MVAPICH tell each of them; 1
// where nobody does.
std::size_t processes_here(const Variables& variables, std::size_t world_size);
// The same of this process's environment.
std::size_t processes_here(std::size_t world_size);

}  // namespace loadline
