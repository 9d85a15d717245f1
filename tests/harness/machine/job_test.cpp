#include "harness/machine/job.h"

#include <gtest/gtest.h>

#include <map>

namespace loadline {
namespace {

std::optional<Job> job_of(std::map<std::string, std::string> variables, std::string_view hostname = "n1") {
  return job_from(
      [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      hostname);
}

TEST(Job, IsAbsentOutsideOfABatchJob) {
  EXPECT_EQ(job_of({}), std::nullopt);
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", ""}}), std::nullopt);
}

TEST(Job, IsNamedByItsSchedulerIfNothingElseIsKnown) {
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "4711"}}), (Job{.scheduler = "slurm", .id = "4711"}));
  EXPECT_EQ(job_of({{"LSB_JOBID", "815"}}), (Job{.scheduler = "lsf", .id = "815"}));
}

TEST(Job, OfSlurmHasEveryFactThatTheBatchScriptGets) {
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "4711"},
                    {"SLURM_JOB_NAME", "sweep"},
                    {"SLURM_JOB_PARTITION", "main"},
                    {"SLURM_JOB_NODELIST", "n[1-4]"},
                    {"SLURM_JOB_NUM_NODES", "4"},
                    {"SLURM_CPUS_PER_TASK", "8"},
                    {"SLURM_CPUS_ON_NODE", "16"},
                    {"SLURM_JOB_CPUS_PER_NODE", "16(x3),8"},
                    {"SLURM_MEM_PER_NODE", "4096"},
                    {"SLURM_JOB_END_TIME", "1764079080"},
                    {"SLURM_RESTART_COUNT", "2"}}),
            (Job{.scheduler = "slurm",
                 .id = "4711",
                 .name = "sweep",
                 .partition = "main",
                 .nodes = "n[1-4]",
                 .node_count = 4,
                 .cpus = 8,
                 .total_cpus = 56,
                 .memory_bytes = std::uint64_t{4} << 30,
                 .ends = "2025-11-25T13:58:00Z",
                 .restarts = 2}));
}

TEST(Job, OfSlurmKnowsItsPlaceInAnArray) {
  const auto job = job_of({{"SLURM_JOB_ID", "4713"}, {"SLURM_ARRAY_JOB_ID", "4711"}, {"SLURM_ARRAY_TASK_ID", "0"}});
  EXPECT_EQ(job->id, "4713");
  EXPECT_EQ(job->array_id, "4711");
  EXPECT_EQ(job->array_index, 0U);
}

TEST(Job, OfSlurmWithoutCpusPerTaskHasThoseOfTheNode) {
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"}, {"SLURM_CPUS_ON_NODE", "16"}})->cpus, 16U);
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_CPUS_PER_NODE", "16(x2),8"}, {"SLURM_NODEID", "2"}})->cpus, 8U);
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_CPUS_PER_NODE", "16(x2),8"}, {"SLURM_NODEID", "1"}})->cpus, 16U);
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_CPUS_PER_NODE", "16"}, {"SLURM_NODEID", "1"}})->cpus,
            std::nullopt);
}

TEST(Job, OfSlurmWithMemoryPerCpuHasItForEachCpuOfTheNode) {
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"}, {"SLURM_MEM_PER_CPU", "1024"}, {"SLURM_CPUS_ON_NODE", "2"}})->memory_bytes,
            std::uint64_t{2} << 30);
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"}, {"SLURM_MEM_PER_CPU", "1024"}})->memory_bytes, std::nullopt);
}

TEST(Job, OfSlurmWithAllOfTheMemoryNamesNoAmount) {
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"}, {"SLURM_MEM_PER_NODE", "0"}})->memory_bytes, std::nullopt);
}

TEST(TasksOfJob, AreThoseOfTheStepOrElseOfTheJob) {
  std::map<std::string, std::string> set{{"SLURM_NTASKS", "8"}};
  const auto tasks = [&] {
    return tasks_of_job([&](const char* name) { return set.count(name) ? std::optional(set[name]) : std::nullopt; });
  };
  EXPECT_EQ(tasks(), 8U);
  set["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_EQ(tasks(), 1U);
  set.clear();
  EXPECT_EQ(tasks(), std::nullopt);
}

TEST(SecondsLeft, EndAtZeroAndAreUnknownWithoutAnEnd) {
  const Job job{.scheduler = "slurm", .id = "1", .ends = "2026-11-21T10:00:30Z"};
  EXPECT_EQ(seconds_left(job, "2026-11-21T10:00:25Z"), 5);
  EXPECT_EQ(seconds_left(job, "2026-11-21T10:01:00Z"), 0);
  EXPECT_EQ(seconds_left({.scheduler = "lsf", .id = "1"}, "2026-11-21T10:00:25Z"), std::nullopt);
}

TEST(Job, IgnoresVariablesThatDoNotParse) {
  for (const char* counts : {"two", "2(x3", "2(x),1", "(x2)", "2(x99999999999)", "18446744073709551615,1", ""}) {
    EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_CPUS_PER_NODE", counts}})->total_cpus, std::nullopt) << counts;
  }
  EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"},
                    {"SLURM_CPUS_PER_TASK", "0"},
                    {"SLURM_CPUS_ON_NODE", "-1"},
                    {"SLURM_MEM_PER_NODE", "18446744073709551615"},
                    {"SLURM_JOB_END_TIME", "99999999999999999"},
                    {"SLURM_RESTART_COUNT", "often"}}),
            (Job{.scheduler = "slurm", .id = "1"}));
}

