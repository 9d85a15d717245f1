// Tests datasets with so many samples that not all labels are read, and with so many bytes that not all are
// fingerprinted. Their files are sparse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/batch_pool.h"
#include "loaders/datasets/dataset.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/memory.h"
#include "loaders/storage/npy.h"
#include "loaders/transforms/kernels.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCifarRecord = 3073;

void put_byte(const fs::path& path, std::size_t at, char value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(value);
}

class LargeIdx : public testing::Test {
 protected:
  // Opens black images of one pixel. All have class 0 except the last, which has class 6.
  std::unique_ptr<Dataset> open(std::size_t samples) const {
    const auto header = [&](char rank) {
      std::string bytes{'\0', '\0', '\x08', rank};
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(samples >> shift & 0xff);
      return bytes;
    };
    test::write(images_, header(3) + std::string("\0\0\0\1\0\0\0\1", 8));
    test::write(labels_, header(1));
    fs::resize_file(images_, 16 + samples);
    fs::resize_file(labels_, 8 + samples);
    put_byte(labels_, 8 + samples - 1, 6);
    return open_dataset(home_.path(), {});
  }

  const test::TemporaryDirectory home_;
  const fs::path images_ = home_ / "train-images-idx3-ubyte";
  const fs::path labels_ = home_ / "train-labels-idx1-ubyte";
};

TEST_F(LargeIdx, ReadsLabelsOnDemandAboveAMillion) {
  EXPECT_FALSE(open(kMostLabelsRead)->labels().stored());
  const auto dataset = open(kMostLabelsRead + 1);
  EXPECT_TRUE(dataset->labels().stored());
  EXPECT_FALSE(dataset->info().labels_in_memory);
  EXPECT_EQ(dataset->info().classes, 7U);
  EXPECT_EQ(dataset->labels()[0], 0);
  EXPECT_EQ(dataset->labels()[kMostLabelsRead], 6);
}

TEST_F(LargeIdx, HasAFingerprintOfSomeSamplesAboveFourMillion) {
  constexpr std::size_t kFew = std::size_t{1} << 22;
  EXPECT_EQ(fingerprint_samples(open(kFew)->info()), std::nullopt);
  const auto dataset = open(2 * kFew);
  EXPECT_EQ(fingerprint_samples(dataset->info()), 4096U);
  const auto before = run_fingerprint(*dataset, {});
  EXPECT_EQ(run_fingerprint(*copy_to_memory(*dataset), {}), before) << "whatever the samples are stored in";
  put_byte(images_, 16 + 2049, 1);
  EXPECT_EQ(run_fingerprint(*dataset, {}), before) << "sample 2049 is not among them";
  put_byte(images_, 16 + 2048, 1);
  const auto changed = run_fingerprint(*dataset, {});
  EXPECT_NE(changed, before);
  put_byte(labels_, 8 + 4096, 1);
  EXPECT_NE(run_fingerprint(*dataset, {}), changed);
}

TEST_F(LargeIdx, HasAFingerprintOfAllSamplesIfSmall) {
  const auto dataset = open(100);
  EXPECT_EQ(run_fingerprint(*dataset, {}), content_fingerprint(*dataset));
}

// Opens a sparse file of zeros as tokens.
std::unique_ptr<Dataset> open_sparse_tokens(const fs::path& path, std::size_t bytes, std::size_t token_bytes,
                                            std::size_t sequence_length) {
  test::write(path, "");
  fs::resize_file(path, bytes);
  return open_dataset(path, {.format = "tokens", .sequence_length = sequence_length, .token_bytes = token_bytes});
}

