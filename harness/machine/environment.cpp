#include "harness/machine/environment.h"

#include <utility>

namespace loadline {

Environment this_environment() {
  auto job = this_job();
  const auto job_cpus = job ? job->cpus : std::nullopt;
  return {.machine = this_machine(job_cpus), .build = this_build(), .job = std::move(job)};
}

}  // namespace loadline
