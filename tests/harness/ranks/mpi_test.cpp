// What launchers tell the processes that they start.
#include "harness/ranks/mpi.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

namespace loadline {
namespace {

std::optional<Launch> launch(const std::map<std::string, std::string>& environment) {
  return launch_from([&](const char* name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  });
}

void expect_launch(const std::optional<Launch>& found, const std::string& launcher, std::size_t rank,
                   std::size_t size) {
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launcher, launcher);
  EXPECT_EQ(found->rank, rank);
  EXPECT_EQ(found->size, size);
}

TEST(RefusesRoot, ConcernsOpenMpiUntilBothVariablesAllowIt) {
  const auto with = [](const std::map<std::string, std::string>& environment) {
    return [environment](const char* name) -> std::optional<std::string> {
      const auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
  };
  EXPECT_TRUE(refuses_root("Open MPI v4.1.4", true, with({})));
  EXPECT_TRUE(refuses_root("Open MPI v4.1.4", true, with({{"OMPI_ALLOW_RUN_AS_ROOT", "1"}})));
  EXPECT_FALSE(refuses_root("Open MPI v4.1.4", true,
                            with({{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}})));
  EXPECT_FALSE(refuses_root("Open MPI v4.1.4", false, with({})));
  EXPECT_FALSE(refuses_root("MPICH Version: 4.0.2", true, with({})));
}

TEST(LaunchFrom, KnowsLaunchersByTheirVariables) {
  expect_launch(launch({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}), "mpirun", 3, 4);
  expect_launch(launch({{"PMI_SIZE", "2"}, {"PMI_RANK", "1"}}), "mpiexec", 1, 2);
  expect_launch(launch({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "7"}}), "srun", 7, 8);
}

TEST(LaunchFrom, CountsTheRanksOfAllNodesWithMpich) {
  expect_launch(launch({{"MPI_LOCALNRANKS", "1"},
                        {"PMI_SIZE", "4"},
                        {"PMI_RANK", "2"},
                        {"SLURM_STEP_NUM_TASKS", "4"},
                        {"SLURM_PROCID", "2"}}),
                "mpirun", 2, 4);
}

TEST(LaunchFrom, KnowsSrunWithEveryProcessManager) {
  for (const char* variable : {"PMIX_NAMESPACE", "PMI_FD", "PMI_SIZE"}) {
    EXPECT_TRUE(has_process_manager([&](const char* name) -> std::optional<std::string> {
      return std::string_view(name) == variable ? std::optional<std::string>("2") : std::nullopt;
    })) << variable;
  }
  EXPECT_FALSE(has_process_manager([](const char* /*name*/) { return std::nullopt; })) << "srun --mpi=none";
  expect_launch(launch({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_PROCID", "1"}, {"PMI_SIZE", "2"}, {"PMI_RANK", "1"}}),
                "srun", 1, 2);
}

TEST(LaunchFrom, RecognisesMpirunWithinAStepOfSrun) {
  expect_launch(launch({{"OMPI_COMM_WORLD_SIZE", "2"},
                        {"OMPI_COMM_WORLD_RANK", "0"},
                        {"SLURM_STEP_NUM_TASKS", "1"},
                        {"SLURM_PROCID", "0"}}),
                "mpirun", 0, 2);
}

TEST(LaunchFrom, FindsNoLaunchOfOneProcessOrInABatchScript) {
  EXPECT_FALSE(launch({}));
  EXPECT_FALSE(launch({{"OMPI_COMM_WORLD_SIZE", "1"}, {"OMPI_COMM_WORLD_RANK", "0"}}));
  EXPECT_FALSE(launch({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}})) << "of the job, which sbatch starts once";
}

}  // namespace
}  // namespace loadline
