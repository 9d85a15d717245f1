#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "harness/plan/plan.h"

namespace loadline {
namespace {

using Places = std::vector<std::size_t>;

TEST(RoundOrder, IsAPermutationOfAllCells) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    Places order = round_order(1, round, 9);
    std::ranges::sort(order);
    EXPECT_EQ(order, (Places{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  }
  EXPECT_EQ(round_order(1, 0, 1), Places{0});
  EXPECT_EQ(round_order(1, 0, 0), Places());
}

TEST(RoundOrder, DiffersFromRoundToRoundAndSeedToSeed) {
  std::set<Places> orders;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (std::uint64_t round = 0; round < 20; ++round) orders.insert(round_order(seed, round, 12));
  }
  EXPECT_EQ(orders.size(), 100U);
}

TEST(RoundOrder, PutsEveryCellInEveryPlaceEquallyOften) {
  constexpr std::size_t kCells = 4;
  constexpr std::size_t kRounds = 4000;
  std::vector<Places> counts(kCells, Places(kCells));
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const Places order = round_order(3, round, kCells);
    for (std::size_t place = 0; place < kCells; ++place) ++counts[order[place]][place];
  }
  // Five standard deviations of a binomial count.
  for (const Places& cell : counts) {
    for (const std::size_t count : cell) EXPECT_NEAR(static_cast<double>(count), 1000, 137);
  }
}

TEST(RoundOrder, IsTheSameOnEveryMachine) {
  EXPECT_EQ(round_order(1, 0, 8), (Places{5, 1, 6, 2, 7, 4, 3, 0}));
  EXPECT_EQ(round_order(1, 1, 8), (Places{0, 6, 3, 4, 1, 2, 7, 5}));
}

TEST(PairOrder, PutsTheTwoOfEachPairSideBySide) {
  for (std::uint64_t round = 0; round < 20; ++round) {
    Places order = pair_order(1, round, 5);
    ASSERT_EQ(order.size(), 10U);
    for (std::size_t i = 0; i < order.size(); i += 2) EXPECT_EQ(order[i] % 5, order[i + 1] % 5);
    std::ranges::sort(order);
    EXPECT_EQ(order, (Places{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }
}

TEST(PairOrder, BeginsWithEitherSideEquallyOften) {
  std::size_t base_first = 0;
  for (std::uint64_t round = 0; round < 4000; ++round) base_first += pair_order(3, round, 1).front() == 0;
  EXPECT_NEAR(static_cast<double>(base_first), 2000, 158);  // five standard deviations
}

}  // namespace
}  // namespace loadline