TEST(LargeTokens, HaveAFingerprintOfSomeRunsAboveABillion) {
  const test::TemporaryDirectory home;
  constexpr std::size_t kMost = std::size_t{1} << 30;
  EXPECT_EQ(fingerprint_samples(open_sparse_tokens(home / "few.bin", 2 * kMost, 2, 64)->info()), std::nullopt);
  const fs::path path = home / "many.bin";
  const auto dataset = open_sparse_tokens(path, 2 * (kMost + 2), 2, 64);
  EXPECT_EQ(fingerprint_samples(dataset->info()), 4096U);
  const auto before = run_fingerprint(*dataset, {});
  EXPECT_EQ(run_fingerprint(*open_sparse_tokens(home / "wide.bin", 4 * (kMost + 2), 4, 100), {}), before)
      << "however they are stored and cut";
  put_byte(path, 2 * 1024, 1);
  EXPECT_EQ(run_fingerprint(*dataset, {}), before) << "token 1024 is not among them";
  put_byte(path, 2 * 1023, 1);
  const auto changed = run_fingerprint(*dataset, {});
  EXPECT_NE(changed, before);
  put_byte(path, 2 * (kMost + 1), 1);
  EXPECT_NE(run_fingerprint(*dataset, {}), changed) << "the last one is";
}

TEST(LargeVolume, HasAFingerprintOfSomeValues) {
  const test::TemporaryDirectory home;
  constexpr std::size_t kVolumeEdge = 1024;
  const std::string header = npy_header(std::array<std::uint64_t, 4>{1, kVolumeEdge, kVolumeEdge, kVolumeEdge});
  for (const char* name : {"Nbody.npy", "Hydro.npy"}) {
    fs::resize_file(test::write(home / name, header),
                    header.size() + kVolumeEdge * kVolumeEdge * kVolumeEdge * sizeof(float));
  }
  const auto dataset = open_dataset(home.path(), {.format = "volume", .crop_edge = 4});
  EXPECT_EQ(fingerprint_samples(dataset->info()), 4096U);
  const auto before = run_fingerprint(*dataset, {});
  EXPECT_EQ(run_fingerprint(*open_dataset(home.path(), {.format = "volume", .crops = 9, .crop_edge = 32}), {}), before)
      << "however many crops are taken of it";
  put_byte(home / "Nbody.npy", header.size() + sizeof(float), 1);
  EXPECT_EQ(run_fingerprint(*dataset, {}), before) << "the second value is not among them";
  put_byte(home / "Hydro.npy", header.size(), 1);
  EXPECT_NE(run_fingerprint(*dataset, {}), before) << "the first is";
}

TEST(LargeCifar, ReadsLabelsBesideTheirImagesAndRefusesOneOutOfRange) {
  const test::TemporaryDirectory home;
  const fs::path first = test::write(home / "data_batch_1.bin", "");
  const fs::path second = test::write(home / "data_batch_2.bin", "");
  fs::resize_file(first, kMostLabelsRead * kCifarRecord);
  fs::resize_file(second, 10 * kCifarRecord);
  put_byte(first, 5 * kCifarRecord, 4);
  put_byte(second, 3 * kCifarRecord, 9);
  put_byte(second, 7 * kCifarRecord, 10);
  const auto dataset = open_dataset(home.path(), {});
  EXPECT_TRUE(dataset->labels().stored());
  EXPECT_EQ(dataset->info().samples, kMostLabelsRead + 10);

  const ImageTransform transform(dataset->info().shape, {.dtype = DType::kU8}, kernels_named("auto"));
  const ImageAssembler assembler(*dataset, transform);
  BatchPool pool(1, 3, assembler.sample_bytes());
  const Batch slot = pool.try_acquire();
  const auto filler = assembler.make_filler(3);
  const std::vector<SampleIndex> sound{5, kMostLabelsRead + 3, kMostLabelsRead + 6};
  std::ranges::copy(sound, slot->indices.begin());
  slot->count = 3;
  filler->fill(*slot, Stores::kCached);
  EXPECT_THAT(slot->labels, testing::ElementsAre(4, 9, 0));
  slot->indices[1] = kMostLabelsRead + 7;
  EXPECT_EQ(
      test::thrown_by([&] { filler->fill(*slot, Stores::kCached); }),
      test::failed("cannot read sample 1048583 of " + first.string() + ": its label 10 is out of range, want 0 to 9"));
}

}  // namespace
}  // namespace loadline
