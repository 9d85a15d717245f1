#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "loaders/batch.h"
#include "loaders/sampler.h"
#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/batches.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::batches_of;
using test::Indices;
using test::thrown_by;
using testing::ElementsAre;

// A batch that a stream dealt, as a value: (sequence, epoch, indices).
using Dealt = std::tuple<std::uint64_t, std::uint64_t, Indices>;

class Hand {
 public:
  explicit Hand(const Sampler& sampler) : indices_(sampler.batch_size()) { slot_.indices = indices_; }

  std::optional<Dealt> draw(BatchStream& stream) {
    if (!stream.next(slot_)) return std::nullopt;
    return dealt();
  }
  std::optional<Dealt> look_at(BatchStream& stream, std::uint64_t sequence) {
    if (!stream.look_at(sequence, slot_)) return std::nullopt;
    return dealt();
  }

 private:
  Dealt dealt() const {
    return {slot_.sequence, slot_.epoch, Indices(indices_.begin(), indices_.begin() + long(slot_.count))};
  }

  Indices indices_;
  Slot slot_;
};

std::vector<Dealt> deal(const Sampler& sampler, const StreamOptions& options, bool prepare = false) {
  BatchStream stream(sampler, options);
  Hand hand(sampler);
  std::vector<Dealt> all;
  while (auto dealt = hand.draw(stream)) {
    all.push_back(std::move(*dealt));
    if (prepare) stream.prepare_next();
  }
  return all;
}

TEST(BatchStream, RunsAcrossEpochsToTheLast) {
  const Sampler sampler({.samples = 3, .batch_size = 2, .order = Order::kSequential});
  EXPECT_THAT(deal(sampler, {.epochs = 2}),
              ElementsAre(Dealt{0, 0, {0, 1}}, Dealt{1, 0, {2}}, Dealt{2, 1, {0, 1}}, Dealt{3, 1, {2}}));
}

TEST(BatchStream, FollowsTheSampler) {
  const Sampler sampler({.samples = 10, .batch_size = 4});
  std::vector<Dealt> expected;
  for (const std::uint64_t epoch : {5U, 6U, 7U}) {
    for (const Indices& batch : batches_of(sampler, epoch)) expected.emplace_back(expected.size(), epoch, batch);
  }
  EXPECT_EQ(deal(sampler, {.first_epoch = 5, .epochs = 3}), expected);
}

TEST(BatchStream, GivesNothingAfterTheEnd) {
  const Sampler sampler({.samples = 3, .batch_size = 2});
  BatchStream stream(sampler, {.epochs = 1});
  Hand hand(sampler);
  EXPECT_TRUE(hand.draw(stream));
  EXPECT_TRUE(hand.draw(stream));
  EXPECT_FALSE(hand.draw(stream));
  EXPECT_FALSE(hand.draw(stream));
}

TEST(BatchStream, HasNoEndByDefault) {
  const Sampler sampler({.samples = 3, .batch_size = 3});
  BatchStream stream(sampler, {});
  Hand hand(sampler);
  for (std::uint64_t epoch = 0; epoch < 100; ++epoch) {
    const auto dealt = hand.draw(stream);
    ASSERT_TRUE(dealt);
    EXPECT_EQ(std::get<1>(*dealt), epoch);
  }
}

TEST(BatchStream, DealsTheSameWithTheNextShufflePreparedOrNot) {
  for (const Order order : {Order::kSequential, Order::kShuffled, Order::kPageShuffled}) {
    const Sampler sampler({.samples = 50, .batch_size = 8, .order = order, .page_samples = 4, .window_samples = 16});
    EXPECT_EQ(deal(sampler, {.epochs = 4}, true), deal(sampler, {.epochs = 4}, false));
  }
}

