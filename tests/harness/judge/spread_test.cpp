// Expected variations are computed by hand. A detectable change is exp(d) - 1, where scipy 1.10.1's nct solves R
// 4.2.2's power.t.test(n, delta = d, sd = v, power = 0.8, sig.level = 0.05) for d.
#include "harness/judge/spread.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

using test::overhead;
using test::result_of;

std::optional<Spread> spread(const Result& result) {
  return spread_of(result, judge_run(result).cells);
}

// Variations of 1 %, 2 % and 10 %, and a cell of a single trial.
Result noisy() {
  return result_of({{.mode = Mode::kIo, .rates = {990, 1000, 1010}},
                    {.mode = Mode::kIo, .rates = {900, 1000, 1100}, .batch_size = 200},
                    {.mode = Mode::kSynthetic, .rates = {980, 1000, 1020}},
                    {.mode = Mode::kFull, .rates = {500}},
                    overhead()});
}

TEST(Spread, IsThatOfTheMedianCellAndNamesTheWorst) {
  const Spread found = spread(noisy()).value();
  EXPECT_EQ(found.cells, 3U);
  EXPECT_NEAR(found.variation, 0.02, 1e-15);
  EXPECT_NEAR(found.worst, 0.1, 1e-15);
  EXPECT_EQ(found.worst_cell, 1U);
  EXPECT_EQ(found.fewest_trials, 3U);
  EXPECT_EQ(found.most_trials, 3U);
}

TEST(Spread, SaysWhatTwoSuchRunsCanDetectByExactPower) {
  EXPECT_NEAR(spread(noisy())->detectable, 0.063343147, 1e-7);
  const Result five = result_of({{.mode = Mode::kIo, .rates = {1010, 990, 1000, 1010, 990}}});
  EXPECT_NEAR(spread(five)->variation, 0.01, 1e-15);
  EXPECT_NEAR(spread(five)->detectable, 0.020450718, 1e-7);
}

TEST(Spread, IsZeroWhereTrialsDoNotVary) {
  const Spread found = spread(result_of({{.mode = Mode::kIo, .rates = {1000, 1000}}})).value();
  EXPECT_EQ(found.variation, 0);
  EXPECT_EQ(found.detectable, 0);
}

TEST(Spread, IsUnknownWhereNoCellHasTwoTrials) {
  EXPECT_FALSE(spread(result_of({{.mode = Mode::kIo, .rates = {1000}}, overhead()})));
  EXPECT_FALSE(spread(result_of({})));
}

TEST(SpreadSentence, SaysHowNoisyTheRunWasAndWhatItCanDetect) {
  const Result result = noisy();
  EXPECT_EQ(
      spread_sentence(*spread(result), result),
      "Trials vary by 2 % of their mean (median of 3 cells; worst 10 %, mnist/IO/serial/batch:200): two runs with "
      "3 trials each show a change of 6.3 % in four cases of five.");
}

TEST(SpreadSentence, NamesTheOnlyCellAndTheRangeOfTrials) {
  const Result one = result_of({{.mode = Mode::kIo, .rates = {1010, 990, 1000, 1010, 990}}});
  EXPECT_EQ(
      spread_sentence(*spread(one), one),
      "Trials vary by 1 % of their mean (mnist/IO/serial/batch:100): two runs with 5 trials each show a change of "
      "2 % in four cases of five.");
  Result two = result_of({{.mode = Mode::kIo, .rates = {1010, 990, 1000, 1010, 990}},
                          {.mode = Mode::kSynthetic, .rates = {1000, 1000, 1000}}});
  EXPECT_NE(spread_sentence(*spread(two), two).find("with 3 to 5 trials each"), std::string::npos);
}

TEST(SpreadSentence, NamesNoChangeThatIsMoreThanAll) {
  const Result result = result_of({{.mode = Mode::kIo, .rates = {1000, 10, 1500}}});
  EXPECT_THAT(spread_sentence(*spread(result), result),
              testing::EndsWith(": two runs with 3 trials each do not show even a factor of two reliably."));
}

}  // namespace
}  // namespace loadline
