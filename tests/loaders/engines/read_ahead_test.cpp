// Tests what reading ahead adds to the contract of all loaders; conformance_test.cpp tests the contract itself.
#include "loaders/engines/read_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "loaders/loader.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/watchdog.h"

namespace loadline {
namespace {

using test::ArrivalScript;
using test::ArrivingDataset;

// An epoch has 16 batches of 4 samples in stored order: batch n starts with sample 4 * n.
class ReadingAhead : public testing::TestWithParam<std::size_t> {
 protected:
  struct Line {
    Line(const Dataset& inner, const ArrivalScript& script, const ImageTransform& transform)
        : dataset(inner, script), assembler(dataset, transform) {}
    ArrivingDataset dataset;
    ImageAssembler assembler;
  };

  std::unique_ptr<Feed> feed(const Dataset& dataset, const ArrivalScript& script, LoaderOptions options) {
    line_ = std::make_unique<Line>(dataset, script, transform_);
    options.workers = GetParam();
    return loader_named("flow-graph").make(line_->assembler, sampler_, options);
  }
  std::unique_ptr<Feed> feed(const ArrivalScript& script, const LoaderOptions& options) {
    return feed(*dataset_, script, options);
  }

  static std::vector<std::uint64_t> drain(Feed& feed) {
    std::vector<std::uint64_t> sequences;
    while (const Batch batch = feed.next()) sequences.push_back(batch->sequence);
    return sequences;
  }
  static std::vector<std::uint64_t> all_batches() {
    std::vector<std::uint64_t> all;
    for (std::uint64_t i = 0; i < 16; ++i) all.push_back(i);
    return all;
  }

  const std::unique_ptr<Dataset> dataset_ = test::patterned_dataset(64);

 private:
  const ImageTransform transform_{{1, 4, 4}, {.dtype = DType::kU8}, kernels_named("auto")};
  const Sampler sampler_{{.samples = 64, .batch_size = 4, .order = Order::kSequential}};
  std::unique_ptr<Line> line_;
};

INSTANTIATE_TEST_SUITE_P(Workers, ReadingAhead, testing::Values(1, 3));

TEST_P(ReadingAhead, DeliversAllOtherBatchesInOrderOfCompletionWhileOneSampleIsLate) {
  test::Gate gate;
  const ArrivalScript script{.window = 64, .late = 5, .gate = &gate};
  const auto one = feed(script, {.prefetch = 1, .in_order = false, .stream = {.epochs = 1}});
  std::set<std::uint64_t> sequences;
  for (int i = 0; i < 15; ++i) {
    const Batch batch = one->next();
    ASSERT_TRUE(batch);
    sequences.insert(batch->sequence);
  }
  EXPECT_FALSE(sequences.contains(1));
  EXPECT_EQ(sequences.size(), 15U);
  gate.open();
  EXPECT_EQ(drain(*one), std::vector<std::uint64_t>{1});
}

TEST_P(ReadingAhead, GoesPastALateSampleInOrderAsFarAsTheWindowReaches) {
  test::Gate gate;
  const ArrivalScript script{.window = 40, .late = 0, .gate = &gate};
  const auto one = feed(script, {.prefetch = 1, .stream = {.epochs = 1}});
  // Nobody takes a batch, and there are slots for only a few. These are assembled, and requests reach one window beyond
  // them.
  const std::size_t assembled = 4 * (GetParam() + 1 + 1) - 1;
  while (script.asked < std::min<std::size_t>(64, assembled + 40)) std::this_thread::yield();
  while (one->ready() != GetParam() + 1) std::this_thread::yield();
  gate.open();
  EXPECT_EQ(drain(*one), all_batches());
}

TEST_P(ReadingAhead, WorksWithAWindowSmallerThanABatch) {
  for (const bool in_order : {true, false}) {
    for (const std::size_t window : {1U, 3U}) {
      const ArrivalScript script{.requests = 1, .window = window};
      const auto one = feed(script, {.prefetch = 1, .in_order = in_order, .stream = {.epochs = 1}});
      auto sequences = drain(*one);
      std::ranges::sort(sequences);
      EXPECT_EQ(sequences, all_batches());
    }
  }
}

TEST_P(ReadingAhead, GoesOnIfStorageEndsItsRequestsLongAfterItAnswersThem) {
  const test::Watchdog watchdog;
  for (const bool in_order : {true, false}) {
    const ArrivalScript script{.requests = 1, .ends_late = true};
    const auto one = feed(script, {.prefetch = 1, .in_order = in_order, .stream = {.epochs = 1}});
    auto sequences = drain(*one);
    std::ranges::sort(sequences);
    EXPECT_EQ(sequences, all_batches());
  }
}

TEST_P(ReadingAhead, CrossesBatchesAndEpochs) {
  // All 32 requests are in flight before anybody takes a batch, though only 4 samples of the epoch are left.
  test::Gate gate;
  const ArrivalScript script{.requests = 32, .window = 64, .late = 60, .gate = &gate};
  const auto one = feed(script, {.stream = {.first_batch = 15, .epochs = 2}});
  while (script.asked < 32) std::this_thread::yield();
  gate.open();
  EXPECT_EQ(drain(*one).size(), 17U);
}

TEST_P(ReadingAhead, DeliversTheFirstFailureOfABatchWhicheverSampleCameFirst) {
  const test::FailingDataset earlier(*dataset_, 9);
  const test::FailingDataset both(earlier, 10);
  const ArrivalScript script{.latest_first = true};
  const auto one = feed(both, script, {});
  EXPECT_TRUE(one->next());
  EXPECT_TRUE(one->next());
  EXPECT_EQ(test::thrown_by([&] { one->next(); }), test::failed(test::FailingDataset::message(9)));
  EXPECT_FALSE(one->next());
}

TEST_P(ReadingAhead, DeliversWhatArrivedBeforeStorageFellSilent) {
  const ArrivalScript script{.latest_first = false, .last_answer = 10};
  const auto one = feed(script, {});
  test::Thrown thrown;
  std::size_t batches = 0;
  for (; thrown.message.empty(); ++batches) thrown = test::thrown_by([&] { EXPECT_TRUE(one->next()); });
  EXPECT_EQ(thrown, test::failed(ArrivingDataset::kSilence));
  // Other workers may still hold complete batches.
  EXPECT_LE(batches, 3U);
  if (GetParam() == 1) {
    EXPECT_EQ(batches, 3U);
  }
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(one->next());
}

TEST_P(ReadingAhead, StopsWhileASampleIsLate) {
  for (const bool in_order : {true, false}) {
    test::Gate gate;
    const ArrivalScript script{.late = 0, .gate = &gate};
    const auto one = feed(script, {.in_order = in_order, .stream = {.epochs = 1}});
    std::latch waits(1);
    const std::jthread consumer([&] {
      waits.count_down();
      drain(*one);
    });
    waits.wait();
    one->close();
  }
}

TEST_P(ReadingAhead, ReportsItsWaitForALateReadIfSlotsAreFull) {
  test::Gate gate;
  const ArrivalScript script{.window = 64, .late = 0, .gate = &gate};
  const auto one = feed(script, {.prefetch = 1, .stream = {.epochs = 1}});
  const auto waited = [&] {
    std::chrono::nanoseconds all{0};
    for (const WorkerTimes& times : one->worker_times()) all += times.in(WorkerStage::kWindowWait);
    return all.count();
  };
  while (waited() == 0) std::this_thread::yield();
  gate.open();
  EXPECT_EQ(drain(*one), all_batches());
}

}  // namespace
}  // namespace loadline
