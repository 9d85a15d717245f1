#include <gtest/gtest.h>

#include "loaders/assemble.h"
#include "loaders/loader.h"
#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/volumes.h"

namespace loadline {
namespace {

constexpr VolumeShape kShape{.edge = 20, .input_channels = 2, .target_channels = 3};
constexpr std::size_t kEdge = 16;
constexpr std::size_t kCrops = 10;
constexpr std::size_t kChannelValues = kEdge * kEdge * kEdge;

class VolumeCrops : public testing::Test {
 protected:
  VolumeCrops() { test::write_volume(path_, kShape); }

  std::unique_ptr<Dataset> open(std::optional<Access> access = {}, bool in_memory = false) const {
    return open_dataset(path_, {.in_memory = in_memory, .access = access, .crops = kCrops, .crop_edge = kEdge});
  }

  static VolumeAssembler assembler_of(const Dataset& dataset, const VolumeOptions& options) {
    return {*dataset.as_volume(), VolumeTransform(options, kernels_named("auto"))};
  }

  static std::unique_ptr<Feed> feed(const Assembler& assembler, const LoaderKind& kind, LoaderOptions options) {
    static const Sampler sampler({.samples = kCrops, .batch_size = 4});
    return kind.make(assembler, sampler, options);
  }

  static std::vector<std::vector<std::byte>> load(const Assembler& assembler, const LoaderKind& kind,
                                                  LoaderOptions options) {
    options.stream.epochs = 2;
    const auto source = feed(assembler, kind, options);
    std::vector<std::vector<std::byte>> all;
    while (const Batch batch = source->next()) all.emplace_back(batch->bytes().begin(), batch->bytes().end());
    return all;
  }

  const test::TemporaryDirectory home_;
  const std::filesystem::path path_ = home_ / "data.h5";
};

TEST_F(VolumeCrops, AreTheSameFromEveryLoaderHoweverTheVolumeIsStored) {
  for (const DType dtype : {DType::kF32, DType::kBF16}) {
    const VolumeOptions options{.edge = kEdge, .dtype = dtype, .seed = 5};
    const auto mapped = open();
    const auto reference = load(assembler_of(*mapped, options), loader_named("serial"), {});
    ASSERT_EQ(reference.size(), 6U);
    EXPECT_EQ(reference[0].size(), 4 * 5 * kChannelValues * size_bytes(dtype));
    EXPECT_EQ(reference[2].size(), 2 * 5 * kChannelValues * size_bytes(dtype)) << "the short last batch";
    EXPECT_NE(reference[0], reference[3]) << "another epoch has other crops";
    for (const LoaderKind& kind : loaders()) {
      if (kind.access == Access::kBlocks || kind.access == Access::kChunks) continue;
      const auto dataset = open(kind.access);
      const auto assembler = assembler_of(*dataset, options);
      for (const std::size_t workers : {1U, 2U, 5U}) {
        EXPECT_EQ(load(assembler, kind, {.workers = workers}), reference) << kind.name << " x " << workers;
      }
      EXPECT_EQ(load(assembler, kind, {.workers = 2, .stores = Stores::kStreaming}), reference) << kind.name;
    }
    const auto resident = open({}, true);
    EXPECT_EQ(load(assembler_of(*resident, options), loader_named("serial"), {}), reference);
  }
}

TEST_F(VolumeCrops, ComeAsAPairOfTensorsCutAndTurnedAlike) {
  const auto dataset = open();
  const auto assembler = assembler_of(*dataset, {.edge = kEdge, .seed = 5});
  const auto source = feed(assembler, loader_named("serial"), {});
  const Batch batch = source->next();
  EXPECT_EQ(batch->inputs().size(), 4 * 2 * kChannelValues * sizeof(float));
  EXPECT_EQ(batch->targets().size(), 4 * 3 * kChannelValues * sizeof(float));
  EXPECT_EQ(batch->inputs().data(), batch->bytes().data());
  EXPECT_EQ(batch->targets().data(), batch->inputs().data() + batch->inputs().size());
  const auto* inputs = reinterpret_cast<const float*>(batch->inputs().data());
  const auto* targets = reinterpret_cast<const float*>(batch->targets().data());
  for (std::size_t sample = 0; sample < 4; ++sample) {
    EXPECT_EQ(batch->labels[sample], 0);
    for (const std::size_t place : {std::size_t{0}, std::size_t{17}, kChannelValues - 1}) {
      const float input = inputs[sample * 2 * kChannelValues + place];
      const float target = targets[sample * 3 * kChannelValues + place];
      EXPECT_EQ(target - input, 0.25F) << "which is what the same place of both fields differs by";
    }
    const float second_channel = inputs[(sample * 2 + 1) * kChannelValues] - inputs[sample * 2 * kChannelValues];
    EXPECT_EQ(second_channel, 64.0F * 64 * 64);
  }
}

TEST_F(VolumeCrops, AreWhereTheTransformPlacesThem) {
  const auto dataset = open();
  const VolumeTransform transform({.edge = kEdge, .rotate = false, .seed = 5}, kernels_named("auto"));
  const VolumeAssembler assembler(*dataset->as_volume(), transform);
  const auto source = feed(assembler, loader_named("serial"), {});
  const Batch batch = source->next();
  const auto* inputs = reinterpret_cast<const float*>(batch->inputs().data());
  for (std::size_t sample = 0; sample < 4; ++sample) {
    const auto [x, y, z] = transform.place(kShape.edge, 0, batch->indices[sample]).origin;
    EXPECT_EQ(inputs[sample * 2 * kChannelValues], test::volume_value(Field::kInput, 0, x, y, z));
  }
}

TEST_F(VolumeCrops, AllocateNothingWhileTheyArePulled) {
  const auto dataset = open();
  const auto assembler = assembler_of(*dataset, {.edge = kEdge, .dtype = DType::kBF16});
  const auto source = feed(assembler, loader_named("thread-pool"), {.workers = 2});
  for (int i = 0; i < 3; ++i) source->next();
  const std::size_t before = test::allocations_so_far();
  for (int i = 0; i < 7; ++i) source->next();
  EXPECT_EQ(test::allocations_so_far() - before, 0U);
}

}  // namespace
}  // namespace loadline
