// Expected values by scipy 1.10.1, scipy.stats.mannwhitneyu(a, b, method="exact").pvalue, where no values are equal.
#include "harness/judge/mann_whitney.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

using Values = std::vector<double>;

TEST(MannWhitney, CannotCallSetsOfThreeDifferentHoweverFarApart) {
  EXPECT_NEAR(mann_whitney_p(Values{1, 2, 3}, Values{101, 102, 103}).value(), 0.1, 1e-15);
  EXPECT_NEAR(mann_whitney_p(Values{1, 2, 3, 4}, Values{101, 102, 103, 104}).value(), 0.02857142857142857, 1e-15);
  EXPECT_NEAR(mann_whitney_p(Values{1, 2, 3, 4, 5}, Values{101, 102, 103, 104, 105}).value(), 0.007936507936507936,
              1e-15);
}

TEST(MannWhitney, AgreesWithScipyOnSetsThatOverlap) {
  EXPECT_NEAR(mann_whitney_p(Values{1.1, 2.3, 3.0, 4.2}, Values{2.0, 3.5, 5.1, 6.0, 7.2}).value(), 0.19047619047619047,
              1e-15);
  EXPECT_NEAR(
      mann_whitney_p(Values{12.1, 11.8, 12.6, 12.3, 12.0, 11.9}, Values{12.4, 12.9, 12.2, 13.1, 12.8, 12.5, 13.0})
          .value(),
      0.013986013986013986, 1e-15);
}

TEST(MannWhitney, DoesNotDependOnWhichSetIsNamedFirst) {
  const Values a{1.1, 2.3, 3.0, 4.2};
  const Values b{2.0, 3.5, 5.1, 6.0, 7.2};
  EXPECT_EQ(mann_whitney_p(a, b), mann_whitney_p(b, a));
}

TEST(MannWhitney, IsCertainAtMost) {
  EXPECT_EQ(mann_whitney_p(Values{1, 4, 2.5}, Values{2, 3}), 1);
}

// scipy.stats.permutation_test((a, b), sum of rankdata over a, n_resamples=inf).pvalue.
TEST(MannWhitney, SharesTheRanksOfEqualValues) {
  EXPECT_NEAR(mann_whitney_p(Values{1, 2, 2, 3}, Values{2, 3, 4, 4, 5}).value(), 0.1111111111111111, 1e-15);
  EXPECT_NEAR(mann_whitney_p(Values{1, 1, 2}, Values{1, 5, 5, 7}).value(), 0.22857142857142856, 1e-15);
  EXPECT_EQ(mann_whitney_p(Values{1, 1, 1}, Values{1, 1}), 1);
}

TEST(MannWhitney, CountsOutTheLargestSetsThatItTakes) {
  Values even;
  Values shifted;
  for (int i = 0; i < 30; ++i) {
    even.push_back(2 * i);
    shifted.push_back(2 * i + 13);
  }
  EXPECT_NEAR(mann_whitney_p(even, shifted).value(), 0.00960368659212712, 1e-14);
  shifted.push_back(100);
  EXPECT_FALSE(mann_whitney_p(even, shifted));
}

TEST(MannWhitney, SaysNothingOfAnEmptySet) {
  EXPECT_FALSE(mann_whitney_p({}, Values{1, 2}));
  EXPECT_FALSE(mann_whitney_p(Values{1, 2}, {}));
}

TEST(MannWhitney, RefusesWhatIsNotFinite) {
  EXPECT_THROW(static_cast<void>(mann_whitney_p(Values{1, std::numeric_limits<double>::quiet_NaN()}, Values{1})),
               Error);
  EXPECT_THROW(static_cast<void>(mann_whitney_p(Values{1}, Values{std::numeric_limits<double>::infinity()})), Error);
}

}  // namespace
}  // namespace loadline
