#include "harness/judge/python_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/judge/judgement.h"
#include "harness/judge/warnings.h"
#include "harness/show/figures_text.h"
#include "harness/show/warning_text.h"
#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using testing::HasSubstr;
using testing::Not;

// A program's own loop, with these rates for loading alone, the step alone and both together.
Result loop_of(const std::vector<double>& io, const std::vector<double>& synthetic, const std::vector<double>& full,
               std::size_t workers) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = io, .loader = "DataLoader", .workers = workers},
                                   {.mode = Mode::kSynthetic, .rates = synthetic},
                                   {.mode = Mode::kFull, .rates = full, .loader = "DataLoader", .workers = workers}});
  for (CellResult& cell : result.cells) {
    if (cell.cell.mode != Mode::kIo) cell.cell.compute = kProgramStep;
    cell.cell.cache = CacheState::kAsIs;
    for (Trial& trial : cell.trials) {
      if (cell.cell.mode == Mode::kIo) trial.fill = Fill{trial.wall_seconds, trial.batches, trial.samples};
    }
  }
  result.datasets[0].info.access = Access::kUnknown;
  result.loop = LoopFacts{.loader = "torch.utils.data.DataLoader", .samples_by = "first dimension"};
  return result;
}

std::string python_text_of(const Result& result) {
  const Judgement judgement = judge_run(result);
  return figures_text(result, judgement, kUnlimited) + warning_text(judgement);
}

TEST(PythonWords, ReplaceOptions) {
  EXPECT_EQ(in_python("raise --workers or use a faster --loader."), "raise num_workers or use a faster loader.");
  EXPECT_EQ(in_python("use --trials 12."), "use trials=12.");
  EXPECT_EQ(in_python("use --scaled-dct or --order page-shuffled"), "use scaled_dct or order=page-shuffled");
  EXPECT_EQ(in_python("nothing to replace"), "nothing to replace");
}

TEST(UntilCiWords, NameTheOptionsThatRaiseTheNumberOfTrials) {
  EXPECT_EQ(with_until_ci("measure 5 or more (--trials)"), "measure 5 or more (--max-trials)");
  EXPECT_EQ(with_until_ci("use --trials 5 or more."), "use --max-trials 5 or more.");
  EXPECT_EQ(with_until_ci("use a quieter machine or --trials 57."),
            "use a quieter machine or 57 trials (a larger --max-trials or a smaller --until-ci).");
  EXPECT_EQ(with_until_ci("Raise --batch-size or use more --trials."),
            "Raise --batch-size or use more trials (a larger --max-trials or a smaller --until-ci).");
  EXPECT_EQ(with_until_ci("use longer trials (--trial-seconds)"), "use longer trials (--trial-seconds)");
}

TEST(PythonWords, AdviseWorkersForALoaderWithoutAny) {
  const std::string text = python_text_of(loop_of({2000, 2001, 2002}, {1000, 1001, 1002}, {680, 681, 682}, 0));
  EXPECT_THAT(text, HasSubstr("Bound by interference"));
  EXPECT_THAT(text, HasSubstr("num_workers=1 or more"));
  EXPECT_THAT(text, Not(HasSubstr("prefetch_factor")));
}

TEST(PythonWords, AreInTheVerdictOfALoopThatWaits) {
  const std::string text = python_text_of(loop_of({500, 501, 502}, {1000, 1001, 1002}, {500, 501, 502}, 2));
  EXPECT_THAT(text, HasSubstr("mnist, DataLoader x 2: Bound by loading: the training step waits 50.0 ± 0.2 % of the "
                              "time for DataLoader with 2 workers"));
  EXPECT_THAT(text, HasSubstr("raise num_workers or use a faster loader."));
}

TEST(PythonWords, AreInTheVerdictOfAStepThatIsBusy) {
  const std::string text = python_text_of(loop_of({5000, 5010, 5020}, {1000, 1001, 1002}, {999, 1000, 1001}, 2));
  EXPECT_THAT(text, HasSubstr("Bound by compute: the training step is busy"));
  EXPECT_THAT(text, HasSubstr("make the step faster."));
}

// Whatever a run shows, the text names no command-line option, because a Python program cannot pass any.
TEST(PythonWords, LeaveNoOptionInTheTextForALoop) {
  const std::vector<std::vector<double>> rates{
      {}, {1000}, {1000, 1001, 1002}, {500, 501, 502}, {940, 941, 942}, {300, 900, 2000}, {5000, 5001, 5002}};
  for (const auto& io : rates) {
    for (const auto& synthetic : rates) {
      for (const auto& full : rates) {
        for (const std::size_t workers : {0, 2, 4, 9}) {
          const std::string text = python_text_of(loop_of(io, synthetic, full, workers));
          EXPECT_THAT(text, Not(HasSubstr("--"))) << workers;
          EXPECT_THAT(text, Not(HasSubstr("loadline run"))) << workers;
        }
      }
    }
  }
}

}  // namespace
}  // namespace loadline
