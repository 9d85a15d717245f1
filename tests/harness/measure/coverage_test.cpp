#include "harness/measure/coverage.h"

#include <gtest/gtest.h>

#include <array>

#include "loaders/sampler.h"

namespace loadline {
namespace {

constexpr std::size_t kCoveredSamples = 100;

// What one of two ranks reads in an epoch.
EpochTally half_of_epoch(std::uint64_t epoch, std::size_t rank) {
  const Sampler sampler({.samples = kCoveredSamples, .batch_size = 7, .rank = rank, .world_size = 2});
  std::vector<SampleIndex> permutation(sampler.permutation_size());
  sampler.permute(epoch, permutation);
  EpochTally tally;
  std::array<SampleIndex, 7> batch{};
  for (std::size_t i = 0; i < sampler.batches_per_epoch(); ++i) {
    const std::size_t count = sampler.batch(epoch, permutation, i, batch);
    for (std::size_t k = 0; k < count; ++k) tally.add(batch[k]);
  }
  return tally;
}

void expect_coverage(const std::vector<EpochTallies>& ranks, std::uint64_t proved, std::uint64_t wrong,
                     std::uint64_t partial) {
  const RankCoverage coverage = coverage_of(ranks, kCoveredSamples);
  EXPECT_EQ(coverage.proved_epochs, proved);
  EXPECT_EQ(coverage.wrong_epochs, wrong);
  EXPECT_EQ(coverage.partial_epochs, partial);
}

TEST(Coverage, ProvesTheEpochsThatAllRanksCompleted) {
  expect_coverage(
      {{{1, half_of_epoch(1, 0)}, {2, half_of_epoch(2, 0)}}, {{1, half_of_epoch(1, 1)}, {2, half_of_epoch(2, 1)}}}, 2,
      0, 0);
}

TEST(Coverage, ProvesNothingAboutAnEpochThatOneRankHasNotRead) {
  expect_coverage({{{1, half_of_epoch(1, 0)}, {2, half_of_epoch(2, 0)}}, {{1, half_of_epoch(1, 1)}}}, 1, 0, 1);
}

TEST(Coverage, FindsRanksThatReadTheSameShare) {
  expect_coverage({{{1, half_of_epoch(1, 0)}}, {{1, half_of_epoch(1, 0)}}}, 0, 1, 0);
}

TEST(Coverage, FindsSamplesOfAnotherEpoch) {
  expect_coverage({{{1, half_of_epoch(1, 0)}}, {{1, half_of_epoch(2, 1)}}}, 0, 1, 0);
}

TEST(Coverage, FindsASampleThatARankReadTwice) {
  EpochTally twice = half_of_epoch(1, 0);
  twice.add(3);
  expect_coverage({{{1, twice}}, {{1, half_of_epoch(1, 1)}}}, 0, 1, 0);
}

TEST(Coverage, TravelsAsText) {
  const EpochTallies tallies{{3, half_of_epoch(3, 0)}, {18'000'000'000, whole_epoch(kCoveredSamples)}};
  EXPECT_EQ(tallies_of(text_of(tallies)), tallies);
  EXPECT_EQ(tallies_of(""), EpochTallies());
}

}  // namespace
}  // namespace loadline
