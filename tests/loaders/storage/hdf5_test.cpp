#include "loaders/storage/hdf5.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "loaders/datasets/datasets.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/storage/hdf5_library.h"
#include "loaders/storage/hdf5_writer.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(Hdf5Reason, IsTheSystemErrorIfTheLibraryNamesOne) {
  EXPECT_EQ(hdf5_reason("file read failed: time = Sun Nov 22 13:26:20 2026\n, filename = 'a.h5', file descriptor = 4, "
                        "errno = 5, error message = 'Input/output error', buf = 0x7f748be37010, total read size = 512, "
                        "bytes this sub-read = 512, bytes actually read = 18446744073709551615, offset = 0"),
            "file read failed: Input/output error");
  EXPECT_EQ(hdf5_reason("unable to lock file, errno = 11, error message = 'Resource temporarily unavailable'"),
            "unable to lock file: Resource temporarily unavailable");
}

TEST(Hdf5Reason, GivesBothSizesOfATruncatedFile) {
  EXPECT_EQ(hdf5_reason("truncated file: eof = 198048, sblock->base_addr = 0, stored_eof = 396096"),
            "truncated file, 198048 bytes of 396096");
}

TEST(Hdf5Reason, OmitsTheVariablesOfTheLibrary) {
  EXPECT_EQ(hdf5_reason("addr overflow, addr = 96, size = 8, eoa = 40"), "addr overflow");
  EXPECT_EQ(hdf5_reason("wrong object header version"), "wrong object header version");
  EXPECT_EQ(hdf5_reason(""), "the HDF5 library gives no reason");
}

// Writes a file of 64 rows of 100 bytes.
void write_rows(const std::filesystem::path& path) {
  Hdf5Writer writer(path, path);
  const std::vector<std::uint64_t> extents{64, 100};
  writer.begin("images", extents, {});
  writer.append(std::vector<std::byte>(6400));
  writer.close();
}

