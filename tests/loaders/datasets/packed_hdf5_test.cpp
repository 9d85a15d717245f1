#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/storage/hdf5_writer.h"
#include "tests/loaders/datasets/hdf5_fixture.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::Hdf5;
using test::kImpossibleAddresses;
using Bytes = std::vector<std::uint8_t>;

class PackedHdf5 : public Hdf5 {
 protected:
  // Packs three samples of 2, 1 and 3 bytes, unless other offsets are given. Byte i of all of them has the value i.
  void pack(const std::vector<std::uint64_t>& offsets = {0, 2, 3, 6}, std::uint64_t bytes = 6) const {
    std::vector<std::byte> values(bytes);
    for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<std::byte>(i);
    const std::array<std::int32_t, 3> labels{0, 1, 1};
    Hdf5Writer writer(path_, path_);
    writer.begin("encoded", std::array{bytes}, {});
    writer.append(values);
    writer.write_offsets("offsets", offsets);
    writer.write_labels("labels", labels, 2);
    writer.close();
  }
};

TEST_F(PackedHdf5, GivesEachSampleItsOwnBytesInBothWays) {
  pack();
  for (const Access access : {Access::kMapped, Access::kRows}) {
    const auto dataset = open(access);
    EXPECT_TRUE(dataset->info().encoded);
    EXPECT_EQ(dataset->info().samples, 3U);
    EXPECT_EQ(dataset->info().classes, 2U);
    EXPECT_EQ(dataset->info().access, access);
    EXPECT_THAT(dataset->labels(), testing::ElementsAre(0, 1, 1));
    std::vector<Bytes> samples;
    dataset->visit([&](StoredSample sample) {
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(sample.data());
      samples.emplace_back(bytes, bytes + sample.size());
      return true;
    });
    EXPECT_EQ(samples, (std::vector<Bytes>{{0, 1}, {2}, {3, 4, 5}}));
  }
  EXPECT_EQ(open()->info().access, Access::kMapped);
  EXPECT_EQ(open_dataset(path_, {.in_memory = true})->info().access, Access::kResident);
}

TEST_F(PackedHdf5, RefusesImpossibleOffsets) {
  pack({0, 2, 2, 6});
  EXPECT_EQ(refused(), "dataset 'offsets' says that sample 1 has bytes 2 to 2, 'encoded' has 6");
  pack({0, 2, 3, 7});
  EXPECT_EQ(refused(), "dataset 'offsets' says that sample 2 has bytes 3 to 7, 'encoded' has 6");
  pack({0});
  EXPECT_EQ(refused(), "dataset 'offsets' has extents 1, want one more than the number of samples");
  pack({0, 1, 2, 3, 4, 5, 6, 6});
  EXPECT_EQ(refused(), "dataset 'offsets' counts 7 samples, 'encoded' has only 6 bytes");
  pack({0, 2, 6});
  EXPECT_EQ(refused(), "dataset 'labels' has extents 3, want one label for each of the 2 samples of 'encoded'");
}

TEST_F(PackedHdf5, RefusesSamplesAtImpossibleAddresses) {
  for (const std::uint64_t address : kImpossibleAddresses) {
    pack();
    test::claim_address(path_, "encoded", address);
    EXPECT_NE(refused(Access::kMapped), "") << address;
    EXPECT_NE(test::thrown_by([&] { content_fingerprint(*open(Access::kRows)); }).message, "") << address;
  }
}

TEST_F(PackedHdf5, RefusesMoreThanAFileOfItsLengthCanHold) {
  // Chunks that were never written take no space in the file.
  const auto in_chunks = [](hid_t properties) {
    const hsize_t chunk = 1;
    H5Pset_chunk(properties, 1, &chunk);
  };
  claim("encoded", std::uint64_t{1} << 40U, H5T_STD_U8LE, in_chunks);
  EXPECT_EQ(refusal().message,
            "cannot read " + path_.string() + ": 1099511627776 values of 1 bytes are more than a file can hold");
  fs::remove(path_);
  claim("encoded", 1'000'000, H5T_STD_U8LE, in_chunks);
  claim("offsets", 1'000'001, H5T_STD_U64LE, in_chunks);
  EXPECT_EQ(refusal().message,
            "cannot read " + path_.string() + ": 1000001 values of 8 bytes are more than a file can hold");
}

TEST_F(PackedHdf5, CannotBeReadInAnyOtherWay) {
  pack();
  for (const Access access : {Access::kBlocks, Access::kChunks}) {
    EXPECT_EQ(refused(access), "packed images differ in length: use --loader hdf5-mmap or hdf5");
  }
}

}  // namespace
}  // namespace loadline
