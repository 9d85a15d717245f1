// The batch job this process runs in.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace loadline {

struct Job {
  std::string scheduler;  // "slurm" or "lsf"
  std::string id;

  bool operator==(const Job&) const = default;
};

// The value of an environment variable; nullopt when it is not set.
using Variables = std::function<std::optional<std::string>(const char* name)>;

// nullopt outside of a batch job.
std::optional<Job> job_from(const Variables& variables);

// job_from() of this process's environment.
std::optional<Job> this_job();

}  // namespace loadline
