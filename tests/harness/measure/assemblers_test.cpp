#include "harness/measure/assemblers.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "loaders/datasets/strided.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/thrown.h"
#include "tests/loaders/support/token_files.h"
#include "tests/loaders/support/volumes.h"

namespace loadline {
namespace {

Cell cell_for(const std::string& workload) {
  Cell cell{.workload = workload, .mode = Mode::kIo, .data = "shards"};
  cell.kernels = "auto";
  cell.transform.dtype = DType::kU8;
  return cell;
}

test::Thrown refusal_of(const Cell& cell, const Dataset& dataset) {
  return test::thrown_by([&] { make_assembler(cell, dataset); });
}

TEST(Assemblers, OfImagesTakeTheTransformOfTheCell) {
  const auto images = test::patterned_dataset(3, {1, 4, 4});
  EXPECT_EQ(make_assembler(cell_for("mnist"), *images)->sample_bytes(), 16U);
  Cell cell = cell_for("mnist");
  cell.transform = {.dtype = DType::kF32, .mean = {0.5, 0.5, 0.5}};
  EXPECT_EQ(refusal_of(cell, *images),
            test::usage("cannot use shards for workload mnist: mean of 3 channels: a batch has 1"));
}

TEST(Assemblers, OfImagesNameTheWorkloadWithTheirChannels) {
  Cell cell = cell_for("mnist");
  cell.transform = {.dtype = DType::kF32, .mean = {0.1307}};
  EXPECT_EQ(refusal_of(cell, *test::patterned_dataset(3, {3, 4, 4})),
            test::usage("cannot use shards for workload mnist: mnist normalises 1 channel, but these images have 3; "
                        "use --workload cifar10"));
  EXPECT_EQ(refusal_of(cell, *test::patterned_dataset(3, {4, 4, 4})),
            test::usage("cannot use shards for workload mnist: images of 4 channels: want 1 or 3"))
      << "whatever --mean, --std and --normalise are";
}

TEST(Assemblers, OfImagesNameEveryWorkloadWithTheirChannelsAndClasses) {
  Cell cell = cell_for("photos");
  cell.transform = {.dtype = DType::kF32, .mean = {0.485, 0.456, 0.406}};
  const auto refusal_with = [&](std::size_t classes, const ImageShape& shape) {
    DatasetInfo info{.format = "idx", .samples = 1, .shape = shape, .classes = classes};
    return refusal_of(cell,
                      StridedDataset(std::move(info), std::vector<std::int32_t>(1), HugeMemory(shape.elements())));
  };
  EXPECT_EQ(refusal_with(10, {1, 28, 28}),
            test::usage("cannot use shards for workload photos: photos normalises 3 channels, but these images have 1; "
                        "use --workload fashion-mnist or mnist"));
  EXPECT_EQ(refusal_with(11, {1, 28, 28}),
            test::usage("cannot use shards for workload photos: photos normalises 3 channels, but these images have 1; "
                        "give --mean and --std for 1 channel, or --normalise off"))
      << "no workload has so many classes";
}

TEST(Assemblers, OfImagesThatStateTheClassesOfAnotherWorkloadNameIt) {
  const auto images_of = [](std::size_t classes, bool stated) {
    const ImageShape shape{3, 32, 32};
    DatasetInfo info{.format = "hdf5", .samples = 1, .shape = shape, .classes = classes, .classes_stated = stated};
    return StridedDataset(std::move(info), std::vector<std::int32_t>(1), HugeMemory(shape.elements()));
  };
  EXPECT_EQ(refusal_of(cell_for("cifar100"), images_of(10, true)),
            test::usage("cannot use shards for workload cifar100: it has 10 classes, not 100; use --workload cifar10"));
  EXPECT_EQ(refusal_of(cell_for("cifar10"), images_of(10, true)), test::Thrown());
  EXPECT_EQ(refusal_of(cell_for("cifar100"), images_of(43, true)), test::Thrown()) << "no workload has as many";
  EXPECT_EQ(refusal_of(cell_for("cifar100"), images_of(10, false)), test::Thrown()) << "others may be missing";
}

TEST(Assemblers, OfSequencesRefuseImages) {
  Cell cell = cell_for("tokens");
  cell.dataset.sequence_length = 8;
  EXPECT_EQ(refusal_of(cell, *test::patterned_dataset(3)),
            test::usage("cannot use shards for workload tokens: it holds neither tokens nor text"));
}

TEST(Assemblers, OfTokensRequireSequencesAndRefuseImageOptions) {
  const test::TemporaryDirectory home;
  const auto path = test::write(home / "train.bin", test::counting_tokens<std::uint16_t>(10));
  const auto whole = open_dataset(path, {.format = "tokens"});
  EXPECT_EQ(refusal_of(cell_for("cifar10"), *whole),
            test::usage("cannot use shards for workload cifar10: it holds tokens; use --workload tokens"));

  const auto cut = open_dataset(path, {.format = "tokens", .sequence_length = 3});
  Cell cell = cell_for("tokens");
  cell.dataset.sequence_length = 3;
  EXPECT_EQ(refusal_of(cell, *cut),
            test::usage("cannot use shards for workload tokens: --dtype u8: tokens are i32 in a batch"));
  cell.transform.dtype = DType::kI32;
  EXPECT_EQ(make_assembler(cell, *cut)->sample_bytes(), 4 * sizeof(std::int32_t));
  cell.transform.flip = true;
  EXPECT_EQ(refusal_of(cell, *cut),
            test::usage(
                "cannot use shards for workload tokens: --flip on: it applies to images, not to sequences of tokens"));
}

TEST(Assemblers, OfEncodedImagesRefusePaddingAndSayWhatToUse) {
  const test::TemporaryDirectory home;
  test::write(home / "photos" / "cats" / "1.jpg", "");
  const auto photos = open_dataset(home / "photos", {});
  Cell cell = cell_for("cifar10");
  cell.transform.crop_padding = 4;
  EXPECT_EQ(refusal_of(cell, *photos),
            test::usage("cannot use shards for workload cifar10: --crop-padding 4 pads pixels, but these images are "
                        "encoded; use --crop-padding 0 --image-size PIXELS, or store their pixels: loadline data "
                        "convert shards DST.h5 --decode"));
  cell.workload = "photos";
  EXPECT_EQ(refusal_of(cell, *photos),
            test::usage("cannot use shards for workload photos: --crop-padding 4 pads pixels, but these images are "
                        "encoded; use --crop"));
}

TEST(Assemblers, OfEncodedImagesSayThatGreyOnesHaveThreeChannelsToo) {
  const test::TemporaryDirectory home;
  test::write(home / "photos" / "cats" / "1.jpg", "");
  const auto photos = open_dataset(home / "photos", {});
  Cell cell = cell_for("mnist");
  cell.photo.mean = {0.1307};
  EXPECT_EQ(
      refusal_of(cell, *photos),
      test::usage("cannot use shards for workload mnist (for photographs, use --workload photos): mnist normalises "
                  "1 channel, but encoded images have 3 in a batch, grey ones too; give --image-size PIXELS with "
                  "--mean and --std for 3 channels or --normalise off, or store their pixels: loadline data "
                  "convert shards DST.h5 --decode"));
  cell.photo.mean = {0.5};
  EXPECT_EQ(refusal_of(cell, *photos),
            test::usage("cannot use shards for workload mnist (for photographs, use --workload photos): mean of 1 "
                        "channel: a batch has 3"));
  cell.photo.mean = {0.5, 0.5, 0.5};
  EXPECT_EQ(refusal_of(cell, *photos), test::Thrown());
}

TEST(Assemblers, OfAWorkloadOfVolumesRefuseImages) {
  EXPECT_EQ(refusal_of(cell_for("nbody"), *test::patterned_dataset(3, {3, 4, 4})),
            test::usage("cannot use shards for workload nbody: it holds images, not volumes; use --workload cifar10"));
  EXPECT_EQ(refusal_of(cell_for("nbody"), *test::patterned_dataset(3, {4, 4, 4})),
            test::usage("cannot use shards for workload nbody: it holds images, not volumes"));
  const test::TemporaryDirectory home;
  test::write(home / "photos" / "cats" / "1.jpg", "");
  EXPECT_EQ(refusal_of(cell_for("nbody"), *open_dataset(home / "photos", {})),
            test::usage("cannot use shards for workload nbody (for photographs, use --workload photos): it holds "
                        "images, not volumes"));
}

TEST(Assemblers, OfAWorkloadOfImagesRefuseVolumes) {
  const test::TemporaryDirectory home;
  test::write_volume(home / "data.h5", {.edge = 4, .input_channels = 1, .target_channels = 2});
  const auto volume = open_dataset(home / "data.h5", {.crops = 2, .crop_edge = 2});
  for (const std::string workload : {"cifar10", "photos", "tokens"}) {
    EXPECT_EQ(refusal_of(cell_for(workload), *volume),
              test::usage("cannot use shards for workload " + workload + ": it holds volumes; use --workload nbody"));
  }
}

TEST(Assemblers, OfAVolumeRefuseImageOptions) {
  const test::TemporaryDirectory home;
  const auto path = home / "data.h5";
  test::write_volume(path, {.edge = 4, .input_channels = 1, .target_channels = 2});
  const auto volume = open_dataset(path, {.crops = 2, .crop_edge = 2});
  Cell cell = cell_for("cosmology");
  cell.volume.edge = 2;
  EXPECT_EQ(make_assembler(cell, *volume)->sample_format().input.size(), 4U);
  cell.transform.crop_padding = 1;
  EXPECT_EQ(
      refusal_of(cell, *volume),
      test::usage(
          "cannot use shards for workload cosmology: --crop-padding: it applies to images, not to crops of a volume"));
}

}  // namespace
}  // namespace loadline
