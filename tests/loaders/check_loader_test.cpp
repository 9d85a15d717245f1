#include "loaders/check_loader.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loaders/plugin/plugin.h"
#include "tests/loaders/support/datasets.h"
#include "tests/support/this_build.h"

namespace loadline {
namespace {

using Faults = std::vector<std::string>;

// 40 samples of 1 x 4 x 4 with 7 labels, in batches of 16.
class CheckLoader : public testing::Test {
 protected:
  static std::string word(const std::string& fault) { return std::string(test::kPlugins) + "faulty.so:fault=" + fault; }

  LoaderCheck check(const LoaderKind& kind, const LoaderCheckOptions& options = {}) const {
    return check_loader(kind, assembler_, sampler_, options);
  }
  LoaderCheck check(const std::string& fault, std::vector<std::size_t> workers = {1}, std::uint64_t epochs = 1) const {
    return check(open_plugin(word(fault)), {.workers = std::move(workers), .epochs = epochs});
  }

  const std::unique_ptr<Dataset> dataset_ = test::patterned_dataset(40);
  const ImageAssembler assembler_{*dataset_, {{1, 4, 4}, {.dtype = DType::kU8}, kernels_named("auto")}};
  const Sampler sampler_{{.samples = 40, .batch_size = 16}};
};

TEST_F(CheckLoader, PassesEveryRowOfTheTable) {
  for (const LoaderKind& kind : loaders()) {
    if (kind.access) continue;
    const LoaderCheck found = check(kind, {.workers = {1, 2}, .epochs = 2});
    EXPECT_EQ(found.faults, Faults()) << kind.name;
    EXPECT_EQ(found.recognition, Recognition::kIndices);
    ASSERT_EQ(found.epochs.size(), 4U);
    EXPECT_EQ(found.epochs[3].samples, 40U);
    EXPECT_EQ(found.epochs[3].batches, 3U);
  }
}

TEST_F(CheckLoader, PassesAPlugInThatKeepsTheRules) {
  const LoaderCheck found = check("none", {1, 3}, 2);

  EXPECT_EQ(found.faults, Faults());
  EXPECT_EQ(found.recognition, Recognition::kIndices);
  EXPECT_EQ(text_of(*found.delivered), "u8[1x4x4]");
}

TEST_F(CheckLoader, NamesSamplesThatAreLost) {
  EXPECT_EQ(check("loses-a-sample").faults,
            (Faults{"with 1 worker: epoch 0: it delivers 39 samples, but an epoch has 40",
                    "with 1 worker: epoch 0: 1 sample never came: 39"}));
  EXPECT_EQ(check("ends-early").faults,
            (Faults{"with 1 worker: epoch 0: it delivers 20 samples, but an epoch has 40",
                    "with 1 worker: epoch 0: 20 samples never came: 20, 21, 22, 23, 24 and 15 more"}));
}

TEST_F(CheckLoader, CountsTheSamplesOfAnEpochThatLeavesSomeOut) {
  const Sampler whole_batches({.samples = 40, .batch_size = 16, .drop_last = true});
  EXPECT_EQ(check_loader(open_plugin(word("ends-early")), assembler_, whole_batches, {.epochs = 1}).faults.front(),
            "with 1 worker: epoch 0: it delivers 20 samples, but an epoch has 32");
}

TEST_F(CheckLoader, NamesRepeatedSamples) {
  EXPECT_EQ(check("repeats").faults, (Faults{"with 1 worker: epoch 0: 1 sample never came: 3",
                                             "with 1 worker: epoch 0: 1 sample came more than once: 2"}));
}

TEST_F(CheckLoader, NamesSamplesWithTheLabelOfAnother) {
  EXPECT_EQ(check("wrong-label").faults,
            (Faults{"with 1 worker: epoch 0: 1 sample came with the label of another sample: 1"}));
}

TEST_F(CheckLoader, CountsIndicesBeyondTheDataset) {
  EXPECT_EQ(check("wrong-index").faults,
            (Faults{"with 1 worker: epoch 0: 1 sample never came: 1",
                    "with 1 worker: epoch 0: 1 sample came with an index beyond the dataset's 40"}));
}

TEST_F(CheckLoader, ComparesNumbersOfWorkers) {
  EXPECT_EQ(check("workers-lose", {1, 2}).faults,
            (Faults{"with 2 workers: epoch 0: it delivers 39 samples, but an epoch has 40",
                    "with 2 workers: epoch 0: 1 sample never came: 39",
                    "with 1 worker it delivers 40 samples in 3 batches, with 2 workers 39 samples in 3"}));
}

TEST_F(CheckLoader, RecognisesSamplesByTheirContentsWithoutIndices) {
  const LoaderCheck found = check("tells-no-indices");
  EXPECT_EQ(found.faults, Faults());
  EXPECT_EQ(found.recognition, Recognition::kContents);

  EXPECT_EQ(check("wrong-pixels").recognition, Recognition::kLabels) << "its first sample is not one of the dataset";
}

TEST_F(CheckLoader, ReportsWhyTheLoaderFailed) {
  EXPECT_EQ(check("throws-next").faults, (Faults{"with 1 worker: plug-in " + word("throws-next") +
                                                 ": next() threw an exception: the shard is gone"}));
}

TEST_F(CheckLoader, StopsIfAnEpochDoesNotEnd) {
  EXPECT_EQ(check("never-ends").faults.front(),
            "with 1 worker: plug-in " + word("never-ends") +
                ": batch 2 of epoch 0 has 8 of 16 samples but is not the last of its epoch");
}

// Delivers what `serial` does, and does not say which samples these are.
class UntoldFeed final : public Feed, private SlotHome {
 public:
  UntoldFeed(std::unique_ptr<Feed> inner, DeliveredFormat format)
      : inner_(std::move(inner)), format_(std::move(format)) {}

