#include "loaders/keyed_permutation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "loaders/random.h"

namespace loadline {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr std::uint32_t kHundredMillion = 100'000'000;

Values first_values(const KeyedPermutation& permutation, std::size_t count) {
  Values values(count);
  std::iota(values.begin(), values.end(), 0U);
  permutation.apply(values);
  return values;
}

Values all_values(std::uint32_t size, std::uint64_t key) {
  return first_values(KeyedPermutation(size, key), size);
}

// Sum over the cells of (found - expected)^2 / expected.
template <typename Counts>
double chi_square(const Counts& counts, double expected) {
  double sum = 0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

// Chi-square with 63 degrees of freedom exceeds this once in a million times.
constexpr double kUnlikelyOf63 = 126.1;

double correlation(const Values& a, const Values& b) {
  const auto mean = [](const Values& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(KeyedPermutation, HasEachValueOnceWhateverItsSize) {
  std::vector<std::uint32_t> sizes(300);
  std::iota(sizes.begin(), sizes.end(), 1U);
  for (const std::uint32_t size : {1023U, 1024U, 1025U, 4095U, 4096U, 4097U, 65'536U, 65'537U, 250'007U}) {
    sizes.push_back(size);
  }
  for (const std::uint32_t size : sizes) {
    Values values = all_values(size, 7);
    std::ranges::sort(values);
    for (std::uint32_t i = 0; i < size; ++i) ASSERT_EQ(values[i], i) << "of " << size;
  }
}

TEST(KeyedPermutation, FindsThePlaceOfEachValue) {
  for (const std::uint32_t size : {1U, 2U, 3U, 17U, kHundredMillion, 4'294'967'294U}) {
    const KeyedPermutation permutation(size, 3);
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const auto place = static_cast<std::uint32_t>(i * size / 2000);
      ASSERT_LT(permutation(place), size);
      ASSERT_EQ(permutation.place_of(permutation(place)), place) << "of " << size;
    }
  }
}

TEST(KeyedPermutation, GivesTheSameManyAtATimeAsOneByOne) {
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 200U}) {
    const KeyedPermutation permutation(1000, 5);
    const Values values = first_values(permutation, count);
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_EQ(values[i], permutation(i));
  }
}

TEST(KeyedPermutation, IsTheSameOnEveryMachine) {
  EXPECT_THAT(all_values(10, 1), testing::ElementsAre(4, 8, 3, 5, 1, 0, 2, 7, 6, 9));
  EXPECT_THAT(first_values(KeyedPermutation(kHundredMillion, 1), 4),
              testing::ElementsAre(12'915'094, 58'203'899, 39'220'047, 1'479'533));
}

TEST(KeyedPermutation, PutsEachValueInEachPlaceAboutEquallyOften) {
  std::array<std::array<int, 5>, 5> counts{};
  for (std::uint64_t key = 0; key < 10'000; ++key) {
    const Values values = all_values(5, key);
    for (std::size_t place = 0; place < 5; ++place) ++counts.at(place).at(values[place]);
  }
  // Five standard deviations of a binomial with n = 10,000 and p = 1/5.
  for (const auto& place : counts) {
    for (const int count : place) EXPECT_NEAR(count, 2000, 200);
  }
}

TEST(KeyedPermutation, ProducesEachOrderAboutEquallyOften) {
  std::map<Values, int> counts;
  for (std::uint64_t key = 0; key < 24'000; ++key) ++counts[all_values(4, key)];
  EXPECT_EQ(counts.size(), 24U);
  // Five standard deviations of a binomial with n = 24,000 and p = 1/24.
  for (const auto& [values, count] : counts) EXPECT_NEAR(count, 1000, 155);
}

TEST(KeyedPermutation, LeavesOneValueInItsPlaceOnAverage) {
  double fixed = 0;
  for (std::uint64_t key = 0; key < 1000; ++key) {
    const Values values = all_values(1000, key);
    for (std::uint32_t i = 0; i < values.size(); ++i) fixed += values[i] == i ? 1 : 0;
  }
  EXPECT_NEAR(fixed / 1000, 1, 0.16);  // five standard deviations of the mean of Poisson numbers of mean 1
}

TEST(KeyedPermutation, SpreadsTheValuesOfAPlaceEvenlyOverKeysForAHundredMillion) {
  for (const std::uint32_t place : {0U, 1U, 10'000U, 99'999'999U}) {
    std::array<double, 64> counts{};
    for (std::uint64_t key = 0; key < 32'000; ++key) {
      const std::uint64_t value = KeyedPermutation(kHundredMillion, key)(place);
      ++counts.at(value * 64 / kHundredMillion);
    }
    EXPECT_LT(chi_square(counts, 500), kUnlikelyOf63) << place;
  }
}

TEST(KeyedPermutation, SpreadsNeighboursEvenlyForAHundredMillion) {
  for (const std::uint64_t key : {1U, 2U, 3U}) {
    const Values values = first_values(KeyedPermutation(kHundredMillion, key), 64'001);
    std::array<double, 64> places{};
    std::array<double, 64> distances{};
    std::array<double, 64> pairs{};
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      const std::uint64_t a = values[i];
      const std::uint64_t b = values[i + 1];
      ++places.at(a * 64 / kHundredMillion);
      ++distances.at((a + kHundredMillion - b) % kHundredMillion * 64 / kHundredMillion);
      ++pairs.at(a * 8 / kHundredMillion * 8 + b * 8 / kHundredMillion);
    }
    EXPECT_LT(chi_square(places, 1000), kUnlikelyOf63);
    EXPECT_LT(chi_square(distances, 1000), kUnlikelyOf63);
    EXPECT_LT(chi_square(pairs, 1000), kUnlikelyOf63);
  }
}

TEST(KeyedPermutation, SpreadsLowBitsEvenlyForAHundredMillion) {
  const Values values = first_values(KeyedPermutation(kHundredMillion, 4), 64'001);
  std::array<double, 64> places{};
  std::array<double, 64> pairs{};
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    ++places.at(values[i] % 64);
    ++pairs.at(values[i] % 8 * 8 + values[i + 1] % 8);
  }
  EXPECT_LT(chi_square(places, 1000), kUnlikelyOf63);
  EXPECT_LT(chi_square(pairs, 1000), kUnlikelyOf63);
}

// Each rank takes every N-th place, where N is the number of ranks.
TEST(KeyedPermutation, SpreadsTheShareOfARankEvenlyForAHundredMillion) {
  for (const std::uint32_t ranks : {16U, 1000U, 10'000U}) {
    Values values(64'000 / 8);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(7 + i * ranks);
    KeyedPermutation(kHundredMillion, 9).apply(values);
    std::array<double, 64> places{};
    for (const std::uint64_t value : values) ++places.at(value * 64 / kHundredMillion);
    EXPECT_LT(chi_square(places, 125), kUnlikelyOf63) << ranks;
  }
}

TEST(KeyedPermutation, IsUncorrelatedBetweenEpochsAndSeeds) {
  constexpr std::size_t kCount = 40'000;
  const auto of = [](std::uint64_t seed, std::uint64_t epoch) {
    return first_values(KeyedPermutation(kHundredMillion, key_of(seed, epoch)), kCount);
  };
  const Values base = of(1, 0);
  const double most = 5 / std::sqrt(kCount);  // five standard deviations
  EXPECT_LT(std::abs(correlation(base, of(1, 1))), most);
  EXPECT_LT(std::abs(correlation(base, of(2, 0))), most);
  EXPECT_LT(std::abs(correlation(of(1, 1), of(2, 0))), most);
  const Values next(base.begin() + 1, base.end());
  EXPECT_LT(std::abs(correlation(Values(base.begin(), base.end() - 1), next)), most);
  std::array<double, 64> pairs{};
  const Values other = of(1, 1);
  for (std::size_t i = 0; i < kCount; ++i) {
    ++pairs.at(std::uint64_t{base[i]} * 8 / kHundredMillion * 8 + std::uint64_t{other[i]} * 8 / kHundredMillion);
  }
  EXPECT_LT(chi_square(pairs, kCount / 64.0), kUnlikelyOf63);
}

TEST(KeyedPermutation, AgreesInAboutOnePlaceBetweenTwoEpochs) {
  double agree = 0;
  for (std::uint64_t epoch = 0; epoch < 400; ++epoch) {
    const Values a = all_values(2000, key_of(1, epoch));
    const Values b = all_values(2000, key_of(1, epoch + 1));
    for (std::size_t i = 0; i < a.size(); ++i) agree += a[i] == b[i] ? 1 : 0;
  }
  EXPECT_NEAR(agree / 400, 1, 0.25);  // five standard deviations of the mean of Poisson numbers of mean 1
}

}  // namespace
}  // namespace loadline
