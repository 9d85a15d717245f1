#include "loaders/datasets/volume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/fingerprint.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/loaders/support/volumes.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr VolumeShape kVolumeShape{.edge = 9, .input_channels = 2, .target_channels = 3};

class Volume : public testing::Test {
 protected:
  // Returns the refusal from the last file that it names on, relative to the test's directory.
  std::string refused(const fs::path& path, const DatasetOptions& options = {}) const {
    const std::string message = test::thrown_by([&] { open_dataset(path, options); }).message;
    const auto at = message.rfind(home_.path().string());
    return at == std::string::npos ? message : message.substr(at + home_.path().string().size() + 1);
  }
  // Writes a file with only these datasets, of f32. Returns its path.
  fs::path put(const std::vector<std::pair<std::string, std::vector<std::uint64_t>>>& datasets) const {
    Hdf5Writer writer(path_, path_);
    for (const auto& [name, extents] : datasets) writer.begin(name, extents, {.element = Hdf5Element::kF32});
    writer.close();
    return path_;
  }

  const test::TemporaryDirectory home_;
  const fs::path path_ = home_ / "data.h5";
};

TEST_F(Volume, IsRecognisedByItsFieldsAndHasTheRequestedNumberOfSamples) {
  test::write_volume(path_, kVolumeShape);
  const auto dataset = open_dataset(path_, {.crops = 7, .crop_edge = 9});
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.format, "volume");
  EXPECT_EQ(info.samples, 7U);
  EXPECT_EQ(info.volume, kVolumeShape);
  EXPECT_EQ(info.all_bytes(), 5U * 9 * 9 * 9 * 4);
  EXPECT_EQ(info.access, Access::kMapped);
  EXPECT_EQ(info.files, std::vector{path_});
  EXPECT_EQ(info.stored_bytes, fs::file_size(path_));
  EXPECT_EQ(info.classes, 1U);
  EXPECT_TRUE(dataset->labels().empty()) << "each would be 0";
}

TEST_F(Volume, GivesTheSameCropsHoweverItIsRead) {
  test::write_volume(path_, kVolumeShape);
  test::write_volume(home_ / "chunks.h5", kVolumeShape, {.chunk_rows = 1, .gzip_level = 1});
  test::write_npy_volume(home_ / "npy", kVolumeShape);
  const std::pair<fs::path, DatasetOptions> ways[] = {{path_, {}},
                                                      {path_, {.access = Access::kMapped}},
                                                      {path_, {.access = Access::kRows}},
                                                      {path_, {.in_memory = true}},
                                                      {home_ / "chunks.h5", {}},
                                                      {home_ / "chunks.h5", {.in_memory = true}},
                                                      {home_ / "npy", {}},
                                                      {home_ / "npy", {.in_memory = true}}};
  const std::array<std::size_t, 3> origin{1, 2, 3};
  for (const auto& [path, options] : ways) {
    const auto dataset = open_dataset(path, options);
    SCOPED_TRACE(path.string() + ", " + std::string(name(dataset->info().access)));
    EXPECT_EQ(dataset->info().access == Access::kResident, options.in_memory);
    const auto reader = dataset->as_volume()->make_crop_reader(5);
    for (const Field field : kFields) {
      const VolumeView crop = reader->read(field, origin);
      ASSERT_EQ(crop.channels, channels_of(kVolumeShape, field));
      for (std::size_t c = 0; c < crop.channels; ++c) {
        for (const auto& [x, y, z] : {std::array<std::size_t, 3>{0, 0, 0}, {4, 4, 4}, {1, 0, 2}}) {
          const float* at = crop.first + static_cast<std::ptrdiff_t>(c) * crop.channel_stride +
                            static_cast<std::ptrdiff_t>(x) * crop.stride[0] +
                            static_cast<std::ptrdiff_t>(y) * crop.stride[1] + static_cast<std::ptrdiff_t>(z);
          EXPECT_EQ(*at, test::volume_value(field, c, 1 + x, 2 + y, 3 + z));
        }
      }
    }
  }
}

TEST_F(Volume, HasOneFingerprintHoweverItIsStoredAndHoweverManyCropsAreTaken) {
  test::write_volume(path_, kVolumeShape);
  test::write_npy_volume(home_ / "npy", kVolumeShape);
  const std::uint64_t fingerprint = content_fingerprint(*open_dataset(path_, {}));
  EXPECT_EQ(content_fingerprint(*open_dataset(path_, {.access = Access::kRows})), fingerprint);
  EXPECT_EQ(content_fingerprint(*open_dataset(path_, {.in_memory = true, .crops = 3})), fingerprint);
  EXPECT_EQ(content_fingerprint(*open_dataset(home_ / "npy", {})), fingerprint);
  test::write_volume(home_ / "other.h5", {.edge = 9, .input_channels = 3, .target_channels = 2});
  EXPECT_NE(content_fingerprint(*open_dataset(home_ / "other.h5", {})), fingerprint);
}

TEST_F(Volume, CannotBeReadBySample) {
  test::write_volume(path_, kVolumeShape);
  const auto dataset = open_dataset(path_, {});
  EXPECT_EQ(test::thrown_by([&] { dataset->make_reader(1); }),
            test::failed("cannot read samples of " + path_.string() + ": they are crops of a volume"));
}

TEST_F(Volume, IsRefusedIfSmallerThanTheCrop) {
  test::write_volume(path_, kVolumeShape);
  EXPECT_EQ(
      test::thrown_by([&] { open_dataset(path_, {.crop_edge = 10}); }),
      test::usage("--crop-edge 10: " + path_.string() + " has 9 values along each side; want an edge from 1 to that"));
  EXPECT_EQ(test::thrown_by([&] { open_dataset(path_, {.crops = 0}); }),
            test::usage("--crops 0: want at least 1 and fewer than 2^32 - 1"));
}

