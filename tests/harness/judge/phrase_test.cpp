#include "harness/judge/phrase.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(Percent, ShowsAsManyDigitsAsTheIntervalSupports) {
  EXPECT_EQ(percent({0.3802, Interval{0.3602, 0.4002}}), "38 ± 2 %");
  EXPECT_EQ(percent({0.9920, Interval{0.9892, 0.9948}}), "99.2 ± 0.3 %");
  EXPECT_EQ(percent({0.0202, Interval{0.0082, 0.0322}}), "2.0 ± 1.2 %");
  EXPECT_EQ(percent({0.5, Interval{0.28, 0.72}}), "50 ± 22 %");
}

TEST(Percent, RoundsATinyIntervalUpToTheLastPlace) {
  EXPECT_EQ(percent({0.99218, Interval{0.99216, 0.99220}}), "99.2 ± 0.1 %");
}

TEST(Percent, ShowsAnIntervalOfNoWidthWhereAllTrialsAgree) {
  EXPECT_EQ(percent({0.25, Interval{0.25, 0.25}}), "25.0 ± 0.0 %");
}

TEST(Percent, WritesALopsidedIntervalByItsEnds) {
  EXPECT_EQ(percent({0.7906, Interval{0.4804, 0.9668}}), "79 % (48 to 97 %)");
}

TEST(Percent, WritesAnIntervalByItsEndsWhereASymmetricOneWouldCrossZero) {
  EXPECT_EQ(percent({0.167, Interval{0.004, 0.355}}), "16.7 % (0.4 to 35.5 %)");
  EXPECT_EQ(percent({-0.167, Interval{-0.355, -0.03}}), "-17 % (-36 to -3 %)");
  EXPECT_EQ(percent({0.167, Interval{-0.01, 0.355}}), "17 ± 19 %");
  EXPECT_EQ(percent({0.0003, Interval{0.0001, 0.0006}}), "0.0 ± 0.1 %") << "its end would be shown as 0";
}

TEST(Percent, SaysSoWhereAnIntervalIsTooWideForAFigure) {
  EXPECT_EQ(percent({0.7906, Interval{-0.3204, 0.9668}}), "too noisy to say");
  EXPECT_EQ(percent({0.5, Interval{0.24, 0.76}}), "too noisy to say");
  EXPECT_FALSE(telling_share({0.5, Interval{0.24, 0.76}}));
  EXPECT_TRUE(telling_share({0.5, Interval{0.25, 0.75}}));
  EXPECT_FALSE(telling_share({0.5, {}})) << "nobody knows how sure it is";
}

TEST(PercentBeside, GivesTheEndsWhereASymmetricIntervalWouldSeemToContainTheLimit) {
  EXPECT_EQ(percent_beside({1.06, Interval{0.904, 1.24}}, 0.9), "106.0 % (90.4 to 124.0 %)");
  EXPECT_EQ(percent_beside({1.06, Interval{0.904, 1.24}}, 0.85), "106 ± 18 %");
  EXPECT_EQ(percent_beside({0.90, Interval{0.88, 0.92}}, 0.9), "90 ± 2 %") << "unclear";
}

TEST(PercentAtMost, RoundsUpAndAtLeastRoundsDown) {
  EXPECT_EQ(percent_at_most(0.0109), "1.1 %");
  EXPECT_EQ(percent_at_most(0.010), "1.0 %");
  EXPECT_EQ(percent_at_most(0.01001), "1.1 %");
  EXPECT_EQ(percent_at_least(0.0519), "5.1 %");
  EXPECT_EQ(percent_at_least(0.05), "5.0 %");
}

TEST(Percent, ShowsTenthsWithoutAnIntervalOnlyNearTheEnds) {
  EXPECT_EQ(percent({0.3802, {}}), "38 %");
  EXPECT_EQ(percent({0.0084, {}}), "0.8 %");
  EXPECT_EQ(percent({0.9916, {}}), "99.2 %");
}

TEST(Percent, ShowsANegativeShareButNeverANegativeZero) {
  EXPECT_EQ(percent({-0.0043, Interval{-0.0164, 0.0076}}), "-0.4 ± 1.2 %");
  EXPECT_EQ(percent({-0.0043, Interval{-0.0304, 0.0217}}), "0 ± 3 %");
  EXPECT_EQ(percent({-0.0004, {}}), "0.0 %");
  EXPECT_EQ(percent({-0.012, {}}), "-1.2 %");
}

