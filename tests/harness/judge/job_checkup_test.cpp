#include "harness/judge/job_checkup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "harness/show/checkup_text.h"

namespace loadline {
namespace {

using testing::HasSubstr;

constexpr const char* kNow = "2026-11-21T10:00:00Z";

Job job_in(std::map<std::string, std::string> variables) {
  return job_from(
             [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
               const auto found = variables.find(name);
               return found == variables.end() ? std::nullopt : std::optional(found->second);
             },
             "n1")
      .value();
}

Machine machine_with(std::size_t cpus) {
  return {.logical_cpus = cpus, .affinity_cpus = cpus, .threads_in_force = cpus};
}

std::string rows(const Job& job, const Machine& machine, const JobTasks& tasks = {}, const std::string& now = kNow) {
  return checkup_text(job_checkup(job, machine, tasks, now));
}

TEST(JobCheckup, ShowsWhatAJobOfSlurmHas) {
  const Job job = job_in({{"SLURM_JOB_ID", "4711"},
                          {"SLURM_JOB_PARTITION", "main"},
                          {"SLURM_JOB_NODELIST", "n[1-4]"},
                          {"SLURM_CPUS_PER_TASK", "8"},
                          {"SLURM_JOB_CPUS_PER_NODE", "16(x3),8"},
                          {"SLURM_MEM_PER_NODE", "4096"},
                          {"SLURM_JOB_END_TIME", "1795262700"},
                          {"SLURM_RESTART_COUNT", "1"}});
  EXPECT_EQ(rows(job, machine_with(8)),
            "ok        job         4711 of slurm on n[1-4], partition main, restarted 1 time\n"
            "ok        job CPUs    8 for this process, 56 in the whole job\n"
            "ok        job memory  4.0 GiB requested on this node\n"
            "ok        job time    2 h 5 min left, until 2026-11-21T12:05:00Z\n"
            "\nNothing disturbs measurements here.\n");
}

TEST(JobCheckup, ShowsWhatAJobOfLsfHas) {
  const Job job = job_in(
      {{"LSB_JOBID", "815"}, {"LSB_QUEUE", "normal"}, {"LSB_MCPU_HOSTS", "n1 4 n2 2"}, {"LSB_DJOB_NUMPROC", "6"}});
  EXPECT_EQ(rows(job, machine_with(4)),
            "ok        job       815 of lsf on n1,n2, queue normal\n"
            "ok        job CPUs  4 for this process, 6 in the whole job\n"
            "\nNothing disturbs measurements here.\n");
}

TEST(JobCheckup, ShowsOnlyWhatIsKnown) {
  EXPECT_EQ(rows(job_in({{"LSB_JOBID", "815"}}), machine_with(1)),
            "ok        job  815 of lsf\n\nNothing disturbs measurements here.\n");
}

TEST(JobCheckup, ShowsWhoStartedTheRanks) {
  EXPECT_EQ(rows(job_in({{"SLURM_JOB_ID", "1"}, {"SLURM_CPUS_ON_NODE", "16"}}), machine_with(4),
                 {.requested = 4, .started = 4, .launcher = "srun"}),
            "ok        job        1 of slurm\n"
            "ok        job tasks  this process is one of 4 ranks that srun started\n"
            "ok        job CPUs   16 given here\n"
            "\nNothing disturbs measurements here.\n");
}

TEST(JobCheckup, SaysHowToUseTasksThatWereNotStarted) {
  EXPECT_EQ(
      rows(job_in({{"SLURM_JOB_ID", "1"}}), machine_with(4), {.requested = 4}),
      "note      job tasks  the job has 4 tasks, but this process runs alone; start one rank per task with srun or "
      "mpirun to measure all of them\n"
      "ok        job        1 of slurm\n"
      "\nNothing disturbs measurements here; 1 note.\n");
}

TEST(JobCheckup, SaysHowToGetCpusThatTheProcessMayNotUse) {
  EXPECT_EQ(
      rows(job_in({{"SLURM_JOB_ID", "1"}, {"SLURM_CPUS_PER_TASK", "8"}}), machine_with(2)),
      "disturbs  job CPUs  8 for this process, but an affinity mask or a quota leaves it only 2; start it with all "
      "CPUs of the job (srun --cpus-per-task, or --cpu-bind=none)\n"
      "ok        job       1 of slurm\n"
      "\n1 thing disturbs measurements here.\n");
}

TEST(JobCheckup, NotesASingleCpuAndLittleMemory) {
  EXPECT_EQ(
      rows(job_in({{"SLURM_JOB_ID", "1"}, {"SLURM_CPUS_ON_NODE", "1"}, {"SLURM_MEM_PER_CPU", "512"}}), machine_with(1)),
      "note      job CPUs    1 for this process: a worker and the training step share one CPU; request 2 or more "
      "(--cpus-per-task)\n"
      "note      job memory  512.0 MiB requested on this node: the dataset, all slots and ceilings of up to 1.0 GiB "
      "share it; request more (--mem), or measure no ceilings (--ceilings off)\n"
      "ok        job         1 of slurm\n"
      "\nNothing disturbs measurements here; 2 notes.\n");
}

TEST(JobCheckup, NamesOnlyOptionsOfTheSchedulerThatRunsTheJob) {
  const auto cpus_row = [](const char* cpus, std::size_t in_force) {
    return rows(
        job_in({{"LSB_JOBID", "815"}, {"LSB_DJOB_NUMPROC", cpus}, {"LSB_MCPU_HOSTS", std::string("n1 ") + cpus}}),
        machine_with(in_force));
  };
  EXPECT_THAT(cpus_row("4", 2), HasSubstr("leaves it only 2; start it with all CPUs of the job\n"));
  EXPECT_THAT(cpus_row("1", 1), HasSubstr("share one CPU; request 2 or more (-n 2 -R 'span[hosts=1]')\n"));
}

TEST(JobCheckup, SaysWhatToDoWhereTheJobEndsBeforeAUsualRun) {
  const Job job{.scheduler = "slurm", .id = "1", .ends = "2026-11-21T10:00:59Z"};
  EXPECT_EQ(rows(job, machine_with(4)),
            "disturbs  job time  59.0 s left, less than the minute or so that a run takes with standard options; "
            "--time-limit makes a run fit, or request more time (--time)\n"
            "ok        job       1 of slurm\n"
            "\n1 thing disturbs measurements here.\n");
  EXPECT_EQ(job_checkup(job, machine_with(4), {}, "2026-11-21T09:59:59Z").back().health, Health::kFine);
  EXPECT_EQ(job_checkup(job, machine_with(4), {}, "2026-11-21T10:01:00Z").back().found,
            "the time limit of the job passed at 2026-11-21T10:00:59Z");
}

}  // namespace
}  // namespace loadline