TEST(Hdf5Writer, StoresNoTimesSoThatEqualContentsMakeEqualFiles) {
  const test::TemporaryDirectory home;
  Hdf5Writer writer(home / "a.h5", home / "a.h5");
  writer.begin("images", std::vector<std::uint64_t>{3, 2}, {});
  writer.append(std::vector<std::byte>(6));
  writer.write_labels("labels", std::vector<std::int32_t>{0, 1, 0}, 2);
  writer.write_offsets("offsets", std::vector<std::uint64_t>{0, 2, 4, 6});
  writer.close();
  const hid_t file = H5Fopen((home / "a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  for (const char* name : {"images", "labels", "offsets"}) {
    H5G_stat_t facts{};
    EXPECT_GE(H5Gget_objinfo(file, name, true, &facts), 0);
    EXPECT_EQ(facts.mtime, 0) << name;
  }
  H5Fclose(file);
}

// Writes a dataset in compressed chunks, with so many samples per append().
class CompressedRows : public testing::Test {
 protected:
  struct Way {
    std::size_t threads = 1;
    std::size_t at_a_time = 1;
  };

  static std::vector<std::byte> values_of(const Dataset& dataset) {
    std::vector<std::byte> values;
    dataset.visit([&](StoredSample sample) {
      values.insert(values.end(), sample.begin(), sample.end());
      return true;
    });
    return values;
  }

  std::filesystem::path write(const Dataset& dataset, std::uint64_t chunk_rows, const Way& way) const {
    const DatasetInfo& info = dataset.info();
    const std::vector<std::uint64_t> extents{info.samples, info.shape.channels, info.shape.height, info.shape.width};
    auto path = home_ / ("threads-" + std::to_string(way.threads) + "-at-a-time-" + std::to_string(way.at_a_time));
    Hdf5Writer writer(path, path);
    writer.begin("images", extents, {.chunk_rows = chunk_rows, .gzip_level = 4, .threads = way.threads});
    const std::vector<std::byte> values = values_of(dataset);
    const std::size_t most = way.at_a_time * info.sample_bytes();
    for (std::size_t at = 0; at < values.size(); at += most) {
      writer.append(std::span(values).subspan(at, std::min(most, values.size() - at)));
    }
    writer.write_labels("labels", dataset.labels().all(), info.classes);
    writer.close();
    return path;
  }

  const test::TemporaryDirectory home_;
};

// Writes the samples as images by the library, which compresses them itself.
void write_by_library(const std::filesystem::path& path, const Dataset& dataset, std::uint64_t chunk_rows,
                      const std::vector<std::byte>& values) {
  const DatasetInfo& info = dataset.info();
  const std::array<hsize_t, 4> extents{info.samples, info.shape.channels, info.shape.height, info.shape.width};
  const std::array<hsize_t, 4> chunk{chunk_rows, extents[1], extents[2], extents[3]};
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(properties, 4, chunk.data());
  H5Pset_deflate(properties, 4);
  const hid_t images = H5Dcreate2(file, "images", H5T_STD_U8LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(images, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Dclose(images);
  H5Pclose(properties);
  H5Sclose(space);
  H5Fclose(file);
}

// The chunk of images that begins with row `first`, as it is stored.
std::vector<std::byte> stored_chunk(const std::filesystem::path& path, hsize_t first) {
  const std::array<hsize_t, 4> origin{first, 0, 0, 0};
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "images", H5P_DEFAULT);
  hsize_t size = 0;
  EXPECT_GE(H5Dget_chunk_storage_size(dataset, origin.data(), &size), 0);
  std::vector<std::byte> chunk(size);
  std::uint32_t skipped = 0;
  EXPECT_GE(H5Dread_chunk(dataset, H5P_DEFAULT, origin.data(), &skipped, chunk.data()), 0);
  H5Dclose(dataset);
  H5Fclose(file);
  return chunk;
}

// What the HDF5 library itself says about the images in a file.
struct LibraryView {
  explicit LibraryView(const std::filesystem::path& path) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "images", H5P_DEFAULT);
    const hid_t properties = H5Dget_create_plist(dataset);
    filters = H5Pget_nfilters(properties);
    unsigned flags = 0;
    std::size_t count = 1;
    filter = H5Pget_filter2(properties, 0, &flags, &count, &level, 0, nullptr, nullptr);
    const hid_t space = H5Dget_space(dataset);
    values.resize(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    status = H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(space);
    H5Pclose(properties);
    H5Dclose(dataset);
    H5Fclose(file);
  }

  int filters = 0;
  H5Z_filter_t filter = H5Z_FILTER_NONE;
  unsigned level = 0;
  std::vector<std::byte> values;
  herr_t status = -1;
};

TEST_F(CompressedRows, ReadBackEqualWithAnyNumberOfThreads) {
  for (const std::size_t samples : {1U, 3U, 4U, 5U, 8U, 21U}) {
    const auto dataset = test::patterned_dataset(samples, {3, 4, 5});
    for (const std::size_t threads : {0U, 1U, 2U, 5U}) {
      const auto path = write(*dataset, 4, {.threads = threads});
      const LibraryView view(path);
      EXPECT_GE(view.status, 0);
      EXPECT_TRUE(view.values == values_of(*dataset)) << samples << " samples, " << threads << " threads";
      for (const Access access : {Access::kChunks, Access::kRows}) {
        EXPECT_EQ(content_fingerprint(*open_dataset(path, {.access = access})), content_fingerprint(*dataset))
            << samples << " samples, " << threads << " threads, " << name(access);
      }
    }
  }
}

TEST_F(CompressedRows, AreDeflatedAtTheirLevelInEveryChunk) {
  const auto path = write(*test::patterned_dataset(21, {3, 4, 5}), 4, {.threads = 2});
  const LibraryView view(path);
  EXPECT_EQ(view.filters, 1);
  EXPECT_EQ(view.filter, H5Z_FILTER_DEFLATE);
  EXPECT_EQ(view.level, 4U);
  const Hdf5Dataset images(path, "images");
  EXPECT_EQ(images.facts().gzip_level, 4U);
  EXPECT_EQ(images.facts().chunk, (std::vector<std::uint64_t>{4, 3, 4, 5}));
  for (const std::uint64_t first : {0U, 4U, 8U, 12U, 16U, 20U}) {
    EXPECT_EQ(images.find_chunk(first).skipped, 0U) << first;
    EXPECT_GT(images.find_chunk(first).bytes, 0U) << first;
  }
}

TEST_F(CompressedRows, AreStoredAsTheLibraryWouldStoreThem) {
  const auto dataset = test::patterned_dataset(21, {3, 16, 16});
  const auto path = write(*dataset, 8, {.threads = 2});
  const auto by_library = home_ / "by-library.h5";
  write_by_library(by_library, *dataset, 8, values_of(*dataset));
  for (const hsize_t first : {0U, 8U, 16U}) {
    EXPECT_TRUE(stored_chunk(path, first) == stored_chunk(by_library, first)) << first;
    EXPECT_FALSE(stored_chunk(path, first).empty()) << first;
  }
}

TEST(ChunksAtOnce, GiveEveryThreadAMebibyteAndTakeAtMostAQuarterOfAGibibyteOrOneChunk) {
  constexpr std::size_t kMebi = std::size_t{1} << 20;
  EXPECT_EQ(chunks_at_once(1, 1), kMebi);
  EXPECT_EQ(chunks_at_once(kMebi / 4, 2), 8U);
  EXPECT_EQ(chunks_at_once(3 * kMebi, 2), 2U);
  EXPECT_EQ(chunks_at_once(16 * kMebi, 64), 16U);
  EXPECT_EQ(chunks_at_once(1024 * kMebi, 64), 1U);
}

// 777 rows of 4096 bytes are 12 chunks of 64 rows and a part of one. One thread takes 4 chunks at a time, four threads
// take all 13 at once.
TEST_F(CompressedRows, MakeTheSameFileWhateverTheThreadsAndTheRowsPerCall) {
  const auto dataset = test::patterned_dataset(777, {1, 64, 64});
  const auto path = write(*dataset, 64, {.threads = 1, .at_a_time = 1});
  const std::string expected = test::bytes_of(path);
  EXPECT_TRUE(LibraryView(path).values == values_of(*dataset));
  EXPECT_LT(expected.size(), 777U * 4096U / 4U);
  for (const Way& way : {Way{1, 100}, Way{1, 777}, Way{2, 64}, Way{3, 255}, Way{4, 777}}) {
    EXPECT_TRUE(test::bytes_of(write(*dataset, 64, way)) == expected)
        << way.threads << " threads, " << way.at_a_time << " rows per call";
  }
}

TEST_F(CompressedRows, AreRefusedBeyondTheLast) {
  const auto path = home_ / "a.h5";
  Hdf5Writer writer(path, path);
  writer.begin("images", std::vector<std::uint64_t>{4, 100}, {.chunk_rows = 2, .gzip_level = 4});
  writer.append(std::vector<std::byte>(300));
  const auto refused = test::failed("cannot write " + path.string() + ": too many rows");
  EXPECT_EQ(test::thrown_by([&] { writer.append(std::vector<std::byte>(200)); }), refused);
  writer.append(std::vector<std::byte>(100));
  EXPECT_EQ(test::thrown_by([&] { writer.append(std::vector<std::byte>(100)); }), refused);
}

TEST_F(CompressedRows, AreNotLostIfSomeAreMissing) {
  const auto path = home_ / "a.h5";
  Hdf5Writer writer(path, path);
  writer.begin("images", std::vector<std::uint64_t>{4, 100}, {.chunk_rows = 2, .gzip_level = 4});
  writer.append(std::vector<std::byte>(300));
  EXPECT_EQ(test::thrown_by([&] { writer.close(); }), test::failed("cannot write " + path.string() + ": too few rows"));
}

TEST(Hdf5Dataset, RefusesATruncatedFileWithoutBlamingOtherPrograms) {
  const test::TemporaryDirectory home;
  const auto path = home / "a.h5";
  write_rows(path);
  const auto bytes = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, 5000);
  EXPECT_EQ(test::thrown_by([&] { Hdf5Dataset(path, "images"); }),
            test::failed("cannot open " + path.string() + ": truncated file, 5000 bytes of " + std::to_string(bytes)));
}

}  // namespace
}  // namespace loadline