TEST(Phrase, ShowsAStallThatNoisePutsBelowZeroByTheUpperEndOfItsInterval) {
  EXPECT_EQ(stall_text({0.007, Interval{-0.012, 0.026}}), "0.7 ± 1.9 %");
  EXPECT_EQ(stall_text({-0.01, Interval{-0.06, 0.04}}), "< 4.0 %");
  EXPECT_EQ(stall_text({-0.00004, Interval{-0.001, 0.001}}), "0.0 ± 0.1 %");
  EXPECT_EQ(stall_text({-0.02, Interval{-0.022, -0.018}}), "0 %");
  EXPECT_EQ(stall_text({-0.02, std::nullopt}), "0 %");
  EXPECT_EQ(stall_text({-0.5, Interval{-3, 0.6}}), "too noisy to say");
}

// It used to be "100.0 ± 0.1 %".
TEST(Phrase, ShowsNoStallAsAllOfTheTime) {
  const Estimate nearly{0.99999, Interval{0.99998, 0.999999}};
  EXPECT_EQ(stall_words(nearly), "more than 99.9 %");
  EXPECT_EQ(stall_text(nearly), "> 99.9 %");
  EXPECT_EQ(stall_words({0.9982, Interval{0.9972, 0.9992}}), "99.8 ± 0.1 %");
  EXPECT_EQ(stall_words({0.38, Interval{0.36, 0.40}}), "38 ± 2 %");
}

TEST(Phrase, ShowsNoUtilisationAsNoneOfTheTime) {
  EXPECT_EQ(utilisation_words({0.00001, Interval{0.000001, 0.00002}}), "less than 0.1 %");
  EXPECT_EQ(utilisation_words({0.0018, Interval{0.0008, 0.0028}}), "0.2 ± 0.1 %");
  EXPECT_EQ(utilisation_words({0.62, Interval{0.60, 0.64}}), "62 ± 2 %");
  EXPECT_EQ(utilisation_words({0.0003, std::nullopt}), "0.0 %");
}

TEST(Factor, ShowsTwoOrThreeSignificantDigits) {
  EXPECT_EQ(factor({0.0466, {}}), "0.047");
  EXPECT_EQ(factor({0.6, {}}), "0.60");
  EXPECT_EQ(factor({1.6135, {}}), "1.61");
  EXPECT_EQ(factor({22.998, {}}), "23");
  EXPECT_EQ(factor({1234.5, {}}), "1200");
}

TEST(Factor, ShowsItsInterval) {
  EXPECT_EQ(factor({1.01999, Interval{1.00827, 1.03185}}), "1.02 ± 0.01");
  EXPECT_EQ(factor({1.1538, Interval{0.7, 1.9}}), "1.15 (0.70 to 1.90)");
  EXPECT_EQ(factor({23.0, Interval{22.2, 23.8}}), "23 ± 1");
}

TEST(Factor, IsRoundedAwayAsABound) {
  EXPECT_EQ(factor_at_least(37.97), "37");
  EXPECT_EQ(factor_at_least(2.0986), "2.09");
  EXPECT_EQ(factor_at_least(2.5), "2.50");
  EXPECT_EQ(factor_at_most(1.021), "1.03");
  EXPECT_EQ(factor_at_most(0.601), "0.61");
}

TEST(Factor, SaysSoWhereAnIntervalIsTooWideForAFigure) {
  EXPECT_EQ(factor({1.0, Interval{0, 62}}), "too noisy to say");
  EXPECT_EQ(factor({1.1538, Interval{0.4858, 2.7404}}), "too noisy to say");
  EXPECT_TRUE(telling_factor({2, Interval{1, 4}}));
  EXPECT_FALSE(telling_factor({2, Interval{0.99, 4}}));
  EXPECT_FALSE(telling_factor({2, {}}));
}

