#include "harness/measure/wait_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "loaders/random.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;

constexpr double kShares[] = {0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0};

WaitHistogram of(std::initializer_list<Time> waits) {
  WaitHistogram histogram;
  for (const Time wait : waits) histogram.add(wait);
  return histogram;
}

// The nearest-rank percentile, from the values themselves.
Time exact_percentile(std::vector<Time> values, double share) {
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[rank - 1];
}

void expect_percentiles_of(const std::vector<Time>& values) {
  WaitHistogram histogram;
  for (const Time value : values) histogram.add(value);
  ASSERT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.largest(), *std::ranges::max_element(values));
  for (const double share : kShares) {
    const auto exact = static_cast<double>(exact_percentile(values, share).count());
    EXPECT_NEAR(static_cast<double>(histogram.percentile(share).count()), exact, 0.008 * exact) << "share " << share;
  }
}

TEST(WaitHistogram, OfNothingIsZero) {
  const WaitHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.largest(), 0ns);
  EXPECT_EQ(histogram.total(), 0ns);
  for (const double share : kShares) EXPECT_EQ(histogram.percentile(share), 0ns);
}

TEST(WaitHistogram, OfOneWaitIsThatWait) {
  for (const Time wait : {0ns, 1ns, 127ns, 128ns, 1000ns, 123'456'789ns}) {
    const WaitHistogram histogram = of({wait});
    EXPECT_EQ(histogram.count(), 1U);
    EXPECT_EQ(histogram.largest(), wait);
    EXPECT_EQ(histogram.total(), wait);
    for (const double share : kShares) {
      EXPECT_NEAR(static_cast<double>(histogram.percentile(share).count()), static_cast<double>(wait.count()),
                  0.008 * static_cast<double>(wait.count()));
      EXPECT_LE(histogram.percentile(share), wait);
    }
  }
}

TEST(WaitHistogram, IsExactToTheNanosecondWhereBinsAreOneWide) {
  const WaitHistogram histogram = of({40ns, 10ns, 30ns, 20ns});
  EXPECT_EQ(histogram.percentile(0.01), 10ns);
  EXPECT_EQ(histogram.percentile(0.25), 10ns);
  EXPECT_EQ(histogram.percentile(0.26), 20ns);
  EXPECT_EQ(histogram.percentile(0.5), 20ns);
  EXPECT_EQ(histogram.percentile(0.75), 30ns);
  EXPECT_EQ(histogram.percentile(0.99), 40ns);
  EXPECT_EQ(histogram.percentile(1), 40ns);
  EXPECT_EQ(histogram.largest(), 40ns);
  EXPECT_EQ(histogram.total(), 100ns);
}

TEST(WaitHistogram, ReportsTheMiddleOfABinForItsValues) {
  // 1000 falls into the bin of the eight values from 1000 to 1007.
  const WaitHistogram histogram = of({1000ns, 5000ns});
  EXPECT_EQ(histogram.percentile(0.5), 1004ns);
  EXPECT_EQ(histogram.largest(), 5000ns);
}

TEST(WaitHistogram, CountsANegativeWaitAsZero) {
  const WaitHistogram histogram = of({-5ns});
  EXPECT_EQ(histogram.count(), 1U);
  EXPECT_EQ(histogram.percentile(0.5), 0ns);
  EXPECT_EQ(histogram.largest(), 0ns);
  EXPECT_EQ(histogram.total(), 0ns);
}

TEST(WaitHistogram, HoldsTheLongestPossibleTime) {
  const WaitHistogram histogram = of({Time::max()});
  EXPECT_EQ(histogram.largest(), Time::max());
  EXPECT_NEAR(static_cast<double>(histogram.percentile(0.5).count()), static_cast<double>(Time::max().count()),
              0.008 * static_cast<double>(Time::max().count()));
}

TEST(WaitHistogram, IsWithinEightInAThousandNearEveryPowerOfTwo) {
  for (int power = 0; power < 62; ++power) {
    for (const std::int64_t offset : {-1, 0, 1}) {
      const std::int64_t value = (std::int64_t{1} << power) + offset;
      // The longer wait keeps the cap at the largest wait from helping.
      const Time middle = of({Time(value), Time(value), Time::max() / 4}).percentile(0.5);
      EXPECT_NEAR(static_cast<double>(middle.count()), static_cast<double>(value), 0.008 * static_cast<double>(value));
    }
  }
}

TEST(WaitHistogram, IsWithinEightInAThousandOfEvenlySpreadWaits) {
  std::vector<Time> values;
  for (int i = 1; i <= 10'000; ++i) values.emplace_back(i * 137);
  expect_percentiles_of(values);
}

TEST(WaitHistogram, IsWithinEightInAThousandOfExponentialWaits) {
  Random random(7);
  std::vector<Time> values;
  for (int i = 0; i < 10'000; ++i) {
    const double uniform = (static_cast<double>(random.next() >> 11) + 0.5) / 9007199254740992.0;
    values.emplace_back(static_cast<Time::rep>(-std::log(uniform) * 50'000));
  }
  expect_percentiles_of(values);
}

TEST(WaitHistogram, FindsTheRareStallAmongShortWaits) {
  std::vector<Time> values(989, 300ns);
  values.insert(values.end(), 10, 4ms);
  values.push_back(1234567891ns);
  expect_percentiles_of(values);
}

}  // namespace
}  // namespace loadline
