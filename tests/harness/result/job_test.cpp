#include "harness/result/job.h"

#include <gtest/gtest.h>

#include <map>

namespace loadline {
namespace {

Variables of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(Job, IsNamedBySlurm) {
  EXPECT_EQ(job_from(of({{"SLURM_JOB_ID", "4711"}, {"SLURM_CPUS_PER_TASK", "8"}})), (Job{"slurm", "4711"}));
}

TEST(Job, IsNamedByLsf) {
  EXPECT_EQ(job_from(of({{"LSB_JOBID", "815"}, {"LSB_DJOB_NUMPROC", "4"}})), (Job{"lsf", "815"}));
}

TEST(Job, IsAbsentOutsideOfABatchJob) {
  EXPECT_EQ(job_from(of({})), std::nullopt);
  EXPECT_EQ(job_from(of({{"SLURM_JOB_ID", ""}})), std::nullopt);
}

}  // namespace
}  // namespace loadline