TEST(Efficiency, ShowsAtMostTwoDecimals) {
  EXPECT_EQ(efficiency({0.9139, {}}), "0.91");
  EXPECT_EQ(efficiency({0.0932, Interval{0.0465, 0.1398}}), "0.09 ± 0.05");
  EXPECT_EQ(efficiency({-1.7468, Interval{-2.1468, -1.3468}}), "-1.7 ± 0.4");
  EXPECT_EQ(efficiency({-0.001, {}}), "0.00");
  EXPECT_EQ(efficiency({0.5, Interval{-0.1, 1.1}}), "too noisy to say");
  EXPECT_FALSE(telling_efficiency({0.5, {}}));
}

TEST(Rate, ChoosesItsUnit) {
  EXPECT_EQ(rate(4.96e6), "5.0 M");
  EXPECT_EQ(rate(12.4e6), "12 M");
  EXPECT_EQ(rate(150e3), "150 k");
  EXPECT_EQ(rate(999.9e3), "1.0 M") << "not 1000 k";
  EXPECT_EQ(rate(2.5e9), "2.5 G");
  EXPECT_EQ(rate(37), "37");
  EXPECT_EQ(rate(0.5), "0.5");
}

TEST(Rate, UsesTheUnitOfItsValueForItsIntervalToo) {
  EXPECT_EQ(rate(Estimate{180.4e3, Interval{178.3e3, 182.5e3}}), "180 ± 2 k");
  EXPECT_EQ(rate(Estimate{180.4e3, Interval{180.37e3, 180.43e3}}), "180.4 ± 0.1 k");
  EXPECT_EQ(rate(Estimate{999.8e3, Interval{980e3, 1019.6e3}}), "1.000 ± 0.020 M");
  EXPECT_EQ(rate(Estimate{1.2e6, Interval{0.9e6, 1.9e6}}), "1.20 M (0.90 to 1.90 M)");
  EXPECT_EQ(rate(Estimate{37, Interval{36, 38}}), "37.0 ± 1.0");
  EXPECT_EQ(rate(Estimate{4.96e6, {}}), "5.0 M");
}

TEST(Duration, ChoosesItsUnit) {
  EXPECT_EQ(duration(5e-7), "0.50 µs");
  EXPECT_EQ(duration(3.2e-6), "3.2 µs");
  EXPECT_EQ(duration(6.7e-5), "67 µs");
  EXPECT_EQ(duration(3.2e-3), "3.2 ms");
  EXPECT_EQ(duration(1.5), "1.5 s");
  EXPECT_EQ(duration(0), "0 µs");
}

TEST(Duration, IsRoundedDownAsALimit) {
  EXPECT_EQ(duration_at_most(2.8886e-6), "2.8 µs");
  EXPECT_EQ(duration_at_most(15.96e-3), "15 ms");
  EXPECT_EQ(duration_at_most(3.2e-3), "3.2 ms");
}

TEST(MeasuredDuration, UsesTheUnitOfItsValueForItsIntervalToo) {
  EXPECT_EQ(measured_duration(Estimate{0.060, Interval{0.058, 0.062}}), "60 ± 2 ms");
  EXPECT_EQ(measured_duration(Estimate{60, {}}), "60 s");
}

TEST(TimeText, ShowsTenthsBelowAMinuteAndWholeUnitsAbove) {
  EXPECT_EQ(time_text(1.24), "1.2 s");
  EXPECT_EQ(time_text(59.94), "59.9 s");
  EXPECT_EQ(time_text(59.97), "1 min 0 s");
  EXPECT_EQ(time_text(200.4), "3 min 20 s");
  EXPECT_EQ(time_text(3599.4), "59 min 59 s");
  EXPECT_EQ(time_text(3599.6), "1 h 0 min");
  EXPECT_EQ(time_text(7500), "2 h 5 min");
  EXPECT_EQ(time_text(7199), "2 h 0 min");
}

TEST(PlainPercent, HasAtMostTwoSignificantDigits) {
  EXPECT_EQ(plain_percent(0.03), "3 %");
  EXPECT_EQ(plain_percent(0.0025), "0.25 %");
  EXPECT_EQ(plain_percent(0.123), "12 %");
  EXPECT_EQ(plain_percent(1.4), "140 %");
  EXPECT_EQ(plain_percent(0), "0 %");
}

TEST(Plural, KnowsTheSingular) {
  EXPECT_EQ(plural(0, "cell"), "0 cells");
  EXPECT_EQ(plural(1, "cell"), "1 cell");
}

}  // namespace
}  // namespace loadline
