#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::gzip_of;
using test::idx_images;
using test::idx_labels;
using test::sample_of;
using testing::ElementsAre;

constexpr const char* kTrainImages = "train-images-idx3-ubyte";
constexpr const char* kTrainLabels = "train-labels-idx1-ubyte";

class Idx : public testing::Test {
 protected:
  // Writes three training images of 2 x 2 and two test images.
  void write_sound() {
    write(kTrainImages, idx_images(3, 2, 2));
    write(kTrainLabels, idx_labels({4, 0, 9}));
    write("t10k-images-idx3-ubyte", idx_images(2, 2, 2));
    write("t10k-labels-idx1-ubyte", idx_labels({1, 2}));
  }

  fs::path write(std::string_view name, std::string_view bytes) { return test::write(home_ / name, bytes); }

  std::unique_ptr<Dataset> open(const DatasetOptions& options = {}) const {
    return open_dataset(home_.path(), options);
  }

  test::Thrown refusal(const DatasetOptions& options = {}) const {
    return test::thrown_by([&] { open(options); });
  }

  // Returns the refusal of training images with these bytes and sound labels.
  test::Thrown refusal_of(const test::ByteFile& images) {
    write_sound();
    write(kTrainImages, images.bytes);
    return refusal();
  }

  test::Thrown refused(std::string_view name, const std::string& reason) const {
    return test::failed("cannot open " + (home_ / name).string() + ": " + reason);
  }

  const test::TemporaryDirectory home_;
};

TEST_F(Idx, ReadsTheTrainingImagesOfADirectory) {
  write_sound();
  const auto dataset = open();
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.format, "idx");
  EXPECT_EQ(info.samples, 3U);
  EXPECT_EQ(info.shape, (ImageShape{1, 2, 2}));
  EXPECT_EQ(info.classes, 10U);
  EXPECT_EQ(info.sample_bytes(), 4U);
  EXPECT_EQ(info.stored_bytes, 16U + 12 + 8 + 3);
  EXPECT_EQ(info.access, Access::kMapped);
  EXPECT_THAT(info.files, ElementsAre(home_ / kTrainImages, home_ / kTrainLabels));
  EXPECT_THAT(dataset->labels(), ElementsAre(4, 0, 9));
  EXPECT_THAT(sample_of(*dataset, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sample_of(*dataset, 2), ElementsAre(20, 21, 22, 23));
  dataset->check_intact();
}

TEST_F(Idx, ReadsTheTestImagesOfADirectory) {
  write_sound();
  const auto dataset = open({.split = Split::kTest});
  EXPECT_THAT(dataset->labels(), ElementsAre(1, 2));
  EXPECT_THAT(sample_of(*dataset, 1), ElementsAre(10, 11, 12, 13));
}

TEST_F(Idx, ReadsCompressedFilesIntoMemory) {
  write(std::string(kTrainImages) + ".gz", gzip_of(idx_images(3, 2, 2)));
  write(std::string(kTrainLabels) + ".gz", gzip_of(idx_labels({4, 0, 9})));
  const auto dataset = open();
  EXPECT_EQ(dataset->info().access, Access::kResident);
  EXPECT_EQ(dataset->info().samples, 3U);
  EXPECT_THAT(dataset->labels(), ElementsAre(4, 0, 9));
  EXPECT_THAT(sample_of(*dataset, 2), ElementsAre(20, 21, 22, 23));
}

TEST_F(Idx, ReadsACompressedFileBesideAPlainOne) {
  write(kTrainImages, idx_images(3, 2, 2));
  write(std::string(kTrainLabels) + ".gz", gzip_of(idx_labels({4, 0, 9})));
  EXPECT_THAT(open()->labels(), ElementsAre(4, 0, 9));
  fs::remove(home_ / kTrainImages);
  fs::remove(home_ / (std::string(kTrainLabels) + ".gz"));
  write(std::string(kTrainImages) + ".gz", gzip_of(idx_images(3, 2, 2)));
  write(kTrainLabels, idx_labels({4, 0, 9}));
  EXPECT_THAT(open()->labels(), ElementsAre(4, 0, 9));
}

TEST_F(Idx, PrefersPlainFilesToCompressedOnes) {
  write_sound();
  write(std::string(kTrainImages) + ".gz", "not gzip");
  EXPECT_EQ(open()->info().access, Access::kMapped);
}

