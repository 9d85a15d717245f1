#include "harness/show/staging_text.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

const std::filesystem::path kCopy = "/local/scratch/loadline-staged-0123/cifar10";

StagedCopy copied() {
  return {.from = "/lustre/cifar10",
          .files = 6,
          .bytes = std::uint64_t{176} << 20,
          .nodes = 1,
          .copied_nodes = 1,
          .seconds = 0.4};
}

TEST(StagingText, SaysWhatWasCopiedWhereAndHowFast) {
  EXPECT_EQ(staged_words(copied(), kCopy), "176.0 MiB to /local/scratch in 400 ms, 440.0 MiB/s");
}

TEST(StagingText, GivesTheTimeOfTheSlowestOfSeveralNodes) {
  StagedCopy staged = copied();
  staged.nodes = staged.copied_nodes = 8;
  EXPECT_EQ(staged_words(staged, kCopy),
            "176.0 MiB to /local/scratch on each of 8 nodes; the slowest in 400 ms, 440.0 MiB/s");
  staged.copied_nodes = 3;
  EXPECT_EQ(
      staged_words(staged, kCopy),
      "176.0 MiB to /local/scratch on 3 of 8 nodes, as the others have an earlier copy; the slowest in 400 ms, 440.0 "
      "MiB/s");
}

TEST(StagingText, NamesTheCopyOfAnEarlierRun) {
  StagedCopy staged = copied();
  staged.copied_nodes = 0;
  staged.seconds.reset();
  EXPECT_EQ(staged_words(staged, kCopy), "176.0 MiB in /local/scratch, by an earlier run");
  staged.nodes = 2;
  EXPECT_EQ(staged_words(staged, kCopy), "176.0 MiB in /local/scratch, by an earlier run on each of 2 nodes");
}

TEST(StagingText, HasALineForEachDatasetThatWasStaged) {
  Result result = test::result_of({{.mode = Mode::kIo, .rates = {100}}});
  EXPECT_EQ(staged_text(result), "");
  result.datasets.front().path = kCopy;
  result.datasets.front().staged = copied();
  EXPECT_EQ(staged_text(result), "staged: 176.0 MiB to /local/scratch in 400 ms, 440.0 MiB/s\n");
}

}  // namespace
}  // namespace loadline
