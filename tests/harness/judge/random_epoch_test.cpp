#include "harness/judge/random_epoch.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

// 50,000 samples in 1,000 blocks, which take 0.1 s to read; a sample takes 1 us to fill.
constexpr RandomEpoch kEpoch{.samples = 50'000,
                             .blocks = 1000,
                             .blocks_per_sample = 1,
                             .samples_per_second_read = 500'000,
                             .samples_per_second_filled = 1e6};

TEST(RandomEpoch, TakesNearlyTheTimeOfReadingPlusThatOfFilling) {
  // 4,605 samples need 99 % of the blocks: 0.099 s, and 45.4 ms for the samples after them.
  EXPECT_NEAR(samples_per_second_of(kEpoch), 346'272, 1);
}

TEST(RandomEpoch, ReadsAllFirstWhereEachSampleTouchesHundredsOfBlocks) {
  RandomEpoch epoch = kEpoch;
  epoch.blocks_per_sample = 500;  // two samples touch 63 % of them
  // 20 samples need all blocks, 0.1 s; 50 ms for the rest.
  EXPECT_NEAR(samples_per_second_of(epoch), 333'387, 10);
}

TEST(RandomEpoch, IsAsFastAsStorageWhereFillingTakesNoTime) {
  RandomEpoch epoch = kEpoch;
  epoch.samples_per_second_filled = 1e12;
  EXPECT_NEAR(samples_per_second_of(epoch), 500'000, 1);
}

TEST(RandomEpoch, IsAsFastAsFillingWhereStorageIsAlwaysAhead) {
  RandomEpoch epoch = kEpoch;
  epoch.samples_per_second_read = 1e12;
  EXPECT_NEAR(samples_per_second_of(epoch), 1e6, 1);
  epoch = kEpoch;
  epoch.blocks = 200'000;
  EXPECT_NEAR(samples_per_second_of(epoch), 1e6, 1) << "a sample's block takes half the time of its filling";
}

}  // namespace
}  // namespace loadline
