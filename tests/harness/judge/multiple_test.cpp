// Expected values come from R 4.2.2: p.adjust(p, "holm") and p.adjust(p, "BH").
#include "harness/judge/multiple.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "loaders/error.h"

namespace loadline {
namespace {

using PValues = std::vector<std::optional<double>>;

void expect_near(const PValues& actual, const PValues& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].has_value(), expected[i].has_value()) << "at " << i;
    EXPECT_NEAR(actual[i].value_or(0), expected[i].value_or(0), 1e-14) << "at " << i;
  }
}

// The example of Benjamini and Hochberg (1995), section 3.2: treatments of myocardial infarction.
const PValues kInfarction{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                          0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

TEST(Holm, AgreesWithR) {
  expect_near(holm(kInfarction),
              {0.0015, 0.0056, 0.0247, 0.1140, 0.2211, 0.2780, 0.2780, 0.2780, 0.3213, 1, 1, 1, 1, 1, 1});
}

TEST(Holm, KeepsTheOrderItIsGiven) {
  expect_near(holm(PValues{0.01, 0.04, 0.03, 0.005, 0.2, 0.5}), {0.05, 0.12, 0.12, 0.03, 0.4, 0.5});
}

TEST(Holm, TreatsEqualPAlike) {
  expect_near(holm(PValues{0.02, 0.02, 0.02}), {0.06, 0.06, 0.06});
}

TEST(Holm, DoesNotCountTestsThatWereNotMade) {
  expect_near(holm(PValues{0.01, std::nullopt, 0.04, 0.02}), {0.03, std::nullopt, 0.04, 0.04});
}

TEST(BenjaminiHochberg, AgreesWithR) {
  expect_near(benjamini_hochberg(kInfarction),
              {0.0015, 0.003, 0.0095, 0.035625, 0.0603, 0.0638571428571429, 0.0638571428571429, 0.0645, 0.0765, 0.486,
               0.5811818181818181, 0.714875, 0.7532307692307693, 0.8132142857142857, 1});
}

TEST(BenjaminiHochberg, KeepsTheOrderItIsGiven) {
  expect_near(benjamini_hochberg(PValues{0.01, 0.04, 0.03, 0.005, 0.2, 0.5}), {0.03, 0.06, 0.06, 0.03, 0.24, 0.5});
}

TEST(BenjaminiHochberg, TreatsEqualPAlike) {
  expect_near(benjamini_hochberg(PValues{0.02, 0.02, 0.02}), {0.02, 0.02, 0.02});
}

TEST(BenjaminiHochberg, DoesNotCountTestsThatWereNotMade) {
  expect_near(benjamini_hochberg(PValues{0.01, std::nullopt, 0.04, 0.02}), {0.03, std::nullopt, 0.04, 0.03});
}

TEST(Adjustment, LeavesASingleTestAsItIs) {
  expect_near(holm(PValues{0.04}), {0.04});
  expect_near(benjamini_hochberg(PValues{0.04}), {0.04});
}

TEST(Adjustment, IsEmptyWithoutTests) {
  EXPECT_TRUE(holm({}).empty());
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  expect_near(holm(PValues{std::nullopt}), {std::nullopt});
  expect_near(benjamini_hochberg(PValues{std::nullopt}), {std::nullopt});
}

TEST(Adjustment, RefusesValuesThatAreNotProbabilities) {
  for (const double p : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(holm(PValues{0.5, p}), Error) << p;
    EXPECT_THROW(benjamini_hochberg(PValues{0.5, p}), Error) << p;
  }
}

}  // namespace
}  // namespace loadline
