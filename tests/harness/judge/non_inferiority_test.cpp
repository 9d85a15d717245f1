#include "harness/judge/non_inferiority.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "loaders/error.h"

namespace loadline {
namespace {

constexpr double kMargin = 0.05;
constexpr double kAtMost = 0.05 + 0.0138;  // and two standard errors of 1,000 runs

using Sets = std::vector<std::vector<double>>;
using Indices = std::vector<std::size_t>;

// Trials whose logarithms have the standard deviation `variation`.
std::vector<double> log_normal(double mean, double variation, std::size_t trials, std::mt19937_64& random) {
  std::normal_distribution<double> logarithm(std::log(mean), variation);
  std::vector<double> rates;
  for (std::size_t i = 0; i < trials; ++i) rates.push_back(std::exp(logarithm(random)));
  return rates;
}

// One trial in ten is slower by a fifth: skewed to the left, as throughput is.
std::vector<double> with_stalls(double mean, double variation, std::size_t trials, std::mt19937_64& random) {
  std::vector<double> rates = log_normal(mean, variation, trials, random);
  std::bernoulli_distribution stalls(0.1);
  for (double& rate : rates) rate *= stalls(random) ? 0.8 : 1;
  return rates;
}

bool any_sufficient_but_the_last(const Sets& sets) {
  for (std::size_t i = 0; i + 1 < sets.size(); ++i) {
    if (is_sufficient(sets, i, kMargin)) return true;
  }
  return false;
}

// The share of runs in which a set is called sufficient although only the last of `count` sets is. The others are
// slower by a hair more than the margin, where errors are likeliest.
template <typename Draw>
double error_rate(std::size_t count, double variation, std::size_t trials, const Draw& draw) {
  constexpr int kRuns = 1000;
  std::mt19937_64 random(20240607);
  int wrong = 0;
  for (int run = 0; run < kRuns; ++run) {
    Sets sets;
    for (std::size_t i = 0; i + 1 < count; ++i) sets.push_back(draw(1000 / 1.0501, variation, trials, random));
    sets.push_back(draw(1000, variation, trials, random));
    wrong += any_sufficient_but_the_last(sets) ? 1 : 0;
  }
  return static_cast<double>(wrong) / kRuns;
}

// d = ln 102 / 100 = 0.0198, s = 0.01 on both sides, n = 3: bound = d + t(4, one-sided 95 %: 2.132) x 0.01 sqrt(2/3).
TEST(NonInferiority, IsShownByTheUpperOneSidedBoundOfTheRatio) {
  const auto around = [](double rate) {
    return std::vector<double>{rate * std::exp(-0.01), rate, rate * std::exp(0.01)};
  };
  EXPECT_TRUE(is_sufficient(Sets{around(100), around(102)}, 0, 0.0380)) << "exp(0.0198 + 0.0174) = 1.0379";
  EXPECT_FALSE(is_sufficient(Sets{around(100), around(102)}, 0, 0.0377));
  EXPECT_TRUE(is_sufficient(Sets{around(100), around(102)}, 1, 0.0377)) << "the faster of the two";
}

// With five sets a comparison has a level of 1.25 %, at which t(4) is 3.495: 0.0198 + 0.0285.
TEST(NonInferiority, HoldsForAllSetsTogether) {
  const auto around = [](double rate) {
    return std::vector<double>{rate * std::exp(-0.01), rate, rate * std::exp(0.01)};
  };
  const Sets five{around(100), around(102), around(50), around(50), around(50)};
  EXPECT_FALSE(is_sufficient(five, 0, 0.0490));
  EXPECT_TRUE(is_sufficient(five, 0, 0.0497)) << "exp(0.0198 + 0.0285) = 1.0495";
}

TEST(NonInferiority, IsNotShownByACountSlowerBy22PercentAtASpreadOf19Percent) {
  // The intervals of the means overlap: 780 ± 184 and 1000 ± 236.
  const Sets sets{{780 * 0.81, 780 * 0.9, 780, 780 * 1.1, 780 * 1.25}, {810, 900, 1000, 1100, 1250}};
  EXPECT_EQ(rivals_of(sets, 0, kMargin), Indices{1});
  EXPECT_FALSE(is_sufficient(sets, 0, kMargin));
}

TEST(NonInferiority, IsNotShownByTwoTrialsThatDiffer) {
  const Sets sets{{950, 1050}, {960, 1060}};
  EXPECT_FALSE(is_sufficient(sets, 0, kMargin));
  EXPECT_FALSE(is_sufficient(sets, 1, kMargin));
}

TEST(NonInferiority, IsNeverShownAgainstASingleTrial) {
  const Sets sets{{1000, 1000, 1000}, {500}};
  EXPECT_EQ(rivals_of(sets, 0, kMargin), Indices{1});
  EXPECT_EQ(trials_to_show(sets, 0, Indices{1}, kMargin), std::nullopt);
}

TEST(NonInferiority, NeedsNoProofForOneSet) {
  EXPECT_TRUE(is_sufficient(Sets{{1000}}, 0, kMargin));
}

TEST(NonInferiority, IsAPlainComparisonWithoutSpread) {
  EXPECT_TRUE(is_sufficient(Sets{{1000, 1000}, {1049, 1049}}, 0, kMargin));
  EXPECT_FALSE(is_sufficient(Sets{{1000, 1000}, {1051, 1051}}, 0, kMargin));
}

TEST(NonInferiority, RefusesRatesOfZero) {
  EXPECT_THROW(is_sufficient(Sets{{0, 1}, {1, 1}}, 0, kMargin), Error);
}

// By normal quantiles (1.645 + 0.842)^2 x 2 x 0.03^2 / ln(1.05)^2 + 1.645^2 / 4 = 4.68 + 0.68.
TEST(NonInferiority, SaysHowManyTrialsWouldShowIt) {
  const auto around = [](double rate) {
    return std::vector<double>{rate * std::exp(-0.03), rate, rate * std::exp(0.03)};
  };
  const Sets sets{around(1000), around(1010)};
  EXPECT_EQ(trials_to_show(sets, 1, Indices{0}, kMargin), 6);
}

// For two sets the level is exact: 20,000 runs give 0.029, 0.041, 0.047 and 0.049. For more sets it is lower.
TEST(NonInferiority, IsWronglyShownInAtMostOneRunOfTwentyWhateverTheNoise) {
  for (const std::size_t count : {2U, 4U}) {
    for (const double variation : {0.03, 0.19}) {
      for (const std::size_t trials : {2U, 3U, 5U, 10U}) {
        EXPECT_LE(error_rate(count, variation, trials, log_normal), kAtMost)
            << count << " sets, cv " << variation << ", " << trials << " trials";
      }
    }
  }
}

TEST(NonInferiority, IsWronglyShownInAtMostOneRunOfTwentyWhereTrialsStall) {
  for (const std::size_t count : {2U, 4U}) {
    for (const std::size_t trials : {5U, 10U}) {
      EXPECT_LE(error_rate(count, 0.02, trials, with_stalls), kAtMost) << count << " sets, " << trials << " trials";
    }
  }
}

TEST(NonInferiority, IsMostlyShownForEqualsOnAQuietMachine) {
  std::mt19937_64 random(7);
  int shown = 0;
  for (int run = 0; run < 200; ++run) {
    Sets sets;
    for (int i = 0; i < 4; ++i) sets.push_back(log_normal(1000, 0.01, 5, random));
    shown += is_sufficient(sets, 0, kMargin) ? 1 : 0;
  }
  EXPECT_GE(shown, 190);
}

}  // namespace
}  // namespace loadline