TEST(Job, OfLsfHasEveryFactThatItGets) {
  EXPECT_EQ(job_of({{"LSB_JOBID", "815"},
                    {"LSB_JOBINDEX", "0"},
                    {"LSB_JOBNAME", "sweep"},
                    {"LSB_QUEUE", "normal"},
                    {"LSB_MCPU_HOSTS", "n1 4 n2.example.org 2 "},
                    {"LSB_HOSTS", "n1 n1 n1 n1 n2.example.org n2.example.org"},
                    {"LSB_DJOB_NUMPROC", "6"},
                    {"LSB_MAX_NUM_PROCESSORS", "8"},
                    {"LSB_RESTART", "Y"}}),
            (Job{.scheduler = "lsf",
                 .id = "815",
                 .name = "sweep",
                 .partition = "normal",
                 .nodes = "n1,n2.example.org",
                 .node_count = 2,
                 .cpus = 4,
                 .total_cpus = 6,
                 .restarts = 1}));
}

TEST(Job, OfLsfKnowsItsPlaceInAnArray) {
  const auto job = job_of({{"LSB_JOBID", "815"}, {"LSB_JOBINDEX", "3"}});
  EXPECT_EQ(job->id, "815[3]");
  EXPECT_EQ(job->array_id, "815");
  EXPECT_EQ(job->array_index, 3U);
}

TEST(Job, OfLsfHasTheSlotsOfItsOwnNode) {
  const std::map<std::string, std::string> variables{{"LSB_JOBID", "1"}, {"LSB_MCPU_HOSTS", "n1 4 n2.example.org 2"}};
  EXPECT_EQ(job_of(variables, "n2")->cpus, 2U);
  EXPECT_EQ(job_of(variables, "n1.example.org")->cpus, 4U);
  EXPECT_EQ(job_of(variables, "n3")->cpus, std::nullopt);
}

TEST(Job, OfLsfOnOneNodeNeedNotKnowItsName) {
  EXPECT_EQ(job_of({{"LSB_JOBID", "1"}, {"LSB_MCPU_HOSTS", "alias 4"}}, "n1")->cpus, 4U);
  EXPECT_EQ(job_of({{"LSB_JOBID", "1"}, {"LSB_HOSTS", "alias alias alias"}}, "n1")->cpus, 3U);
  EXPECT_EQ(job_of({{"LSB_JOBID", "1"}, {"LSB_DJOB_NUMPROC", "4"}}, "n1")->cpus, 4U);
}

TEST(Job, OfLsfWhoseSlotsAreBoundToCpusLeavesTheirNumberToTheAffinityMask) {
  EXPECT_EQ(job_of({{"LSB_JOBID", "1"}, {"LSB_DJOB_NUMPROC", "1"}, {"LSB_BIND_CPU_LIST", "0,1,2,3"}})->cpus,
            std::nullopt);
}

std::size_t here(const std::map<std::string, std::string>& variables, std::size_t world_size) {
  return processes_here(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      world_size);
}

TEST(ProcessesHere, AreThoseOfTheStepOnThisNode) {
  EXPECT_EQ(here({}, 8), 1U) << "nobody tells";
  EXPECT_EQ(here({{"SLURM_STEP_TASKS_PER_NODE", "4(x2)"}, {"SLURM_NODEID", "1"}}, 8), 4U);
  EXPECT_EQ(here({{"SLURM_STEP_TASKS_PER_NODE", "4,2"}, {"SLURM_NODEID", "1"}}, 6), 2U);
  EXPECT_EQ(here({{"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}}, 8), 3U);
  EXPECT_EQ(here({{"OMPI_COMM_WORLD_LOCAL_SIZE", "16"}}, 8), 8U) << "no more than there are ranks";
  EXPECT_EQ(here({{"SLURM_STEP_TASKS_PER_NODE", "4"}}, 1), 1U) << "each on its own";
}

}  // namespace
}  // namespace loadline
