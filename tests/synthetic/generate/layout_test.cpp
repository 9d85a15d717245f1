#include "synthetic/generate/layout.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace loadline {
namespace {

TEST(BalancedLabel, GivesEachClassOnceInEveryRunOfClasses) {
  const SplitPlan split{.key = 7, .samples = 300};
  for (std::size_t start = 0; start < 300; start += 100) {
    std::set<std::uint8_t> labels;
    for (std::size_t i = 0; i < 100; ++i) labels.insert(balanced_label(split, start + i, 100));
    EXPECT_EQ(labels.size(), 100);
    EXPECT_EQ(*labels.rbegin(), 99);
  }
}

TEST(BalancedLabel, ReordersTheClassesInEveryRunAndSplit) {
  const auto labels = [](std::uint64_t key, std::size_t first) {
    std::vector<std::uint8_t> out;
    for (std::size_t i = 0; i < 10; ++i) out.push_back(balanced_label({.key = key, .samples = 20}, first + i, 10));
    return out;
  };
  EXPECT_EQ(labels(1, 0), labels(1, 0));
  EXPECT_NE(labels(1, 0), labels(1, 10));
  EXPECT_NE(labels(1, 0), labels(2, 0));
}

TEST(PictureKey, DiffersBetweenSamplesAndBetweenSplits) {
  const SplitPlan train{.key = 1, .samples = 2};
  const SplitPlan test{.key = 2, .samples = 2};
  const std::set<std::uint64_t> keys{picture_key(train, 0), picture_key(train, 1), picture_key(test, 0),
                                     picture_key(test, 1)};
  EXPECT_EQ(keys.size(), 4);
}

TEST(PlannedFile, HasTheBytesOfItsHeaderAndItsRecords) {
  EXPECT_EQ((PlannedFile{.name = "a", .header = "1234", .records = 10, .record_bytes = 3}.bytes()), 34);
  EXPECT_EQ((PlannedFile{.name = "a", .header = "1234"}.bytes()), 4);
}

}  // namespace
}  // namespace loadline
