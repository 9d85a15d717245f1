#include "harness/result/job.h"

#include <array>
#include <cstdlib>

namespace loadline {
namespace {

struct Scheduler {
  const char* name;
  const char* job_id_variable;
};

constexpr std::array kSchedulers{
    Scheduler{"slurm", "SLURM_JOB_ID"},
    Scheduler{"lsf", "LSB_JOBID"},
};

}  // namespace

std::optional<Job> job_from(const Variables& variables) {
  for (const Scheduler& scheduler : kSchedulers) {
    if (const auto id = variables(scheduler.job_id_variable); id && !id->empty()) return Job{scheduler.name, *id};
  }
  return std::nullopt;
}

std::optional<Job> this_job() {
  return job_from([](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
}

}  // namespace loadline
