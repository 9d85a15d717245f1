#include "harness/measure/time_left.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::result_of;

// Each trial takes 0.5 s, two steps of 0.1 s to warm up, and 0.02 s to set up.
constexpr double kTrial = 0.72;

Result two_unmeasured_cells() {
  return result_of(
      {{.mode = Mode::kSynthetic, .rates = {}}, {.mode = Mode::kSynthetic, .rates = {}, .batch_size = 50}});
}

void measure(Result& result, std::size_t cell) {
  result.cells[cell].trials.push_back(test::trial_of(100, 100));
}

TEST(TimeLeft, IsThatOfTheScheduleBeforeAnythingIsMeasured) {
  const Result result = two_unmeasured_cells();
  const RunOptions options{.trials = 3};
  EXPECT_NEAR(TimeLeft(options, true, {}).rest(result).seconds, schedule_of(result, options, true, 0).most_seconds,
              1e-9);
  EXPECT_FALSE(TimeLeft(options, true, {}).rest(result).at_most);
}

TEST(TimeLeft, FollowsWhatTrialsTook) {
  Result result = result_of({{.mode = Mode::kSynthetic, .rates = {}}});
  TimeLeft left({.trials = 3}, true, {});
  measure(result, 0);
  left.trial_took(result, result.cells[0], 4);
  EXPECT_NEAR(left.rest(result).seconds, 2 * 4, 1e-9);
  measure(result, 0);
  left.trial_took(result, result.cells[0], 2);
  EXPECT_NEAR(left.rest(result).seconds, 3, 1e-9) << "the mean of both";
  measure(result, 0);
  left.trial_took(result, result.cells[0], 2);
  EXPECT_EQ(left.rest(result).seconds, 0);
}

TEST(TimeLeft, StretchesWhatWasNotMeasuredYetLikeWhatWas) {
  Result result = two_unmeasured_cells();
  TimeLeft left({.trials = 1, .warm_up_batches = 2}, true, {});
  measure(result, 0);
  left.trial_took(result, result.cells[0], 3 * kTrial);
  EXPECT_NEAR(left.rest(result).seconds, 3 * (0.5 + 2 * 0.05 + 0.02), 1e-9);
}

TEST(TimeLeft, JudgesCeilingsByCeilingsOnly) {
  Result result = result_of({{.mode = Mode::kSynthetic, .rates = {}}});
  test::add_ceiling(result, test::ceiling("memory-read", 1), {}, {});
  test::add_ceiling(result, test::ceiling("memory-read", 2), {}, {});
  TimeLeft left({.trials = 1}, true, {});
  result.ceilings[0].trials.push_back({.wall_seconds = 0.15, .amount = 1});
  left.trial_took(result, result.ceilings[0], 1.5);
  EXPECT_NEAR(left.rest(result).seconds, 1.5 + kTrial, 1e-9);
  TimeLeft alone({.trials = 2}, false, {});
  alone.trial_took(result, result.ceilings[0], 1.5);
  EXPECT_NEAR(alone.rest(result).seconds, 1.5 + 2 * 1.5, 1e-9);
}

TEST(TimeLeft, CountsFirstEpochsUntilTheTrialsBegin) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {}}, {.mode = Mode::kFull, .rates = {}, .workers = 2}});
  TimeLeft left({.trials = 1, .first_epoch_seconds = 2}, true, {});
  const double trials = left.rest(result).seconds - 2 * (2 + 0.02);
  EXPECT_NEAR(trials, 2 * kTrial, 1e-9);
  result.cells[0].first_epoch = FirstEpoch();
  left.first_epoch_took(result, result.cells[0], 5 * (2 + 0.02));
  EXPECT_NEAR(left.rest(result).seconds, trials + 5 * (2 + 0.02), 1e-9);
  measure(result, 0);
  left.trial_took(result, result.cells[0], kTrial);
  EXPECT_NEAR(left.rest(result).seconds, kTrial, 1e-9) << "a time limit left the second one out";
}

TEST(TimeLeft, LeavesOutWhatHasFailed) {
  Result result = two_unmeasured_cells();
  test::add_ceiling(result, test::ceiling("memory-read", 1), {}, {});
  result.ceilings[0].error = "no memory";
  result.cells[0].error = "broken";
  EXPECT_NEAR(TimeLeft({.trials = 1}, true, {}).rest(result).seconds, 0.5 + 2 * 0.05 + 0.02, 1e-9);
}

TEST(TimeLeft, IsAnUpperLimitUntilPilotsSayHowManyTrialsTheyNeed) {
  Result result = result_of({{.mode = Mode::kSynthetic, .rates = {}}});
  TimeLeft left({.until_ci = 0.5, .max_trials = 50}, true, {});
  EXPECT_TRUE(left.rest(result).at_most);
  EXPECT_NEAR(left.rest(result).seconds, 50 * kTrial, 1e-9);
  for (const double rate : {98, 99, 100, 101, 102}) result.cells[0].trials.push_back(test::trial_of(rate, 100));
  EXPECT_FALSE(left.rest(result).at_most);
  EXPECT_NEAR(left.rest(result).seconds, 5 * kTrial, 1e-9) << "the fewest fresh trials";
}

TEST(TimeLeft, CountsTheChecksOfTheVerdict) {
  Result result = result_of({{.mode = Mode::kFull, .rates = {100}}});
  const RunOptions options{.trials = 1, .first_epoch_seconds = 0, .check_verdict = true};
  EXPECT_NEAR(TimeLeft(options, true, {}).rest(result).seconds, 2 * kTrial, 1e-9) << "at most two";
  result.checks.push_back(test::cell_result({.mode = Mode::kFull, .rates = {}, .workers = 2}));
  EXPECT_NEAR(TimeLeft(options, true, {}).rest(result).seconds, kTrial, 1e-9);
}

}  // namespace
}  // namespace loadline