TEST_F(Idx, ReadsNamesWithADotAsSomeUnpackersWriteThem) {
  write("train-images.idx3-ubyte", idx_images(1, 2, 2));
  write("train-labels.idx1-ubyte", idx_labels({5}));
  EXPECT_THAT(open()->labels(), ElementsAre(5));
}

TEST_F(Idx, ReadsOneFileAndTheLabelsBesideIt) {
  write("emnist-letters-train-images-idx3-ubyte", idx_images(2, 3, 1));
  write("emnist-letters-train-labels-idx1-ubyte", idx_labels({1, 26}));
  const auto dataset = open_dataset(home_ / "emnist-letters-train-images-idx3-ubyte", {});
  EXPECT_EQ(dataset->info().shape, (ImageShape{1, 3, 1}));
  EXPECT_EQ(dataset->info().classes, 27U);
}

TEST_F(Idx, LocatesSamplesInAnyOrder) {
  write_sound();
  const auto dataset = open();
  const std::vector<SampleIndex> indices{2, 0, 2};
  std::vector<StoredSample> out(3);
  dataset->make_reader(3)->read(indices, out);
  EXPECT_EQ(out[0].data(), out[2].data());
  EXPECT_EQ(out[0].data() - out[1].data(), 8);
}

TEST_F(Idx, RefusesATruncatedFile) {
  EXPECT_EQ(refusal_of(test::TruncatedIdx()),
            refused(kTrainImages, "its header announces 3 x 2 x 2 = 12 bytes, it holds 11"));
}

TEST_F(Idx, RefusesAnOversizedFile) {
  EXPECT_EQ(refusal_of(test::OversizedIdx()),
            refused(kTrainImages, "its header announces 3 x 2 x 2 = 12 bytes, it holds 13"));
}

TEST_F(Idx, RefusesAFileThatEndsInItsHeader) {
  EXPECT_EQ(refusal_of(test::HeaderlessIdx()), refused(kTrainImages, "15 bytes are too few for an IDX header"));
}

TEST_F(Idx, RefusesAnEmptyFile) {
  EXPECT_EQ(refusal_of({""}), refused(kTrainImages, "0 bytes are too few for an IDX header"));
}

TEST_F(Idx, RefusesTheWrongMagic) {
  EXPECT_EQ(refusal_of(test::WrongMagicIdx()),
            refused(kTrainImages, "not an IDX file (it starts with 0x1f 0x00, want 0x00 0x00)"));
}

TEST_F(Idx, RefusesTheWrongElementType) {
  EXPECT_EQ(refusal_of(test::FloatIdx()), refused(kTrainImages, "IDX element type 0x0d, want 0x08 (unsigned byte)"));
}

TEST_F(Idx, RefusesTheWrongNumberOfDimensions) {
  EXPECT_EQ(refusal_of(test::FlatIdx()), refused(kTrainImages, "IDX of 2 dimensions, want 3"));
}

TEST_F(Idx, RefusesDimensionsTooLargeForMemory) {
  EXPECT_EQ(refusal_of(test::HugeIdx()),
            refused(kTrainImages, "its header announces 4294967295 x 256 x 256 = 281474976645120 bytes, it holds 8"));
}

TEST_F(Idx, RefusesDimensionsWhoseProductOverflows) {
  EXPECT_EQ(refusal_of(test::ImpossibleIdx()), refused(kTrainImages, "impossible dimensions 4294967295 x 4294967295"));
}

TEST_F(Idx, RefusesZeroSamples) {
  EXPECT_EQ(refusal_of(test::EmptyIdx()), refused(kTrainImages, "it holds no samples (a dimension is 0)"));
}

TEST_F(Idx, RefusesImagesAndLabelsThatDisagreeInCount) {
  write_sound();
  write(kTrainLabels, idx_labels({1, 2}));
  EXPECT_EQ(refusal(), test::failed("cannot open " + home_.path().string() + ": 3 images in " + kTrainImages +
                                    " but 2 labels in " + kTrainLabels));
}

TEST_F(Idx, RefusesLabelsThatAreImages) {
  write_sound();
  write(kTrainLabels, idx_images(3, 2, 2));
  EXPECT_EQ(refusal(), refused(kTrainLabels, "IDX of 3 dimensions, want 1"));
}

