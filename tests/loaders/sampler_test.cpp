#include "loaders/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "tests/loaders/support/batches.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::batches_of;
using test::Indices;
using test::permutation_of;
using test::thrown_by;
using testing::ElementsAre;
using testing::UnorderedElementsAreArray;

Indices epoch_of(const Sampler& sampler, std::uint64_t epoch) {
  Indices all;
  for (const Indices& batch : batches_of(sampler, epoch)) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

Indices up_to(std::size_t samples) {
  Indices all(samples);
  std::iota(all.begin(), all.end(), SampleIndex{0});
  return all;
}

test::Thrown refusal_of(const SamplerOptions& options) {
  return thrown_by([&] { Sampler sampler(options); });
}

std::vector<std::uint32_t> made_up_lengths(std::size_t samples) {
  std::vector<std::uint32_t> lengths(samples);
  for (std::size_t i = 0; i < samples; ++i) lengths[i] = static_cast<std::uint32_t>(i * 7919 % 251);
  return lengths;
}

TEST(Sampler, BucketsSortBatchesByLengthAndKeepEachSample) {
  const auto lengths = made_up_lengths(103);
  for (const Order order : {Order::kShuffled, Order::kPageShuffled, Order::kSequential}) {
    for (const std::size_t ranks : {1U, 3U}) {
      Indices all;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        SamplerOptions options{.samples = 103, .batch_size = 4, .order = order, .rank = rank, .world_size = ranks};
        options.page_samples = 8;
        options.window_samples = 32;
        const auto plain = epoch_of(Sampler(options), 2);
        options.bucket_batches = 5;
        const Sampler sampler(options, lengths);
        const auto batches = batches_of(sampler, 2);
        EXPECT_EQ(batches, batches_of(Sampler(options, lengths), 2));
        for (std::size_t first = 0; first < batches.size(); first += 5) {
          // A bucket holds the samples that its batches would hold without buckets. In order of length, the longest
          // sample of a batch is no longer than the shortest of the next.
          Indices bucket;
          std::vector<std::pair<std::uint32_t, std::uint32_t>> spans;
          for (std::size_t i = first; i < std::min(first + 5, batches.size()); ++i) {
            bucket.insert(bucket.end(), batches[i].begin(), batches[i].end());
            const auto [least, most] = std::ranges::minmax(batches[i], {}, [&](SampleIndex s) { return lengths[s]; });
            spans.emplace_back(lengths[least], lengths[most]);
          }
          const auto from = plain.begin() + static_cast<std::ptrdiff_t>(first * 4);
          EXPECT_THAT(bucket, UnorderedElementsAreArray(from, from + static_cast<std::ptrdiff_t>(bucket.size())));
          std::ranges::sort(spans);
          for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_LE(spans[i - 1].second, spans[i].first);
        }
        for (const Indices& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
      }
      EXPECT_THAT(all, UnorderedElementsAreArray(up_to(103)));
    }
  }
}

TEST(Sampler, BucketsNeedALengthForEachSample) {
  EXPECT_EQ(refusal_of({.samples = 9, .batch_size = 3, .bucket_batches = 2}),
            test::usage("--bucket-batches 2: the samples have no lengths of their own, only those of padded text do"));
}

TEST(Sampler, SequentialGivesSamplesAsStored) {
  const Sampler sampler({.samples = 7, .batch_size = 3, .order = Order::kSequential});
  EXPECT_EQ(sampler.permutation_size(), 0U);
  EXPECT_EQ(sampler.batches_per_epoch(), 3U);
  EXPECT_EQ(sampler.samples_per_epoch(), 7U);
  for (const std::uint64_t epoch : {0U, 5U}) {
    EXPECT_THAT(batches_of(sampler, epoch), ElementsAre(Indices{0, 1, 2}, Indices{3, 4, 5}, Indices{6}));
  }
}

TEST(Sampler, DropsTheShortLastBatchOnRequest) {
  const Sampler sampler({.samples = 7, .batch_size = 3, .order = Order::kSequential, .drop_last = true});
  EXPECT_EQ(sampler.batches_per_epoch(), 2U);
  EXPECT_EQ(sampler.samples_per_epoch(), 6U);
  EXPECT_THAT(batches_of(sampler, 0), ElementsAre(Indices{0, 1, 2}, Indices{3, 4, 5}));
}

TEST(Sampler, KeepsAFullLastBatch) {
  for (const bool drop_last : {false, true}) {
    const Sampler sampler({.samples = 6, .batch_size = 3, .order = Order::kSequential, .drop_last = drop_last});
    EXPECT_THAT(batches_of(sampler, 0), ElementsAre(Indices{0, 1, 2}, Indices{3, 4, 5}));
  }
}

TEST(Sampler, TakesTheWholeDatasetAsOneBatch) {
  const Sampler sampler({.samples = 4, .batch_size = 4, .order = Order::kSequential});
  EXPECT_THAT(batches_of(sampler, 0), ElementsAre(Indices{0, 1, 2, 3}));
}

TEST(Sampler, ShuffledIsAPermutation) {
  const Sampler sampler({.samples = 1000, .batch_size = 64});
  for (const std::uint64_t epoch : {0U, 1U, 1'000'000U}) {
    EXPECT_THAT(epoch_of(sampler, epoch), UnorderedElementsAreArray(up_to(1000)));
  }
}

TEST(Sampler, ShufflesTheSameOnEveryMachine) {
  const Sampler sampler({.samples = 10, .batch_size = 10, .seed = 1});
  EXPECT_THAT(epoch_of(sampler, 0), ElementsAre(1, 9, 0, 7, 4, 2, 5, 3, 8, 6));
  EXPECT_THAT(epoch_of(sampler, 1), ElementsAre(9, 4, 0, 1, 6, 2, 8, 7, 5, 3));
}

TEST(Sampler, ShufflesDifferentlyInEachEpochAndForEachSeed) {
  std::set<Indices> orders;
  for (const std::uint64_t seed : {1U, 2U}) {
    const Sampler sampler({.samples = 100, .batch_size = 10, .seed = seed});
    for (const std::uint64_t epoch : {0U, 1U, 2U}) orders.insert(epoch_of(sampler, epoch));
  }
  EXPECT_EQ(orders.size(), 6U);
}

TEST(Sampler, ShufflesTheSameForTheSameSeed) {
  const Sampler one({.samples = 100, .batch_size = 10, .seed = 9});
  const Sampler two({.samples = 100, .batch_size = 7, .seed = 9});
  EXPECT_EQ(epoch_of(one, 3), epoch_of(two, 3));
}

TEST(Sampler, ShufflePutsEachSampleInEachPlaceAboutEquallyOften) {
  const Sampler sampler({.samples = 5, .batch_size = 5});
  std::array<std::array<int, 5>, 5> counts{};
  for (std::uint64_t epoch = 0; epoch < 10'000; ++epoch) {
    const Indices order = epoch_of(sampler, epoch);
    for (std::size_t place = 0; place < 5; ++place) ++counts.at(place).at(order[place]);
  }
  // Five standard deviations of a binomial with n = 10,000 and p = 1/5.
  for (const auto& place : counts) {
    for (const int count : place) EXPECT_NEAR(count, 2000, 200);
  }
}

TEST(Sampler, PageShuffleIsAPermutation) {
  for (const std::size_t samples : {1U, 15U, 16U, 17U, 96U, 100U}) {
    const Sampler sampler(
        {.samples = samples, .batch_size = 1, .order = Order::kPageShuffled, .page_samples = 16, .window_samples = 48});
    EXPECT_THAT(epoch_of(sampler, 2), UnorderedElementsAreArray(up_to(samples))) << samples;
  }
}

TEST(Sampler, PageShuffleDrawsAWindowFromAsManyPagesAsFitInIt) {
  const Sampler sampler(
      {.samples = 960, .batch_size = 1, .order = Order::kPageShuffled, .page_samples = 16, .window_samples = 63});
  const Indices order = epoch_of(sampler, 0);
  for (std::size_t at = 0; at < order.size(); at += 48) {
    std::set<SampleIndex> pages;
    for (std::size_t i = at; i < at + 48; ++i) pages.insert(order[i] / 16);
    EXPECT_EQ(pages.size(), 3U) << "window at " << at;
  }
}

// Returns the largest number of pages whose samples are mixed. If no window splits a page, it is at most the number of
// pages in a window.
std::size_t most_pages_mixed(const Indices& order, std::size_t page_samples) {
  std::vector<std::size_t> left((order.size() + page_samples - 1) / page_samples, page_samples);
  if (order.size() % page_samples != 0) left.back() = order.size() % page_samples;
  std::size_t begun = 0;  // pages with some samples seen and some not
  std::size_t mixed = 0;
  std::size_t most = 0;
  for (const SampleIndex sample : order) {
    const std::size_t page = sample / page_samples;
    const bool first = left[page] == std::min(page_samples, order.size() - page * page_samples);
    begun += first ? 1 : 0;
    mixed += first ? 1 : 0;
    most = std::max(most, mixed);
    if (--left[page] == 0 && --begun == 0) mixed = 0;
  }
  return most;
}

TEST(Sampler, PageShuffleKeepsPagesInOneWindowWhateverTheNumberOfSamples) {
  struct Case {
    std::size_t samples;
    std::size_t page;
    std::size_t window;
  };
  for (const Case& one : {Case{50'000, 64, 4096}, Case{960, 16, 63}, Case{961, 16, 63}, Case{975, 16, 48},
                          Case{17, 16, 16}, Case{100, 7, 20}, Case{1000, 1, 1}}) {
    for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
      const Sampler sampler({.samples = one.samples,
                             .batch_size = 1,
                             .order = Order::kPageShuffled,
                             .page_samples = one.page,
                             .window_samples = one.window});
      Indices order = permutation_of(sampler, epoch);
      EXPECT_LE(most_pages_mixed(order, one.page), one.window / one.page) << one.samples << " in epoch " << epoch;
      std::ranges::sort(order);
      EXPECT_EQ(order, up_to(one.samples));
    }
  }
}

TEST(Sampler, PageShuffleMixesAllOfADatasetSmallerThanTheWindow) {
  const Sampler sampler(
      {.samples = 100, .batch_size = 1, .order = Order::kPageShuffled, .page_samples = 16, .window_samples = 4096});
  EXPECT_EQ(most_pages_mixed(permutation_of(sampler, 0), 16), 7U);
}

TEST(Sampler, PageShuffleMixesPagesAndTheSamplesInAWindow) {
  const Sampler sampler(
      {.samples = 960, .batch_size = 1, .order = Order::kPageShuffled, .page_samples = 16, .window_samples = 48});
  const Indices first = epoch_of(sampler, 0);
  EXPECT_NE(first, epoch_of(sampler, 1));
  EXPECT_FALSE(std::ranges::is_sorted(std::span(first).first(48)));
  std::set<SampleIndex> pages;
  for (std::size_t i = 0; i < 48; ++i) pages.insert(first[i] / 16);
  EXPECT_NE(pages, (std::set<SampleIndex>{0, 1, 2}));
}

TEST(Sampler, RanksShareEachEpochExactlyOnce) {
  for (const Order order : {Order::kSequential, Order::kShuffled, Order::kPageShuffled}) {
    Indices all;  // the last page is short
    std::vector<std::size_t> shares;
    for (std::size_t rank = 0; rank < 4; ++rank) {
      const Sampler sampler({.samples = 103,
                             .batch_size = 8,
                             .order = order,
                             .page_samples = 4,
                             .window_samples = 16,
                             .rank = rank,
                             .world_size = 4});
      shares.push_back(sampler.samples_per_epoch());
      const Indices mine = epoch_of(sampler, 1);
      all.insert(all.end(), mine.begin(), mine.end());
    }
    EXPECT_THAT(shares, ElementsAre(26U, 26U, 26U, 25U));
    EXPECT_THAT(all, UnorderedElementsAreArray(up_to(103)));
  }
}

// Returns the whole order of an epoch that many ranks share, by position.
Indices order_of_ranks(SamplerOptions options, std::uint64_t epoch) {
  Indices all(options.samples);
  for (options.rank = 0; options.rank < options.world_size; ++options.rank) {
    const Indices mine = epoch_of(Sampler(options), epoch);
    for (std::size_t i = 0; i < mine.size(); ++i) all[options.rank + i * options.world_size] = mine[i];
  }
  return all;
}

TEST(Sampler, ShufflesLargeDatasetsAndThoseOfManyRanksByKey) {
  EXPECT_EQ(shuffle_of(Order::kShuffled, 4'194'304, 1), Shuffle::kInMemory);
  EXPECT_EQ(shuffle_of(Order::kShuffled, 4'194'305, 1), Shuffle::kKeyed);
  EXPECT_EQ(shuffle_of(Order::kPageShuffled, 4'194'305, 15), Shuffle::kKeyed);
  EXPECT_EQ(shuffle_of(Order::kShuffled, 65'537, 15), Shuffle::kInMemory);
  EXPECT_EQ(shuffle_of(Order::kShuffled, 65'536, 16), Shuffle::kInMemory);
  EXPECT_EQ(shuffle_of(Order::kShuffled, 65'537, 16), Shuffle::kKeyed);
  EXPECT_EQ(shuffle_of(Order::kSequential, 100'000'000, 1), Shuffle::kNone);
}

TEST(Sampler, AKeyedShuffleNeedsNoMemoryAndIsReadyAtOnce) {
  const Sampler sampler({.samples = 4'000'000'000, .batch_size = 4, .rank = 999, .world_size = 1000});
  EXPECT_EQ(sampler.permutation_size(), 0U);
  EXPECT_EQ(sampler.samples_per_epoch(), 4'000'000U);
  Indices batch(4);
  EXPECT_EQ(sampler.batch(7, {}, 999'999, batch), 4U);
  const Indices last = batch;
  EXPECT_EQ(std::set<SampleIndex>(last.begin(), last.end()).size(), 4U);
  sampler.batch(8, {}, 999'999, batch);
  EXPECT_NE(batch, last);
}

TEST(Sampler, KeyedShufflesGiveEachSampleOnce) {
  for (const Order order : {Order::kShuffled, Order::kPageShuffled}) {
    Indices all = order_of_ranks({.samples = 70'001, .batch_size = 64, .order = order, .world_size = 16}, 3);
    EXPECT_FALSE(std::ranges::is_sorted(all));
    std::ranges::sort(all);
    EXPECT_EQ(all, up_to(70'001));
  }
}

TEST(Sampler, AKeyedPageShuffleKeepsPagesInOneWindow) {
  struct Case {
    std::size_t samples;
    std::size_t page;
    std::size_t window;
  };
  for (const Case& one : {Case{70'001, 64, 4096}, Case{65'537, 16, 63}, Case{66'000, 7, 20}, Case{70'000, 1, 1},
                          Case{65'600, 100'000, 100'000}}) {
    const Indices order = order_of_ranks({.samples = one.samples,
                                          .batch_size = 8,
                                          .order = Order::kPageShuffled,
                                          .page_samples = one.page,
                                          .window_samples = one.window,
                                          .world_size = 16},
                                         1);
    EXPECT_LE(most_pages_mixed(order, one.page), one.window / one.page) << one.samples;
    EXPECT_FALSE(std::ranges::is_sorted(order));
    Indices sorted = order;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, up_to(one.samples));
  }
}

TEST(Sampler, ARankTakesEveryWorldSizethPosition) {
  const Sampler sampler({.samples = 8, .batch_size = 2, .order = Order::kSequential, .rank = 1, .world_size = 3});
  EXPECT_THAT(batches_of(sampler, 0), ElementsAre(Indices{1, 4}, Indices{7}));
}

TEST(Sampler, RefusesImpossibleOptions) {
  EXPECT_EQ(refusal_of({.samples = 0}), test::usage("cannot sample from a dataset of 0 samples"));
  EXPECT_EQ(refusal_of({.samples = 4'294'967'295}),
            test::usage("cannot sample from 4294967295 samples: more than 2^32 - 2"));
  EXPECT_EQ(refusal_of({.samples = 9, .batch_size = 0}), test::usage("batch size: want at least 1 sample, got 0"));
  EXPECT_EQ(refusal_of({.samples = 9, .rank = 2, .world_size = 2}),
            test::usage("rank 2 of world size 2: want a rank below the world size"));
  EXPECT_EQ(refusal_of({.samples = 9, .world_size = 0}),
            test::usage("rank 0 of world size 0: want a rank below the world size"));
  EXPECT_EQ(refusal_of({.samples = 9, .batch_size = 10}),
            test::usage("--batch-size 10 is larger than the dataset of 9 samples; use --batch-size 9 or less"));
  EXPECT_EQ(refusal_of({.samples = 1, .batch_size = 4}),
            test::usage("--batch-size 4 is larger than the dataset of 1 sample; use --batch-size 1 or less"));
  EXPECT_EQ(refusal_of({.samples = 9, .batch_size = 5, .rank = 1, .world_size = 2}),
            test::usage("--batch-size 5 is larger than rank 1's share of 4 samples; use --batch-size 4 or less"));
  EXPECT_EQ(refusal_of({.samples = 3, .batch_size = 5, .rank = 1, .world_size = 2}),
            test::usage("--batch-size 5 is larger than rank 1's share of 1 sample; use --batch-size 1 or less"));
  EXPECT_EQ(refusal_of({.samples = 9, .order = Order::kPageShuffled, .page_samples = 8, .window_samples = 7}),
            test::usage("page shuffle: want a window of at least one page, got 7 samples for pages of 8"));
  EXPECT_EQ(refusal_of({.samples = 9, .order = Order::kPageShuffled, .page_samples = 0, .window_samples = 7}),
            test::usage("page shuffle: want a window of at least one page, got 7 samples for pages of 0"));
}

}  // namespace
}  // namespace loadline