  Batch next() override {
    lent_.reset();
    lent_ = inner_->next();
    if (!lent_) return {};
    untold_ = *lent_;
    untold_.indices = {};
    return {&untold_, Return{this}};
  }
  const DeliveredFormat* delivered() const override { return &format_; }
  void close() override { inner_->close(); }

 private:
  void put(Slot* /*slot*/) override {}

  std::unique_ptr<Feed> inner_;
  DeliveredFormat format_;
  Batch lent_;
  Slot untold_;
};

TEST(CheckLoaderOfChannelsLast, RecognisesSamplesByTheirContentsInBothLayouts) {
  const auto planes = test::patterned_dataset(40, {3, 6, 5});
  const auto pixels = test::channels_last(*planes);
  const Sampler sampler({.samples = 40, .batch_size = 16});
  using Extents = std::vector<std::size_t>;
  for (const Layout layout : {Layout::kNCHW, Layout::kNHWC}) {
    const LoaderKind kind{.name = "untold",
                          .engine = [&](const LoaderKind& /*kind*/, const Assembler& assembler, const Sampler& order,
                                        const LoaderOptions& options) -> std::unique_ptr<Feed> {
                            const auto extents = layout == Layout::kNCHW ? Extents{3, 6, 5} : Extents{6, 5, 3};
                            return std::make_unique<UntoldFeed>(
                                loader_named("serial").make(assembler, order, options),
                                DeliveredFormat{.dtype = "u8", .shape = extents, .labels = true});
                          }};
    const ImageAssembler assembler(
        *pixels, {{3, 6, 5}, {.dtype = DType::kU8, .layout = layout}, kernels_named("auto"), Layout::kNHWC});
    const LoaderCheck found = check_loader(kind, assembler, sampler, {.epochs = 1});
    EXPECT_EQ(found.faults, Faults());
    EXPECT_EQ(found.recognition, Recognition::kContents) << name(layout);
  }
}

}  // namespace
}  // namespace loadline
