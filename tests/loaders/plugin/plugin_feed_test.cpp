#include "loaders/plugin/plugin_feed.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "loaders/plugin/plugin.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

using test::failed;
using test::thrown_by;

// 40 samples of 1 x 4 x 4, in batches of 16: two whole ones and one of 8.
class PluginFeedTest : public testing::Test {
 protected:
  static std::string word(const std::string& fault) { return std::string(test::kPlugins) + "faulty.so:fault=" + fault; }

  std::unique_ptr<Feed> feed(const std::string& fault, const LoaderOptions& options = {}) const {
    return open_plugin(word(fault)).make(assembler_, sampler_, options);
  }

  // Returns what ends a run of seven batches, which is more than two epochs.
  test::Thrown end_of(const std::string& fault, const LoaderOptions& options = {}) const {
    return thrown_by([&] {
      const auto source = feed(fault, options);
      for (int i = 0; i < 7; ++i) {
        if (!source->next()) return;
      }
    });
  }

  void expect_end(const std::string& fault, const std::string& why) const {
    EXPECT_EQ(end_of(fault), failed("plug-in " + word(fault) + ": " + why));
  }

  const std::unique_ptr<Dataset> dataset_ = test::patterned_dataset(40);
  const ImageAssembler assembler_{*dataset_, {{1, 4, 4}, {.dtype = DType::kU8}, kernels_named("auto")}};
  const Sampler sampler_{{.samples = 40, .batch_size = 16, .order = Order::kSequential}};
};

TEST_F(PluginFeedTest, DeliversBatchesInThePluginsOwnMemory) {
  const auto source = feed("none");
  EXPECT_EQ(source->delivered(), nullptr);

  const Batch batch = source->next();

  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->count, 16U);
  EXPECT_EQ(batch->sample_bytes, 16U);
  EXPECT_EQ(batch->bytes()[17], static_cast<std::byte>(31 + 7));
  EXPECT_EQ(batch->labels[9], 2);
  EXPECT_EQ(batch->indices[9], 9U);
  ASSERT_NE(source->delivered(), nullptr);
  EXPECT_EQ(*source->delivered(),
            (DeliveredFormat{.dtype = "u8", .shape = {1, 4, 4}, .labels = true, .indices = true}));
}

TEST_F(PluginFeedTest, CountsOnlyTheTimeInThePluginsNext) {
  const auto source = feed("none");
  ASSERT_EQ(source->worker_times().size(), 1U);
  EXPECT_EQ(source->worker_times()[0].in(WorkerStage::kNextCall).count(), 0);
  const Batch batch = source->next();
  const WorkerTimes times = source->worker_times()[0];
  EXPECT_TRUE(times.foreign);
  EXPECT_GT(times.in(WorkerStage::kNextCall).count(), 0);
  EXPECT_EQ(source->worker_times()[0].in(WorkerStage::kNextCall), times.in(WorkerStage::kNextCall)) << "it is back";
  for (const WorkerStage stage : {WorkerStage::kOrder, WorkerStage::kRead, WorkerStage::kTransform}) {
    EXPECT_EQ(times.in(stage).count(), 0);
  }
}

