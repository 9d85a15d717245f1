#include "loaders/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>

namespace loadline {
namespace {

// The values come from the reference implementation, https://prng.di.unimi.it/splitmix64.c.
TEST(Random, FollowsTheSplitMix64Sequence) {
  Random zero(0);
  EXPECT_EQ(zero.next(), 0xe220a8397b1dcdafULL);
  EXPECT_EQ(zero.next(), 0x6e789e6aa1b965f4ULL);
  EXPECT_EQ(zero.next(), 0x06c45d188009454fULL);
  Random other(1234567);
  EXPECT_EQ(other.next(), 6457827717110365317ULL);
  EXPECT_EQ(other.next(), 3203168211198807973ULL);
}

TEST(Random, MixesOneValueAtCompileTime) {
  static_assert(mix64(0) == 0);
  static_assert(mix64(0x9e3779b97f4a7c15ULL) == 0xe220a8397b1dcdafULL);
}

TEST(Random, IsForkedByACopy) {
  Random one(5);
  one.next();
  Random two = one;
  EXPECT_EQ(one.next(), two.next());
}

TEST(Random, BelowOneIsAlwaysZero) {
  Random random(3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, BelowReachesEveryValueAboutEquallyOften) {
  Random random(1);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  // Ten standard deviations of a binomial with n = 70,000 and p = 1/7.
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 926);
}

TEST(Random, BelowIsUniformIfTheBoundDoesNotDivideTwoToThe32) {
  // Without rejection, every third value below this bound would come twice as often as the others.
  constexpr std::uint32_t kBound = 0xC0000000;
  Random random(1);
  int third = 0;
  for (int i = 0; i < 30'000; ++i) third += random.below(kBound) % 3 == 0 ? 1 : 0;
  EXPECT_NEAR(third, 10'000, 817);
}

TEST(Random, UnitIsUniformFromZeroToBelowOne) {
  Random random(1);
  double sum = 0;
  double least = 1;
  double most = 0;
  for (int i = 0; i < 30'000; ++i) {
    const double value = random.unit();
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  EXPECT_NEAR(sum / 30'000, 0.5, 0.01);
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 0.001);
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.999);
}

TEST(KeyOf, DependsOnTheOrderAndOnEachOfItsArguments) {
  const std::set<std::uint64_t> keys{key_of(1, 2), key_of(2, 1),    key_of(1, 1),
                                     key_of(2, 2), key_of(1, 2, 0), key_of(0, 1, 2)};
  EXPECT_EQ(keys.size(), 6U);
}

TEST(KeyOf, DoesNotCancelEqualArguments) {
  EXPECT_NE(key_of(7, 7), key_of(8, 8));
  EXPECT_NE(key_of(7, 7), 0U);
}

TEST(KeyOf, IsTheSameOnEveryMachine) {
  EXPECT_EQ(key_of(0), 0xe220a8397b1dcdafULL);
  static_assert(key_of(1, 2, 3) == key_of(key_of(key_of(1) ^ 2) ^ 3));
}

}  // namespace
}  // namespace loadline
