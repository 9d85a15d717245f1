#include "harness/plan/command.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

Plan plan_asked_by(const RunOptions& options) {
  return make_plan(options, {.threads_in_force = 4, .cpus = {0, 1, 2, 3}, .data_directory = "/data"});
}

TEST(Command, NamesTheCellAndOptionsThatAreNotAtTheirDefaults) {
  const RunOptions options{.workloads = {"cifar10"},
                           .loaders = {"thread-pool", "flow-graph"},
                           .workers = {1, 2},
                           .in_memory = true,
                           .dtype = "u8",
                           .exclude = {"workers=2"},
                           .trials = 9,
                           .time_limit = 60,
                           .output = "x.json"};
  EXPECT_EQ(command_options(options, plan_asked_by(options).cells.front(), kImageData),
            "--workload cifar10 --loader thread-pool --workers 1 --batch-size 512 --in-memory --dtype u8");
}

TEST(Command, HasTheValueThatTheCellHasOnAnAxis) {
  RunOptions options{.modes = {"io"}, .loaders = {"thread-pool"}, .workers = {2}, .axes = {{"prefetch", {"2", "4"}}}};
  EXPECT_EQ(command_options(options, plan_asked_by(options).cells[1], kImageData),
            "--workload fashion-mnist --loader thread-pool --workers 2 --batch-size 512 --prefetch 4");
}

TEST(Command, SaysOnAndOffAsOptionsDo) {
  const RunOptions options{
      .workloads = {"cifar10"}, .modes = {"io"}, .loaders = {"serial"}, .axes = {{"flip", {"on", "off"}}}};
  EXPECT_EQ(command_options(options, plan_asked_by(options).cells[1], kImageData),
            "--workload cifar10 --loader serial --batch-size 512 --flip off");
}

TEST(Command, TakesWhatDistinguishesMergedResults) {
  const RunOptions options{.workloads = {"cifar10"}, .modes = {"io"}, .loaders = {"serial"}, .seed = 1};
  Cell cell = plan_asked_by(options).cells.front();
  cell.axes = {"seed"};
  cell.sampler.seed = 2;
  EXPECT_EQ(command_options(options, cell, kImageData), "--workload cifar10 --loader serial --batch-size 512 --seed 2");
}

TEST(Command, NamesNoWorkersForALoaderWithoutThem) {
  const RunOptions options{.modes = {"io"}, .loaders = {"serial"}};
  EXPECT_EQ(command_options(options, plan_asked_by(options).cells.front(), kImageData),
            "--workload fashion-mnist --loader serial --batch-size 512");
}

TEST(Command, LeavesOutWhatDoesNotApplyToTheData) {
  const RunOptions options{
      .workloads = {"cifar10", "tokens"}, .modes = {"io"}, .loaders = {"serial"}, .sequence_length = 64};
  const auto cells = plan_asked_by(options).cells;
  EXPECT_EQ(command_options(options, cells[0], kImageData), "--workload cifar10 --loader serial --batch-size 512");
  EXPECT_EQ(command_options(options, cells[1], kTokenData),
            "--workload tokens --loader serial --batch-size 64 --sequence-length 64");
}

TEST(Command, BeginsWithPythonForFunctionsInPython) {
  EXPECT_EQ(program_of({.compute = "drain", .loader = "thread-pool"}), "loadline");
  EXPECT_EQ(program_of({.compute = "drain", .loader = "train.py:make_loader"}), "python3 -m loadline");
  EXPECT_EQ(program_of({.compute = "train.py:make_step"}), "python3 -m loadline");
  EXPECT_EQ(program_of({.compute = "drain", .loader = "package.module:make_loader"}), "python3 -m loadline");
  EXPECT_EQ(program_of({.compute = "cnn", .loader = "replay:job"}), "loadline");
  EXPECT_EQ(program_of({.compute = "replay:job"}), "loadline");
}

TEST(Command, IsQuotedForAShell) {
  EXPECT_EQ(shell_quoted("device:samples_per_second=5,depth=1"), "device:samples_per_second=5,depth=1");
  EXPECT_EQ(shell_quoted("/my data/it's"), "'/my data/it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace loadline