TEST_F(Volume, IsRefusedWithoutItsOtherField) {
  EXPECT_EQ(refused(put({{"Nbody", {2, 4, 4, 4}}})), "data.h5: no dataset 'Hydro' in it, only Nbody");
  test::write(home_ / "npy/Nbody.npy", test::npy_bytes(Field::kInput, kVolumeShape));
  EXPECT_EQ(refused(home_ / "npy"), "npy/Hydro.npy: No such file or directory");
}

TEST_F(Volume, IsRefusedWithOtherExtents) {
  EXPECT_EQ(refused(put({{"Nbody", {4, 4, 4}}, {"Hydro", {5, 4, 4, 4}}})),
            "data.h5: dataset 'Nbody' has extents 4 x 4 x 4, want channels x N x N x N");
  EXPECT_EQ(refused(put({{"Nbody", {4, 4, 4, 5}}, {"Hydro", {5, 4, 4, 4}}})),
            "data.h5: dataset 'Nbody' has extents 4 x 4 x 4 x 5, want channels x N x N x N");
  EXPECT_EQ(refused(put({{"Nbody", {4, 4, 4, 4}}, {"Hydro", {5, 8, 8, 8}}})),
            "data.h5: dataset 'Hydro' has 8 values along each side, that of Nbody has 4");
}

TEST_F(Volume, IsRefusedWithOtherTypesOfValues) {
  {
    Hdf5Writer writer(path_, path_);
    for (const Field field : kFields) {
      writer.begin(std::string(name(field)), test::field_extents(field, kVolumeShape), {.element = Hdf5Element::kU8});
    }
    writer.close();
  }
  EXPECT_EQ(refused(path_), "data.h5: dataset 'Nbody' is u8, want values of f32");
  test::write_npy_volume(home_ / "npy", kVolumeShape);
  const auto change = [&](const std::string& from, const std::string& to) {
    std::string bytes = test::npy_bytes(Field::kTarget, kVolumeShape);
    bytes.replace(bytes.find(from), from.size(), to);
    test::write(home_ / "npy/Hydro.npy", bytes);
  };
  change("<f4", ">f4");
  EXPECT_EQ(refused(home_ / "npy"), "npy/Hydro.npy: its values are '>f4', want '<f4' (f32, little-endian)");
  change("False", "True ");
  EXPECT_EQ(refused(home_ / "npy"), "npy/Hydro.npy: its array is in column-major (Fortran) order, want row-major");
}

TEST_F(Volume, IsRefusedIfTruncated) {
  test::write_npy_volume(home_ / "npy", kVolumeShape);
  const fs::path file = home_ / "npy/Hydro.npy";
  fs::resize_file(file, fs::file_size(file) - 1);
  EXPECT_EQ(refused(home_ / "npy"), "npy/Hydro.npy: its array reaches to byte 8876, the file ends at 8875 (truncated)");
  test::write_volume(path_, kVolumeShape);
  fs::resize_file(path_, fs::file_size(path_) / 2);
  EXPECT_THAT(refused(path_, {.format = "volume"}), testing::HasSubstr("truncated"));
}

TEST_F(Volume, IsRefusedAtAnImpossibleAddress) {
  for (const std::uint64_t address : {std::uint64_t{1} << 40U, ~std::uint64_t{0} - 3, ~std::uint64_t{0} - 4095}) {
    test::write_volume(path_, kVolumeShape);
    test::claim_address(path_, "Nbody", address);
    EXPECT_NE(refused(path_, {.access = Access::kMapped, .crop_edge = 9}), "") << address;
    EXPECT_NE(refused(path_, {.in_memory = true, .access = Access::kRows, .crop_edge = 9}), "") << address;
  }
}

TEST_F(Volume, CannotBeMappedIfChunked) {
  test::write_volume(path_, kVolumeShape, {.chunk_rows = 1});
  EXPECT_EQ(refused(path_, {.access = Access::kMapped}),
            "data.h5: dataset 'Nbody': its storage is chunked, which cannot be mapped: use --loader hdf5");
  EXPECT_EQ(open_dataset(path_, {})->info().access, Access::kRows);
}

TEST_F(Volume, CannotBeReadInAnyOtherWay) {
  test::write_volume(path_, kVolumeShape);
  for (const Access access : {Access::kBlocks, Access::kChunks}) {
    EXPECT_EQ(refused(path_, {.access = access}), "data.h5: its format is volume, which cannot be read this way (" +
                                                      std::string(name(access)) + "): use --loader hdf5-mmap or hdf5");
  }
  test::write_npy_volume(home_ / "npy", kVolumeShape);
  EXPECT_THAT(refused(home_ / "npy", {.access = Access::kRows}), testing::HasSubstr("only HDF5 can be read this way"));
  EXPECT_EQ(refused(path_, {.split = Split::kTest}),
            "data.h5 has one split only, as every dataset of format volume does; keep the other split at its own path");
  EXPECT_EQ(refused(path_, {.labels = LabelKind::kCoarse}), "data.h5 has none, only cifar100 does");
}

TEST_F(Volume, ReportsThatItsFileWasTruncated) {
  test::write_volume(path_, {.edge = 16, .input_channels = 4, .target_channels = 5});
  const auto dataset = open_dataset(path_, {});
  dataset->check_files();
  fs::resize_file(path_, 4096);
  EXPECT_THAT(test::thrown_by([&] { content_fingerprint(*dataset); }).message, testing::HasSubstr("is gone"));
  EXPECT_NE(test::thrown_by([&] { dataset->check_files(); }).message, "");
}

}  // namespace
}  // namespace loadline
