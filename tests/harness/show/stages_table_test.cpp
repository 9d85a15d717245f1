#include "harness/show/stages_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

// Gives each trial of the cell, which has 100 batches in 10 s, the same stages.
void add_stages(CellResult& cell) {
  for (Trial& trial : cell.trials) {
    trial.stages = {{"host waits", 100, 2.5}, {"forward", 100, 7.25}, {"never", 0, 0}, {"other", 100, 0.25}};
  }
}

TEST(StagesText, SumsTheTrialsOfTheHeadline) {
  Result result = test::result_of({
      {.mode = Mode::kSynthetic, .rates = {1000, 1000}},
      {.mode = Mode::kFull, .rates = {500, 500}},
      {.mode = Mode::kFull, .rates = {1000, 1000}, .loader = "thread-pool", .workers = 2},
  });
  for (CellResult& cell : result.cells) add_stages(cell);
  EXPECT_EQ(stages_text(result, judge_run(result)),
            "where the time goes: mnist/FULL/thread-pool/workers:2/batch:100, 2 trials\n"
            "stage       hits     total  per hit  % of time\n"
            "host waits   200   5.000 s    25 ms       25.0\n"
            "forward      200  14.500 s    72 ms       72.5\n"
            "other        200   0.500 s   2.5 ms        2.5\n"
            "\n"
            "host waits: the thread that pulls batches has none to take; steps launched ahead continue meanwhile, and "
            "what the compute loses is the stall\n");
}

TEST(StagesText, NamesNoStepsAheadOfAComputeThatEndsEachStep) {
  Result result = test::result_of({{.mode = Mode::kSynthetic, .rates = {1000}}});
  add_stages(result.cells[0]);
  for (const char* compute :
       {"cnn", "device:samples_per_second=1000,depth=0", "device:samples_per_second=1000,mode=dp"}) {
    result.cells[0].cell.compute = compute;
    EXPECT_THAT(stages_text(result, judge_run(result)),
                testing::EndsWith("\nhost waits: the thread that pulls batches has none to take\n"))
        << compute;
  }
}

TEST(StagesText, CoversTheComputeAloneWhereThereIsNoFull) {
  Result both = test::result_of({
      {.mode = Mode::kIo, .rates = {1000}},
      {.mode = Mode::kSynthetic, .rates = {1000}},
  });
  Result alone = test::result_of({{.mode = Mode::kSynthetic, .rates = {1000}}});
  const std::string expected =
      "where the time goes: mnist/SYNTHETIC/batch:100, 1 trial\n"
      "stage       hits    total  per hit  % of time\n"
      "host waits   100  2.500 s    25 ms       25.0\n"
      "forward      100  7.250 s    72 ms       72.5\n"
      "other        100  0.250 s   2.5 ms        2.5\n"
      "\n"
      "host waits: the thread that pulls batches has none to take; steps launched ahead continue meanwhile, and what "
      "the compute loses is the stall\n";
  add_stages(both.cells[1]);
  add_stages(alone.cells[0]);
  EXPECT_EQ(stages_text(both, judge_run(both)), expected);
  EXPECT_EQ(stages_text(alone, judge_run(alone)), expected);
}

TEST(StagesText, TranslatesAFormerNameOfAStage) {
  Result result = test::result_of({{.mode = Mode::kSynthetic, .rates = {1000}}});
  result.cells[0].trials[0].stages = {{"wait for data", 100, 2.5}};
  EXPECT_EQ(stages_of(result.cells[0])[0].name, "host waits");
}

TEST(StagesText, IsEmptyWhereNoComputeHasStages) {
  const Result result =
      test::result_of({{.mode = Mode::kSynthetic, .rates = {1000}}, {.mode = Mode::kFull, .rates = {1000}}});
  EXPECT_EQ(stages_text(result, judge_run(result)), "");
}

}  // namespace
}  // namespace loadline
