#include "harness/show/loader_stages_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/loader_stages.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::spend;
using testing::HasSubstr;
using testing::Not;

TEST(LoaderStagesText, HasTheStagesOfWorkersAndConsumer) {
  Result result =
      test::result_of({{.mode = Mode::kIo, .rates = {1000}, .loader = "thread-pool", .workers = 2},
                       {.mode = Mode::kFull, .rates = {1000, 1000}, .loader = "thread-pool", .workers = 2}});
  result.datasets[0].info.access = Access::kFiles;
  for (Trial& trial : result.cells[1].trials) {
    spend(trial, 2, {{WorkerStage::kOpen, 0.12}, {WorkerStage::kDecode, 0.78}, {WorkerStage::kTransform, 0.1}});
    trial.wait.total_seconds = 0.25 * trial.wall_seconds;
  }
  EXPECT_EQ(loader_stages_text(result, judge_run(result)),
            "where the loader's time goes: mnist/FULL/thread-pool/workers:2/batch:100, 2 trials\n"
            "thread     stage              share of time  per sample\n"
            "2 workers  open                12.0 ± 0.0 %      240 µs\n"
            "           decode              78.0 ± 0.0 %      1.6 ms\n"
            "           transform           10.0 ± 0.0 %      200 µs\n"
            "consumer   waits for a batch   25.0 ± 0.0 %      250 µs\n"
            "           the rest            75.0 ± 0.0 %      750 µs\n"
            "consumer: steps launched ahead continue while it waits; what the compute loses is the stall\n");
  for (const char* compute : {"cnn", "drain", "device:samples_per_second=1000,depth=0"}) {
    result.cells[1].cell.compute = compute;
    EXPECT_THAT(loader_stages_text(result, judge_run(result)), Not(HasSubstr("launched ahead"))) << compute;
  }
}

TEST(LoaderStagesText, ShowsTheConsumersThreadForALoaderWithoutWorkers) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {1000}}});
  spend(result.cells[0].trials[0], 0, {{WorkerStage::kTransform, 0.75}, {WorkerStage::kIdle, 0.25}});
  EXPECT_EQ(loader_stages_text(result, judge_run(result)),
            "where the loader's time goes: mnist/IO/serial/batch:100, 1 trial\n"
            "thread    stage      share of time  per sample\n"
            "consumer  transform           75 %      750 µs\n"
            "          the rest            25 %      250 µs\n"
            "transform: includes reading the mapped data, which is read when it is touched\n");
}

TEST(LoaderStagesText, SaysHowLittleIsKnownOfAnOutsideLoader) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {1000}, .loader = "torch"}});
  Trial& trial = result.cells[0].trials[0];
  trial.loader_stages = loader_stages_of_next_calls(9, 10);
  EXPECT_EQ(loader_stages_text(result, judge_run(result)),
            "where the loader's time goes: mnist/IO/torch/batch:100, 1 trial\n"
            "thread    stage      share of time  per sample\n"
            "consumer  next call           90 %      900 µs\n"
            "          the rest            10 %      100 µs\n"
            "next call: time in next() of an outside loader, which works there or waits for its own workers\n");
  trial.loader_cpu_seconds = 15;
  EXPECT_THAT(loader_stages_text(result, judge_run(result)),
              HasSubstr("\nmeanwhile the loader's processes and threads used 1.50 CPUs\n"));
}

TEST(LoaderStagesText, ExplainsWhatATimeIncludes) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {1000}, .loader = "thread-pool", .workers = 4}});
  result.datasets[0].info.access = Access::kRows;
  spend(result.cells[0].trials[0], 4, {{WorkerStage::kLibraryLock, 0.75}, {WorkerStage::kRead, 0.25}});
  const std::string text = loader_stages_text(result, judge_run(result));
  EXPECT_THAT(text, HasSubstr("library lock: waiting for other threads to leave the HDF5 library\n"));
  EXPECT_THAT(text, HasSubstr("5 threads share 4 CPUs: times include waiting for a CPU\n"));
  EXPECT_THAT(text, Not(HasSubstr("mapped")));
}

TEST(LoaderStagesText, IsEmptyWhereNoLoaderReportsStages) {
  const Result result = test::result_of({{.mode = Mode::kIo, .rates = {1000}}});
  EXPECT_EQ(loader_stages_text(result, judge_run(result)), "");
}

}  // namespace
}  // namespace loadline