TEST_F(Idx, RefusesImagesWithoutLabels) {
  write(kTrainImages, idx_images(3, 2, 2));
  EXPECT_EQ(refusal(), refused(kTrainImages, std::string("its labels are missing, want ") + kTrainLabels));
}

TEST_F(Idx, RefusesAMissingSplit) {
  write(kTrainImages, idx_images(1, 2, 2));
  write(kTrainLabels, idx_labels({5}));
  EXPECT_EQ(refusal({.split = Split::kTest}), test::failed("cannot open " + home_.path().string() +
                                                           ": it contains no t10k-images-idx3-ubyte, plain or .gz"));
}

TEST_F(Idx, RefusesCoarseLabels) {
  write_sound();
  EXPECT_EQ(refusal({.labels = LabelKind::kCoarse}),
            test::usage("coarse labels: " + home_.path().string() + " has none, only cifar100 does"));
}

class CompressedIdx : public Idx {
 protected:
  test::Thrown refusal_of(std::string_view compressed) {
    write("train-images-idx3-ubyte.gz", compressed);
    write(kTrainLabels, idx_labels({4, 0, 9}));
    return refusal();
  }

  test::Thrown refused(const std::string& reason) const { return Idx::refused("train-images-idx3-ubyte.gz", reason); }
};

TEST_F(CompressedIdx, RefusesATruncatedImage) {
  EXPECT_EQ(refusal_of(gzip_of(test::TruncatedIdx().bytes)),
            refused("its header announces 3 x 2 x 2 = 12 bytes, it holds 11"));
}

TEST_F(CompressedIdx, RefusesAnOversizedImage) {
  EXPECT_EQ(refusal_of(gzip_of(test::OversizedIdx().bytes)),
            refused("its header announces 3 x 2 x 2 = 12 bytes, it holds more"));
}

TEST_F(CompressedIdx, RefusesAHeaderCutShort) {
  EXPECT_EQ(refusal_of(gzip_of(test::HeaderlessIdx().bytes)), refused("15 bytes are too few for an IDX header"));
}

TEST_F(CompressedIdx, RefusesTheWrongMagic) {
  EXPECT_EQ(refusal_of(gzip_of(test::WrongMagicIdx().bytes)),
            refused("not an IDX file (it starts with 0x1f 0x00, want 0x00 0x00)"));
}

TEST_F(CompressedIdx, RefusesZeroSamples) {
  EXPECT_EQ(refusal_of(gzip_of(test::EmptyIdx().bytes)), refused("it holds no samples (a dimension is 0)"));
}

TEST_F(CompressedIdx, RefusesAHugeClaimWithoutAllocatingTheMemory) {
  EXPECT_EQ(refusal_of(gzip_of(test::HugeIdx().bytes)),
            refused("its header announces 4294967295 x 256 x 256 = 281474976645120 bytes, it holds too few compressed "
                    "bytes for that"));
}

TEST_F(CompressedIdx, RefusesAFileCutShort) {
  std::string cut = gzip_of(idx_images(3, 2, 2));
  cut.pop_back();
  EXPECT_EQ(refusal_of(cut), test::failed("cannot inflate " + (home_ / "train-images-idx3-ubyte.gz").string() +
                                          ": the file ends before its data does (truncated)"));
}

TEST_F(CompressedIdx, RefusesAWrongChecksum) {
  std::string corrupt = gzip_of(idx_images(3, 2, 2));
  corrupt[corrupt.size() - 8] ^= 1;
  EXPECT_EQ(refusal_of(corrupt), test::failed("cannot inflate " + (home_ / "train-images-idx3-ubyte.gz").string() +
                                              ": incorrect data check"));
}

TEST_F(CompressedIdx, RefusesAFileThatIsNotGzip) {
  EXPECT_EQ(
      refusal_of(idx_images(3, 2, 2)),
      test::failed("cannot inflate " + (home_ / "train-images-idx3-ubyte.gz").string() + ": incorrect header check"));
}

TEST_F(Idx, NamesAFileTruncatedAfterItWasOpened) {
  write_sound();
  write(kTrainImages, idx_images(3, 64, 64));
  const auto dataset = open();
  fs::resize_file(home_ / kTrainImages, 16);
  sample_of(*dataset, 2);
  EXPECT_THAT(test::thrown_by([&] { dataset->check_intact(); }).message,
              testing::StartsWith("cannot read " + (home_ / kTrainImages).string() + ": the page at byte "));
}

}  // namespace
}  // namespace loadline