TEST(BatchStream, DealsAKeyedShuffleToo) {
  const Sampler sampler({.samples = 65'552, .batch_size = 1000, .rank = 3, .world_size = 16});
  ASSERT_EQ(sampler.shuffle(), Shuffle::kKeyed);
  std::vector<Dealt> expected;
  for (const std::uint64_t epoch : {5U, 6U}) {
    for (const Indices& batch : batches_of(sampler, epoch)) expected.emplace_back(expected.size(), epoch, batch);
  }
  EXPECT_EQ(deal(sampler, {.first_epoch = 5, .epochs = 2}, true), expected);
}

TEST(BatchStream, ShowsComingBatchesAndStillDealsThem) {
  const Sampler sampler({.samples = 10, .batch_size = 4});
  const auto expected = deal(sampler, {.first_epoch = 5, .epochs = 2});
  BatchStream stream(sampler, {.first_epoch = 5, .epochs = 2});
  Hand eyes(sampler);
  EXPECT_EQ(eyes.look_at(stream, 2), expected[2]);
  EXPECT_EQ(eyes.look_at(stream, 0), expected[0]);
  EXPECT_EQ(eyes.look_at(stream, 3), std::nullopt) << "the next epoch is not shuffled yet";
  stream.prepare_next();
  EXPECT_EQ(eyes.look_at(stream, 5), expected[5]);
  EXPECT_EQ(eyes.look_at(stream, 6), std::nullopt) << "behind the end";
  Hand hand(sampler);
  for (const Dealt& each : expected) EXPECT_EQ(hand.draw(stream), each);
}

TEST(BatchStream, ShowsNoBatchOfAReplacedOrder) {
  const Sampler sampler({.samples = 4, .batch_size = 2});
  BatchStream stream(sampler, {});
  Hand hand(sampler);
  hand.draw(stream);
  hand.draw(stream);
  EXPECT_EQ(hand.look_at(stream, 1), std::nullopt) << "its epoch is over";
  hand.draw(stream);
  stream.prepare_next();
  EXPECT_EQ(hand.look_at(stream, 1), std::nullopt) << "the epoch after the next is there";
  EXPECT_TRUE(hand.look_at(stream, 5));
}

TEST(BatchStream, ShowsAnyBatchOfAKeyedOrder) {
  const Sampler sampler({.samples = 65'552, .batch_size = 1000, .rank = 3, .world_size = 16});
  const auto expected = deal(sampler, {.epochs = 3});
  BatchStream stream(sampler, {.epochs = 3});
  Hand eyes(sampler);
  for (const Dealt& each : expected) EXPECT_EQ(eyes.look_at(stream, std::get<0>(each)), each);
}

TEST(BatchStream, DealsTheTailOfTheWholeWhereverItStarts) {
  const Sampler sampler({.samples = 10, .batch_size = 3});
  const auto whole = deal(sampler, {.epochs = 3});
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    for (std::size_t batch = 0; batch < 4; ++batch) {
      auto tail = deal(sampler, {.first_epoch = epoch, .first_batch = batch, .epochs = 3 - epoch});
      const std::size_t skipped = 4 * epoch + batch;
      ASSERT_EQ(tail.size(), whole.size() - skipped);
      for (Dealt& dealt : tail) std::get<0>(dealt) += skipped;  // the sequence counts from where the run began
      EXPECT_TRUE(std::equal(tail.begin(), tail.end(), whole.begin() + static_cast<long>(skipped)));
    }
  }
}

TEST(BatchStream, RefusesImpossibleOptions) {
  const Sampler sampler({.samples = 10, .batch_size = 3});
  EXPECT_EQ(thrown_by([&] { BatchStream stream(sampler, {.epochs = 0}); }),
            test::usage("epochs: want at least 1, got 0"));
  EXPECT_EQ(thrown_by([&] { BatchStream stream(sampler, {.first_batch = 4}); }),
            test::usage("first batch 4: an epoch has 4 batches"));
}

// Epochs of one bucket, which takes 4016 bytes whenever it is sorted.
class StreamOfABucket : public testing::Test {
 protected:
  static constexpr std::size_t kSamples = 1004;
  static constexpr std::size_t kBucketBytes = kSamples * sizeof(SampleIndex);

  SamplerOptions options(Order order, std::size_t batch_size) const {
    return {.samples = kSamples, .batch_size = batch_size, .order = order, .bucket_batches = kSamples / batch_size};
  }

  const std::vector<std::uint32_t> lengths_ = std::vector<std::uint32_t>(kSamples, 1);
  Indices indices_ = Indices(kSamples);
  Slot slot_;
};

TEST_F(StreamOfABucket, SaysWhichBatchIsLostIfMemoryIsRefused) {
  const Sampler sampler(options(Order::kSequential, 4), lengths_);
  BatchStream stream(sampler, {});
  slot_.indices = indices_;
  for (int i = 0; i < 3; ++i) stream.next(slot_);
  const test::RefusedAllocation refused(kBucketBytes);
  EXPECT_THROW(stream.next(slot_), std::bad_alloc);
  EXPECT_EQ(slot_.sequence, 3U);
  EXPECT_TRUE(stream.next(slot_));
  EXPECT_EQ(slot_.sequence, 4U);
}

TEST_F(StreamOfABucket, DealsTheSameIfTheNextShuffleCannotBePrepared) {
  const Sampler sampler(options(Order::kShuffled, 502), lengths_);
  const auto expected = deal(sampler, {.epochs = 3});
  BatchStream stream(sampler, {.epochs = 3});
  Hand hand(sampler);
  {
    const test::RefusedAllocation refused(kBucketBytes);
    stream.prepare_next();
    EXPECT_TRUE(refused.has_happened());
  }
  for (const Dealt& each : expected) EXPECT_EQ(hand.draw(stream), each);
}

TEST_F(StreamOfABucket, FailsInsteadOfWaitingForABatchThatIsLost) {
  const Sampler sampler(options(Order::kShuffled, kSamples), lengths_);
  BatchStream stream(sampler, {});
  slot_.indices = indices_;
  EXPECT_TRUE(stream.next(slot_));
  const test::RefusedAllocation refused(kBucketBytes);
  EXPECT_THROW(stream.next(slot_), std::bad_alloc);
  EXPECT_EQ(slot_.sequence, 1U);
  EXPECT_TRUE(stream.next(slot_)) << "the order of every other epoch is in other memory";
  EXPECT_EQ(thrown_by([&] { stream.next(slot_); }),
            test::failed("cannot compute the order of an epoch: an earlier one could not be computed"));
}

TEST(BatchStream, DealsEachBatchToOneOfManyThreads) {
  struct Epoch {
    std::size_t samples;
    std::size_t batch_size;
  };
  // Epochs of one batch, so that every draw crosses a boundary; of many batches; and of few batches after a slow
  // shuffle.
  for (const Epoch& epoch : {Epoch{2, 2}, Epoch{31, 2}, Epoch{8000, 4000}}) {
    const Sampler sampler({.samples = epoch.samples, .batch_size = epoch.batch_size});
    const auto expected = deal(sampler, {.epochs = 200});
    BatchStream stream(sampler, {.epochs = 200});
    std::vector<std::vector<Dealt>> hands(4);
    {
      std::vector<std::jthread> threads;
      for (auto& dealt : hands) {
        threads.emplace_back([&] {
          Hand hand(sampler);
          Hand eyes(sampler);
          while (auto drawn = hand.draw(stream)) {
            const std::uint64_t coming = std::get<0>(*drawn) + 3;
            const auto seen = eyes.look_at(stream, coming);
            EXPECT_TRUE(!seen || *seen == expected[coming]);
            dealt.push_back(std::move(*drawn));
            stream.prepare_next();
          }
        });
      }
    }
    std::vector<Dealt> all;
    for (const auto& dealt : hands) {
      EXPECT_TRUE(std::ranges::is_sorted(dealt));
      all.insert(all.end(), dealt.begin(), dealt.end());
    }
    std::ranges::sort(all);
    EXPECT_EQ(all, expected);
  }
}

}  // namespace
}  // namespace loadline
