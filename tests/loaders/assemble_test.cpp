#include "loaders/assemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "loaders/batch_pool.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::ElementsAre;

// Sample i has two bytes, i and 100 + i, and label 2 * i.
std::unique_ptr<Dataset> pairs(std::size_t samples) {
  HugeMemory memory(2 * samples);
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < samples; ++i) {
    memory.bytes()[2 * i] = static_cast<std::byte>(i);
    memory.bytes()[2 * i + 1] = static_cast<std::byte>(100 + i);
    labels.push_back(static_cast<std::int32_t>(2 * i));
  }
  DatasetInfo info{.format = "pairs", .samples = samples, .shape = {1, 1, 2}, .classes = 2 * samples};
  return std::make_unique<StridedDataset>(std::move(info), std::move(labels), std::move(memory));
}

class Assembled : public testing::Test {
 protected:
  Batch batch_of(std::initializer_list<SampleIndex> indices) {
    Batch batch = pool_.acquire();
    std::ranges::copy(indices, batch->indices.begin());
    batch->count = indices.size();
    return batch;
  }

  void fill(const Dataset& dataset, Slot& slot) const {
    const ImageAssembler assembler(dataset, transform_);
    assembler.make_filler(40)->fill(slot, Stores::kCached);
  }

  const std::unique_ptr<Dataset> dataset_ = pairs(50);
  const ImageTransform transform_{{1, 1, 2}, {.dtype = DType::kU8}, kernels_named("auto")};
  BatchPool pool_{1, 40, 2};
};

using AFiller = Assembled;

TEST_F(AFiller, FillsDataAndLabelsInTheOrderOfTheIndices) {
  const ImageAssembler assembler(*dataset_, transform_);
  EXPECT_EQ(assembler.sample_bytes(), 2U);
  const Batch batch = batch_of({7, 0, 49, 7});
  assembler.make_filler(40)->fill(*batch, Stores::kCached);
  EXPECT_THAT(batch->bytes(), ElementsAre(std::byte{7}, std::byte{107}, std::byte{0}, std::byte{100}, std::byte{49},
                                          std::byte{149}, std::byte{7}, std::byte{107}));
  EXPECT_THAT(batch->labels.first(4), ElementsAre(14, 0, 98, 14));
}

TEST_F(AFiller, FillsABatchLongerThanItReadsAhead) {
  const Batch batch = pool_.acquire();
  for (SampleIndex i = 0; i < 40; ++i) batch->indices[i] = 49 - i;
  batch->count = 40;
  fill(*dataset_, *batch);
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(batch->data[2 * i], static_cast<std::byte>(49 - i));
    EXPECT_EQ(batch->labels[i], static_cast<std::int32_t>(2 * (49 - i)));
  }
}

TEST_F(AFiller, LeavesTheRestOfAShortBatchAlone) {
  const Batch batch = batch_of({3});
  batch->data[2] = std::byte{77};
  batch->labels[1] = 77;
  fill(*dataset_, *batch);
  EXPECT_EQ(batch->data[2], std::byte{77});
  EXPECT_EQ(batch->labels[1], 77);
}

TEST_F(AFiller, KeysTheAugmentationByEpochAndIndexNotByPlace) {
  const auto dataset = test::patterned_dataset(60, {1, 8, 8});
  const ImageTransform transform({1, 8, 8}, {.dtype = DType::kU8, .crop_padding = 3, .flip = true},
                                 kernels_named("auto"));
  const ImageAssembler assembler(*dataset, transform);
  const auto filler = assembler.make_filler(60);
  BatchPool pool(2, 60, 64);
  const Batch up = pool.acquire();
  const Batch down = pool.acquire();
  for (SampleIndex i = 0; i < 60; ++i) up->indices[i] = down->indices[59 - i] = i;
  for (Slot* slot : {up.get(), down.get()}) {
    slot->count = 60;
    slot->epoch = 3;
    filler->fill(*slot, Stores::kCached);
  }
  for (std::size_t i = 0; i < 60; ++i) {
    EXPECT_TRUE(std::ranges::equal(up->data.subspan(64 * i, 64), down->data.subspan(64 * (59 - i), 64))) << i;
  }
}

TEST_F(AFiller, FillsTheSameFromChannelsLast) {
  const ImageShape shape{3, 8, 8};
  const TransformOptions options{.dtype = DType::kU8, .crop_padding = 3, .flip = true};
  const auto planes = test::patterned_dataset(10, shape);
  const auto pixels = test::channels_last(*planes);
  const ImageAssembler of_planes(*planes, {shape, options, kernels_named("auto")});
  const ImageAssembler of_pixels(*pixels, {shape, options, kernels_named("auto"), Layout::kNHWC});
  BatchPool pool(2, 10, 192);
  const Batch first = pool.acquire();
  const Batch second = pool.acquire();
  for (Slot* slot : {first.get(), second.get()}) {
    slot->count = 10;
    std::iota(slot->indices.begin(), slot->indices.end(), SampleIndex{0});
  }
  of_planes.make_filler(10)->fill(*first, Stores::kCached);
  of_pixels.make_filler(10)->fill(*second, Stores::kCached);
  EXPECT_TRUE(std::ranges::equal(first->bytes(), second->bytes()));
}

TEST_F(AFiller, NeedsATransformForTheImagesOfItsDataset) {
  const auto planes = test::patterned_dataset(10, {3, 8, 8});
  const auto pixels = test::channels_last(*planes);
  const auto refusal = [](const Dataset& dataset, const ImageShape& shape, Layout stored) {
    return test::thrown_by([&] {
      const ImageAssembler assembler(dataset, {shape, {}, kernels_named("auto"), stored});
    });
  };
  EXPECT_EQ(
      refusal(*planes, {3, 8, 8}, Layout::kNHWC),
      test::failed("cannot assemble images of 3 x 8 x 8 in nchw order by a transform of 3 x 8 x 8 in nhwc order"));
  EXPECT_EQ(
      refusal(*pixels, {3, 8, 8}, Layout::kNCHW),
      test::failed("cannot assemble images of 3 x 8 x 8 in nhwc order by a transform of 3 x 8 x 8 in nchw order"));
  EXPECT_EQ(
      refusal(*planes, {1, 8, 8}, Layout::kNCHW),
      test::failed("cannot assemble images of 3 x 8 x 8 in nchw order by a transform of 1 x 8 x 8 in nchw order"));
  EXPECT_EQ(refusal(*pixels, {3, 8, 8}, Layout::kNHWC), test::Thrown());
}

TEST_F(AFiller, PassesOnTheFaultOfItsDataset) {
  const test::FailingDataset failing(*dataset_, 7);
  const test::VanishingDataset vanishing(*dataset_, 7);
  const Batch batch = batch_of({6, 7});
  EXPECT_EQ(test::thrown_by([&] { fill(failing, *batch); }),
            test::failed("cannot read shard.bin: sample 7 is corrupt"));
  EXPECT_EQ(test::thrown_by([&] { fill(vanishing, *batch); }),
            test::failed("cannot read shard.bin: the page at byte 4096 is gone"));
}

}  // namespace
}  // namespace loadline
