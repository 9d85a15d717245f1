#include "harness/show/job_text.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

// 72 s of wall time, 117 s of CPU time, 312 MiB.
Result run_in(const Job& job) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {1000}}});
  result.environment.job = job;
  result.process = RunUsage{
      .wall_seconds = 72,
      .usage = {.user_cpu_seconds = 110, .system_cpu_seconds = 7, .peak_rss_bytes = std::uint64_t{312} << 20},
  };
  return result;
}

const Job kSlurm{.scheduler = "slurm",
                 .id = "4711",
                 .partition = "main",
                 .nodes = "n1",
                 .cpus = 2,
                 .memory_bytes = std::uint64_t{2} << 30};

TEST(JobText, SaysHowMuchOfTheAllocationWasUsed) {
  EXPECT_EQ(job_text(run_in(kSlurm)),
            "job 4711 of slurm on n1, partition main\n"
            "CPU efficiency  81 % of 2 CPUs for 00:01:12\n"
            "peak memory     312 MiB, 15 % of the 2.0 GiB requested\n");
}

TEST(JobText, CountsTheMemoryOfAllRanksOfANode) {
  Result result = run_in(kSlurm);
  result.ranks = RunRanks{.places = {{.host = "n1"}, {.host = "n1"}}};
  result.cells[0].trials[0].usage.peak_rss_bytes = std::uint64_t{620} << 20;
  EXPECT_EQ(job_text(result),
            "job 4711 of slurm on n1, partition main\n"
            "CPU efficiency  81 % of 2 CPUs for 00:01:12 (rank 0)\n"
            "peak memory     620 MiB, 30 % of the 2.0 GiB requested (all ranks)\n");
}

TEST(JobText, ComparesNoMemoryOfARankWithThatOfItsNode) {
  Result result = run_in(kSlurm);
  result.ranks = RunRanks{.places = {{.host = "n1"}, {.host = "n2"}}};
  result.cells[0].trials[0].usage.peak_rss_bytes = std::uint64_t{620} << 20;
  EXPECT_TRUE(job_text(result).ends_with("peak memory     312 MiB (rank 0)\n"));
}

TEST(JobText, SaysWhoseMemoryItIsIfOnlyThatOfTheFirstRankIsKnown) {
  Result result = run_in(kSlurm);
  result.ranks = RunRanks{.places = {{.host = "n1"}, {.host = "n1"}}};
  result.cells[0].trials[0].usage.peak_rss_bytes.reset();
  EXPECT_TRUE(job_text(result).ends_with("peak memory     312 MiB (rank 0)\n"));
}

TEST(JobText, IsEmptyOutsideOfAJob) {
  Result result = run_in(kSlurm);
  result.environment.job.reset();
  EXPECT_EQ(job_text(result), "");
}

TEST(JobText, IsEmptyBeforeTheEnd) {
  Result result = run_in(kSlurm);
  result.process.reset();
  EXPECT_EQ(job_text(result), "");
}

TEST(JobText, NamesTheTaskOfAnArrayAndRestarts) {
  Job job = kSlurm;
  job.array_id = "4700";
  job.array_index = 3;
  job.restarts = 1;
  EXPECT_TRUE(
      job_text(run_in(job)).starts_with("job 4711 of slurm (4700_3) on n1, partition main, restarted 1 time\n"));
}

TEST(JobText, StaysOnALineWhateverTheSchedulerSays) {
  Job job = kSlurm;
  job.id = "nonsense\x1b[2J";
  job.nodes = "n[1-";
  job.partition = "a\nb";
  EXPECT_TRUE(job_text(run_in(job)).starts_with("job nonsense\\x1b[2J of slurm on n[1-, partition a\\nb\nCPU "));
}

TEST(JobText, UsesTheCpusInForceAndTheControlGroupsLimitWhereTheSchedulerReportsNeither) {
  Result result =
      run_in({.scheduler = "lsf", .id = "815[3]", .array_id = "815", .array_index = 3, .partition = "normal"});
  result.environment.machine.threads_in_force = 4;
  EXPECT_EQ(job_text(result),
            "job 815[3] of lsf, queue normal\n"
            "CPU efficiency  41 % of 4 CPUs for 00:01:12\n"
            "peak memory     312 MiB\n");
  result.environment.machine.cgroup_memory_limit_bytes = std::uint64_t{624} << 20;
  EXPECT_TRUE(job_text(result).ends_with("peak memory     312 MiB, 50 % of the 624 MiB allowed\n"));
}

TEST(ShortJobText, SaysHowLongAJobHasThatEndsBeforeItsRun) {
  const Job job{.scheduler = "slurm", .id = "7", .ends = "2026-11-21T10:00:30Z"};
  const std::string now = "2026-11-21T10:00:25Z";
  EXPECT_EQ(short_job_text(job, 12, now), "the job has 5.0 s left, less than the run takes");
  EXPECT_EQ(short_job_text(job, 4.9, now), "");
  EXPECT_EQ(short_job_text(job, 12, "2026-11-21T10:01:00Z"), "the job has 0.0 s left, less than the run takes");
  EXPECT_EQ(short_job_text(std::nullopt, 12, now), "");
  EXPECT_EQ(short_job_text(Job{.scheduler = "lsf", .id = "7"}, 12, now), "") << "LSF does not say when a job ends";
}

}  // namespace
}  // namespace loadline