TEST_F(PluginFeedTest, NumbersBatchesAndEpochsConsecutively) {
  const auto source = feed("none", {.stream = {.first_epoch = 5}});
  struct Seen {
    std::uint64_t sequence;
    std::uint64_t epoch;
    std::size_t count;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen;
  for (int i = 0; i < 4; ++i) {
    const Batch batch = source->next();
    seen.push_back({batch->sequence, batch->epoch, batch->count});
  }

  EXPECT_EQ(seen, (std::vector<Seen>{{0, 5, 16}, {1, 5, 16}, {2, 5, 8}, {3, 6, 16}}));
}

TEST_F(PluginFeedTest, EndsAfterTheRequestedEpochs) {
  const auto source = feed("none", {.stream = {.epochs = 2}});
  int batches = 0;
  while (source->next()) ++batches;

  EXPECT_EQ(batches, 6);
}

TEST_F(PluginFeedTest, LetsTheConsumerHoldAsManyBatchesAsItAnnounced) {
  const auto source = feed("none", {.held_batches = 1});
  const Batch first = source->next();
  const Batch second = source->next();

  EXPECT_EQ(first->indices[0], 0U);
  EXPECT_EQ(second->indices[0], 16U);
}

TEST_F(PluginFeedTest, PassesTheRequestToThePlugin) {
  const Sampler sampler(
      {.samples = 40, .batch_size = 8, .seed = 9, .order = Order::kShuffled, .rank = 1, .world_size = 2});
  const std::string asked = word("tells") + ",note=hello";

  EXPECT_EQ(thrown_by([&] {
              open_plugin(asked).make(assembler_, sampler, {.workers = 3, .prefetch = 4, .test_split = true});
            }),
            failed("plug-in " + asked + ": 8 3 4 shuffled 9 1/2 nchw test 1 hello"));
}

TEST_F(PluginFeedTest, FailsIfThePluginFails) {
  expect_end("fails-open", "cannot read ");
  expect_end("throws-open", "open() threw an exception: no such dataset");
  expect_end("makes-nothing", "open() succeeded but made no loader");
  expect_end("fails-next", "shard 3 is gone");
  expect_end("fails-silently", "it failed without a message");
  expect_end("throws-next", "next() threw an exception: the shard is gone");
  expect_end("throws-a-number", "next() threw something that is not a std::exception");
  expect_end("throws-nothing", "next() threw an exception without a message");
  expect_end("throws-release", "release() threw an exception: not mine");
  expect_end("result", "next() returned 99, which is not a valid result");
  expect_end("says-stopped", "next() reports that it was stopped, but nobody called stop()");
}

TEST_F(PluginFeedTest, RefusesBatchesThatBreakTheRules) {
  expect_end("zero", "batch 0 of epoch 0 has 0 samples, want 1 to 16");
  expect_end("negative", "batch 0 of epoch 0 has -5 samples, want 1 to 16");
  expect_end("too-many", "batch 0 of epoch 0 has 17 samples, want 1 to 16");
  expect_end("short-batch", "batch 1 of epoch 0 has 15 of 16 samples but is not the last of its epoch");
  expect_end("no-data", "batch 0 of epoch 0 has no data");
  expect_end("dtype", "batch 0 of epoch 0 has element type 77, which loadline/plugin.h does not know");
  expect_end("dimensions", "batch 0 of epoch 0 has samples of 9 dimensions, want 0 to 8");
  expect_end("extent", "batch 0 of epoch 0 has dimension 1 = 0");
  expect_end("overflow", "batch 0 of epoch 0 has dimension 2 = 1099511627776");
}

TEST_F(PluginFeedTest, RefusesBatchesThatDifferFromEarlierOnes) {
  expect_end("changes-shape",
             "batch 1 of epoch 0 has samples of u8[16] with labels, with indices, but earlier ones had u8[1x4x4] with "
             "labels, with indices");
  expect_end("changes-dtype",
             "batch 1 of epoch 0 has samples of i8[1x4x4] with labels, with indices, but earlier ones had u8[1x4x4] "
             "with labels, with indices");
  expect_end("loses-labels",
             "batch 1 of epoch 0 has samples of u8[1x4x4] without labels, with indices, but earlier ones had u8[1x4x4] "
             "with labels, with indices");
}

TEST_F(PluginFeedTest, RefusesEpochsOfTheWrongSize) {
  expect_end("ends-early", "epoch 0 ended after 20 of 40 samples");
  expect_end("no-samples", "epoch 0 ended after 0 of 40 samples");
  expect_end("never-ends", "batch 2 of epoch 0 has 8 of 16 samples but is not the last of its epoch");
}

TEST_F(PluginFeedTest, AcceptsEpochsOfTheWrongSizeIfTheirNumberIsFixed) {
  EXPECT_EQ(end_of("ends-early", {.stream = {.epochs = 2}}), test::Thrown());
}

TEST_F(PluginFeedTest, AcceptsAnIncompleteLastBatch) {
  // 39 samples make two full batches of 16 and a short one; at least 32 of the 40 samples must come.
  EXPECT_EQ(end_of("loses-a-sample"), test::Thrown());
}

TEST_F(PluginFeedTest, MustMeetTheNeedsOfItsConsumer) {
  const LoaderOptions options{
      .needs = BatchNeeds{.consumer = "compute cnn", .sample = assembler_.sample_format(), .classes = 3}};

  EXPECT_EQ(end_of("none", options),
            failed("loader " + word("none") + ": label 3 is out of range, compute cnn needs 0 to 2"));
}

TEST_F(PluginFeedTest, NeedsNoLabelsForAConsumerOfTokens) {
  const SampleFormat tokens{.dtype = DType::kI32, .layout = Layout::kNCHW, .input = {4}, .target = {}};
  const auto source = feed("tokens", {.needs = BatchNeeds{.consumer = "compute gpt", .sample = tokens, .classes = 3}});

  const Batch batch = source->next();

  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->labels.empty());
  EXPECT_EQ(text_of(*source->delivered()), "i32[4]");
}

TEST_F(PluginFeedTest, ReturnsNothingOnceClosed) {
  const auto source = feed("none");
  source->close();
  source->close();

  EXPECT_FALSE(source->next());
}

TEST_F(PluginFeedTest, WakesAWaitingConsumerWhenItIsClosed) {
  const auto source = feed("waits");
  source->next();
  source->next();
  const std::jthread closer([&] { source->close(); });

  EXPECT_FALSE(source->next());
}

TEST_F(PluginFeedTest, ReturnsNothingAfterAFailureOfRelease) {
  const auto source = feed("throws-release");
  source->next().reset();
  EXPECT_EQ(thrown_by([&] { source->next(); }),
            failed("plug-in " + word("throws-release") + ": release() threw an exception: not mine"));

  EXPECT_FALSE(source->next());
}

TEST_F(PluginFeedTest, EndsCleanlyIfCloseThrows) {
  EXPECT_EQ(end_of("throws-close"), test::Thrown());
}

TEST_F(PluginFeedTest, NeedsNoMoreThanThreeFunctions) {
  const auto source = open_plugin(std::string(test::kPlugins) + "plain.so").make(assembler_, sampler_, {});
  for (int i = 0; i < 4; ++i) {
    const Batch batch = source->next();
    ASSERT_TRUE(batch);
    EXPECT_TRUE(batch->labels.empty());
    EXPECT_TRUE(batch->indices.empty());
    EXPECT_EQ(batch->sample_bytes, 4U);
  }
  source->close();
  EXPECT_EQ(text_of(*source->delivered()), "f32[]");
}

}  // namespace
}  // namespace loadline
