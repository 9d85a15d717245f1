#include "harness/cli/scale_runs.h"

#include <gtest/gtest.h>

#include "loaders/error.h"
#include "tests/harness/support/ranks.h"

namespace loadline {
namespace {

template <typename Function>
std::string refusal_of_scale(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ScaleRuns, PutResultsBesideTheStudy) {
  EXPECT_EQ(result_of_ranks("out/scaling.json", 4), "out/scaling-4.json");
  EXPECT_EQ(result_of_ranks("scaling", 16), "scaling-16.json");
}

TEST(ScaleRuns, PassAllOptionsThroughTheLauncher) {
  ScaleRequest request;
  request.words = {"--workload=cifar10", "--batch-size=64"};
  const std::vector<std::string> want{
      "mpirun", "--bind-to",          "core a",          "-n",      "4",        "/opt/loadline",
      "run",    "--workload=cifar10", "--batch-size=64", "--quiet", "--resume", "s-4.json"};
  EXPECT_EQ(command_of_ranks(request, "mpirun --bind-to 'core a' -n {ranks}", {"/opt/loadline"}, 4, "s-4.json"), want);
}

TEST(ScaleRuns, GiveEachRankItsShareInStrongScaling) {
  ScaleRequest request;
  request.scaling = "strong";
  request.options.batch_sizes = {64};
  request.words = {"--batch-size=64"};
  const auto words = command_of_ranks(request, "srun -n{ranks}", {"loadline"}, 16, "s.json");
  const std::vector<std::string> want{"srun",           "-n16",    "loadline", "run",   "--batch-size=64",
                                      "--batch-size=4", "--quiet", "--resume", "s.json"};
  EXPECT_EQ(words, want);
  EXPECT_EQ(refusal_of_scale([&] { batch_of_rank(request, 3); }),
            "--scaling strong: 3 ranks cannot share a batch of 64 evenly");
  request.options.batch_sizes = {};
  EXPECT_EQ(refusal_of_scale([&] { batch_of_rank(request, 2); }),
            "--scaling strong: want one --batch-size, which all ranks share");
}

TEST(ScaleRuns, RefuseALauncherWithoutAPlaceForTheRanks) {
  EXPECT_EQ(refusal_of_scale([] { command_of_ranks({}, "mpirun -n 4", {"loadline"}, 4, "s.json"); }),
            "--launcher: want {ranks} in place of the number of ranks, got 'mpirun -n 4'");
}

TEST(ScaleRuns, UseSrunInSlurmJobs) {
  EXPECT_EQ(default_launcher([](const char*) { return std::nullopt; }), "mpirun -n {ranks}");
  const auto job = [](const char* name) -> std::optional<std::string> {
    if (std::string_view(name) == "SLURM_JOB_ID") return "17";
    if (std::string_view(name) == "SLURM_CPUS_PER_TASK") return "8";
    return std::nullopt;
  };
  EXPECT_EQ(default_launcher(job), "srun --mpi=pmix --ntasks={ranks} --cpus-per-task=8");
}

TEST(ScaleRuns, SayWhichExclusionsNoCellMeetsUnlessTheirRanksMayHaveOne) {
  using Texts = std::vector<std::string>;
  const PlanContext context{.threads_in_force = 2, .cpus = {0, 1}, .nodes = {}, .data_directory = "/data"};
  const auto idle = [&](const ScaleRequest& request) {
    std::vector<Texts> texts;
    for (const Plan& plan : plans_of_ranks(request, context)) texts.push_back(plan.idle_exclusions);
    return texts;
  };
  ScaleRequest request;
  request.ranks = {1, 2};
  request.options.exclude = {"loader=serail",
                             "workers=64",
                             "rank=1",
                             "threads_in_force=8",
                             "world_size=2 loader=serial",
                             "compute_threads=9",
                             "batch_size=7 loader=serial"};
  EXPECT_EQ(idle(request),
            (std::vector{Texts{"loader=serail", "world_size=2 loader=serial", "batch_size=7 loader=serial"},
                         Texts{"loader=serail", "batch_size=7 loader=serial"}}));
  request.options.workers = {1, 2};
  request.options.exclude = {"workers=64"};
  EXPECT_EQ(idle(request), std::vector(2, Texts{"workers=64"}));
  request.scaling = "strong";
  request.options.batch_sizes = {64};
  request.options.exclude = {"batch_size=64 loader=serial"};
  EXPECT_EQ(idle(request), (std::vector{Texts(), Texts{"batch_size=64 loader=serial"}}));
}

TEST(ScaleRuns, RefuseAResultOfOtherOptionsOrRanks) {
  ScaleRequest request;
  Result result = test::ranks_result({.ranks = 2, .full = {100}});
  EXPECT_EQ(misfit_of(result, request, 2, "s-2.json"), "");
  EXPECT_EQ(misfit_of(result, request, 4, "s-4.json"),
            "s-4.json has 2 ranks instead of 4; remove it, or name another --output");
  result.options.trials = 3;
  EXPECT_EQ(misfit_of(result, request, 2, "s-2.json"),
            "s-2.json was measured with a different --trials; remove it, or name another --output");
  result.options = {};
  result.options.output = "s-2.json";
  result.options.world_size = 2;
  EXPECT_EQ(misfit_of(result, request, 2, "s-2.json"), "");
}

}  // namespace
}  // namespace loadline
