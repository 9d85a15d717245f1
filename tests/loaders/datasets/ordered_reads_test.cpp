#include "loaders/datasets/ordered_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "loaders/error.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::ElementsAre;

// Sample i is the byte i. Readers wait until `at_a_time` of them are reading, as on storage that answers all of them at
// once. Then the readers of `broken` samples fail.
class LateDataset final : public Dataset {
 public:
  explicit LateDataset(std::size_t samples, std::size_t at_a_time, std::vector<SampleIndex> broken = {})
      : Dataset({.format = "late", .samples = samples, .shape = {1, 1, 1}, .classes = 1, .access = Access::kFiles},
                std::vector<std::int32_t>(samples, 0)),
        at_a_time_(at_a_time),
        broken_(std::move(broken)) {}

  std::unique_ptr<SampleReader> make_reader(std::size_t /*most*/) const override {
    return std::make_unique<Reader>(*this);
  }

  std::size_t most_at_a_time() const { return most_; }

 private:
  class Reader final : public SampleReader {
   public:
    explicit Reader(const LateDataset& dataset) : dataset_(dataset) {}
    void read(std::span<const SampleIndex> indices, std::span<StoredSample> out) override {
      dataset_.wait_for_the_others();
      if (std::ranges::find(dataset_.broken_, indices[0]) != dataset_.broken_.end()) {
        throw Error("cannot read sample " + std::to_string(indices[0]));
      }
      byte_ = static_cast<std::byte>(indices[0]);
      out[0] = {&byte_, 1};
    }

   private:
    const LateDataset& dataset_;
    std::byte byte_{};
  };

  void wait_for_the_others() const {
    std::unique_lock lock(mutex_);
    most_ = std::max(most_, ++reading_);
    arrived_.notify_all();
    // Only a failing test reaches the limit.
    arrived_.wait_for(lock, std::chrono::seconds(20), [&] { return most_ >= at_a_time_; });
    --reading_;
  }

  std::size_t at_a_time_;
  std::vector<SampleIndex> broken_;
  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  mutable std::size_t reading_ = 0;
  mutable std::size_t most_ = 0;
};

SampleIndex backwards_from_nine(std::size_t number) {
  return static_cast<SampleIndex>(9 - number);
}

TEST(ReadInOrder, GivesSamplesAndTheirNumbersInTheRequestedOrder) {
  const LateDataset dataset(10, 1);
  std::vector<std::pair<std::size_t, int>> seen;
  EXPECT_TRUE(read_in_order(dataset, 4, backwards_from_nine, [&](std::size_t number, StoredSample sample) {
    seen.emplace_back(number, std::to_integer<int>(sample[0]));
    return true;
  }));
  EXPECT_THAT(seen, ElementsAre(std::pair(0U, 9), std::pair(1U, 8), std::pair(2U, 7), std::pair(3U, 6)));
}

TEST(ReadInOrder, KeepsThirtyTwoReadsInFlight) {
  const LateDataset dataset(200, 32);
  std::vector<int> seen;
  read_in_order(
      dataset, 200, [](std::size_t number) { return static_cast<SampleIndex>(number); },
      [&](std::size_t, StoredSample sample) {
        seen.push_back(std::to_integer<int>(sample[0]));
        return true;
      });
  EXPECT_EQ(dataset.most_at_a_time(), 32U);
  ASSERT_EQ(seen.size(), 200U);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(ReadInOrder, EndsWhenItsVisitorHasEnough) {
  const LateDataset dataset(100, 1);
  std::size_t visits = 0;
  EXPECT_FALSE(read_in_order(
      dataset, 100, [](std::size_t number) { return static_cast<SampleIndex>(number); },
      [&](std::size_t, StoredSample) { return ++visits < 3; }));
  EXPECT_EQ(visits, 3U);
}

TEST(ReadInOrder, VisitsTheSamplesBeforeTheFirstBrokenOneAndThenThrows) {
  const LateDataset dataset(100, 32, {20, 4});
  std::size_t visits = 0;
  const auto read = [&] {
    read_in_order(
        dataset, 100, [](std::size_t number) { return static_cast<SampleIndex>(number); },
        [&](std::size_t, StoredSample) { return ++visits > 0; });
  };
  EXPECT_EQ(test::thrown_by(read), test::failed("cannot read sample 4"));
  EXPECT_EQ(visits, 4U);
}

TEST(ReadInOrder, DoesNothingForNoSamples) {
  const LateDataset dataset(1, 2);
  EXPECT_TRUE(read_in_order(
      dataset, 0, [](std::size_t) { return SampleIndex{0}; }, [](std::size_t, StoredSample) { return false; }));
}

}  // namespace
}  // namespace loadline
