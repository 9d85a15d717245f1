#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/formats.h"
#include "tests/loaders/datasets/hdf5_fixture.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::Hdf5;
using test::kImpossibleAddresses;
using testing::HasSubstr;
using testing::StartsWith;
using Bytes = std::vector<std::uint8_t>;
using Extents = test::Hdf5Extents;
using Setting = test::Hdf5Setting;

TEST_F(Hdf5, MapsImagesThatLieInOnePiece) {
  put("images", {3, 1, 2, 2});
  put("labels", {3}, H5T_STD_I64BE);
  const auto dataset = open();
  EXPECT_EQ(dataset->info().format, "hdf5");
  EXPECT_EQ(dataset->info().samples, 3U);
  EXPECT_EQ(dataset->info().shape, (ImageShape{1, 2, 2}));
  EXPECT_EQ(dataset->info().classes, 3U);
  EXPECT_EQ(dataset->info().access, Access::kMapped);
  EXPECT_EQ(dataset->info().files, std::vector{path_});
  EXPECT_THAT(dataset->labels(), testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(test::samples_of(*dataset), (std::vector<Bytes>{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
}

TEST_F(Hdf5, NamesALabelOutOfRangeAsItIsStored) {
  put("images", {3, 1, 2, 2});
  const std::uint64_t large = std::uint64_t{1} << 63;
  claim("labels", 3, H5T_STD_U64LE,
        [&](hid_t properties) { H5Pset_fill_value(properties, H5T_NATIVE_UINT64, &large); });
  const std::int64_t negative = -5;
  claim("others", 3, H5T_STD_I64LE,
        [&](hid_t properties) { H5Pset_fill_value(properties, H5T_NATIVE_INT64, &negative); });
  EXPECT_THAT(refusal().message,
              testing::HasSubstr("label 9223372036854775808 of sample 0 is out of range, want 0 to 2147483647"));
  EXPECT_THAT(refusal({.hdf5_labels = "others"}).message,
              testing::HasSubstr("label -5 of sample 0 is out of range, want 0 to 2147483647"));
}

TEST_F(Hdf5, TakesThreeExtentsForOneChannel) {
  put("images", {2, 5, 4});
  put("labels", {2});
  EXPECT_EQ(open()->info().shape, (ImageShape{1, 5, 4}));
}

TEST_F(Hdf5, TakesTheLastExtentForTheChannelsIfOnlyItCanBe) {
  struct Case {
    Extents extents;
    ImageShape shape;
    bool channels_last;
  };
  for (const Case& one : {Case{{2, 6, 5, 3}, {3, 6, 5}, true}, Case{{2, 5, 5, 4}, {4, 5, 5}, true},
                          Case{{2, 5, 7, 1}, {1, 5, 7}, false}, Case{{2, 4, 7, 3}, {4, 7, 3}, false},
                          Case{{2, 3, 6, 5}, {3, 6, 5}, false}, Case{{2, 8, 6, 5}, {8, 6, 5}, false}}) {
    fs::remove(path_);
    put("images", one.extents);
    put("labels", {2});
    const auto dataset = open();
    EXPECT_EQ(dataset->info().shape, one.shape);
    EXPECT_EQ(dataset->info().channels_last, one.channels_last) << one.extents[1] << " x ... x " << one.extents[3];
  }
}

TEST_F(Hdf5, ReadsChannelsLastAsStoredInEveryWay) {
  const auto planes = test::patterned_dataset(21, {3, 6, 5});
  const auto pixels = test::channels_last(*planes);
  const std::uint64_t fingerprint = content_fingerprint(*planes);
  for (const bool in_chunks : {false, true}) {
    test::write_hdf5(
        path_, *pixels,
        {.chunk_rows = in_chunks ? std::optional<std::uint64_t>(4) : std::nullopt, .gzip_level = in_chunks ? 6 : 0});
    for (const Access access : {in_chunks ? Access::kChunks : Access::kMapped, Access::kRows, Access::kBlocks}) {
      const auto dataset = open(access);
      EXPECT_EQ(dataset->info().shape, (ImageShape{3, 6, 5}));
      EXPECT_TRUE(dataset->info().channels_last);
      EXPECT_EQ(test::samples_of(*dataset), test::samples_of(*pixels)) << name(access);
      EXPECT_EQ(content_fingerprint(*dataset), fingerprint) << name(access);
    }
    const auto copy = open_dataset(path_, {.in_memory = true});
    EXPECT_TRUE(copy->info().channels_last);
    EXPECT_EQ(content_fingerprint(*copy), fingerprint);
  }
}

TEST_F(Hdf5, TakesLabelsWithFurtherExtentsOfOne) {
  put("images", {3, 1, 2, 2});
  put("labels", {3, 1, 1, 1}, H5T_STD_U8LE);
  put("pairs", {3, 2});
  put("others", {1, 3});
  EXPECT_THAT(open()->labels(), testing::ElementsAre(0, 1, 2));
  EXPECT_THAT(
      refusal({.hdf5_labels = "pairs"}).message,
      testing::EndsWith("dataset 'pairs' has extents 3 x 2, want one label for each of the 3 samples of 'images'"));
  EXPECT_THAT(
      refusal({.hdf5_labels = "others"}).message,
      testing::EndsWith("dataset 'others' has extents 1 x 3, want one label for each of the 3 samples of 'images'"));
}

TEST_F(Hdf5, ReadsTheSameBytesInEveryWay) {
  const auto expected = test::patterned_dataset(21, {3, 4, 5});
  test::write_hdf5(path_, *expected);
  const std::uint64_t fingerprint = content_fingerprint(*expected);
  for (const Access access : {Access::kMapped, Access::kRows, Access::kBlocks}) {
    EXPECT_EQ(content_fingerprint(*open(access)), fingerprint) << name(access);
  }
  EXPECT_EQ(open()->info().classes, 7U);
  for (const int gzip : {0, 1, 9}) {
    test::write_hdf5(path_, *expected, {.chunk_rows = 4, .gzip_level = gzip});  // the last chunk is not full
    for (const Access access : {Access::kChunks, Access::kRows, Access::kBlocks}) {
      EXPECT_EQ(content_fingerprint(*open(access)), fingerprint) << name(access) << ", gzip " << gzip;
    }
    EXPECT_EQ(open()->info().access, Access::kChunks) << "which is what the storage suggests";
  }
}

TEST_F(Hdf5, ReadsSamplesInAnyOrderInEveryWay) {
  const auto expected = test::patterned_dataset(21, {1, 2, 3});
  const std::vector<SampleIndex> order{20, 3, 4, 5, 0, 19, 8, 7, 2};
  for (const Access access : {Access::kRows, Access::kBlocks, Access::kChunks}) {
    test::write_hdf5(path_, *expected, {.chunk_rows = 4});
    const auto dataset = open(access);
    const auto reader = dataset->make_reader(order.size());
    std::vector<StoredSample> samples(order.size());
    for (int again = 0; again < 2; ++again) {
      reader->read(order, samples);
      for (std::size_t i = 0; i < order.size(); ++i) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(samples[i].data());
        EXPECT_EQ(Bytes(bytes, bytes + samples[i].size()), test::sample_of(*expected, order[i])) << name(access);
      }
    }
  }
}

TEST_F(Hdf5, UndoesShuffleAndDeflate) {
  put("images", {9, 1, 4, 4}, H5T_STD_U8LE, [](hid_t properties) {
    const Extents chunk{2, 1, 4, 4};
    H5Pset_chunk(properties, 4, chunk.data());
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 6);
  });
  put("labels", {9});
  EXPECT_EQ(content_fingerprint(*open(Access::kChunks)), content_fingerprint(*open(Access::kRows)));
}

TEST_F(Hdf5, ChecksFletcher32) {
  const Setting checksums = [](hid_t properties) {
    const Extents chunk{2, 1, 5, 5};
    H5Pset_chunk(properties, 4, chunk.data());
    H5Pset_fletcher32(properties);
  };
  for (const bool deflates : {false, true}) {
    fs::remove(path_);
    put("images", {9, 1, 5, 5}, H5T_STD_U8LE, [&](hid_t properties) {
      if (deflates) H5Pset_deflate(properties, 6);
      checksums(properties);
    });
    put("labels", {9});
    EXPECT_EQ(content_fingerprint(*open(Access::kChunks)), content_fingerprint(*open(Access::kRows)));
    const auto place = Hdf5Dataset(path_, "images").find_chunk(4);
    std::string bytes = test::bytes_of(path_);
    bytes[place.offset_bytes + place.bytes - 6] ^= 1;  // before the checksum
    test::write(path_, bytes);
    const auto corrupt = open(Access::kChunks);
    EXPECT_EQ(test::thrown_by([&] { content_fingerprint(*corrupt); }),
              test::failed("cannot read " + path_.string() +
                           ": the chunk at sample 4 is corrupt: its checksum (fletcher32) is wrong"));
    std::vector<std::byte> row(25);
    EXPECT_THAT(test::thrown_by([&] { Hdf5Dataset(path_, "images").read_rows(4, 1, row); }).message,
                StartsWith(fmt::format("cannot read {}: 1 row from row 4: ", path_.string())));
  }
}

TEST_F(Hdf5, ReadsChunksBehindAUserBlock) {
  const auto expected = test::patterned_dataset(21, {3, 4, 5});
  for (const int gzip : {0, 6}) {
    test::write_hdf5(path_, *expected, {.chunk_rows = 4, .gzip_level = gzip});
    // HDF5 lets users put a block of their own before the file, of 512 bytes times a power of two.
    test::write(path_, std::string(512, 'u') + test::bytes_of(path_));
    EXPECT_EQ(content_fingerprint(*open(Access::kChunks)), content_fingerprint(*expected)) << "gzip " << gzip;
  }
}

TEST_F(Hdf5, NamesAChunkWithAnImpossibleAddress) {
  for (const int gzip : {0, 6}) {
    for (const std::uint64_t address : {std::uint64_t{1} << 40U, ~std::uint64_t{0} - 5}) {
      test::write_hdf5(path_, *test::patterned_dataset(8, {1, 16, 16}), {.chunk_rows = 4, .gzip_level = gzip});
      const auto place = Hdf5Dataset(path_, "images").find_chunk(4);
      std::string bytes = test::bytes_of(path_);
      bytes.replace(bytes.find(test::little_endian(place.offset_bytes)), 8, test::little_endian(address));
      test::write(path_, bytes);
      const auto dataset = open(Access::kChunks);
      EXPECT_EQ(test::thrown_by([&] { content_fingerprint(*dataset); }).message,
                "cannot read " + path_.string() + ": the chunk at sample 4 is corrupt: " + std::to_string(place.bytes) +
                    " bytes from byte " + std::to_string(address) + " on reach past the end of the file at " +
                    std::to_string(bytes.size()) + " (truncated)");
    }
  }
}

TEST_F(Hdf5, InflatesAChunkOnceForBatchesThatShareIt) {
  test::write_hdf5(path_, *test::patterned_dataset(40, {1, 16, 16}), {.chunk_rows = 4, .gzip_level = 6});
  const auto dataset = open(Access::kChunks);
  const auto one = dataset->make_reader(2);
  const auto another = dataset->make_reader(2);
  std::vector<StoredSample> samples(2);
  one->read(std::array<SampleIndex, 2>{8, 9}, samples);
  // From now on, the chunk of samples 8 to 11 cannot be inflated.
  std::string bytes = test::bytes_of(path_);
  const auto place = Hdf5Dataset(path_, "images").find_chunk(8);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(place.offset_bytes), place.bytes, '\0');
  std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << bytes;
  another->read(std::array<SampleIndex, 2>{11, 10}, samples);
  const auto expected = test::patterned_dataset(40, {1, 16, 16});
  const auto* first = reinterpret_cast<const std::uint8_t*>(samples[0].data());
  EXPECT_EQ(Bytes(first, first + samples[0].size()), test::sample_of(*expected, 11));
  dataset->forget_pages();
  EXPECT_THAT(test::thrown_by([&] {
                one->read(std::array<SampleIndex, 2>{8, 9}, samples);
              }).message,
              testing::EndsWith("the chunk at sample 8 is corrupt"));
}

TEST_F(Hdf5, ReadsCompactImagesThroughTheLibrary) {
  put("images", {3, 1, 2, 2}, H5T_STD_U8LE, [](hid_t properties) { H5Pset_layout(properties, H5D_COMPACT); });
  put("labels", {3});
  EXPECT_EQ(open()->info().access, Access::kRows);
  EXPECT_EQ(test::sample_of(*open(), 1), (Bytes{4, 5, 6, 7}));
  EXPECT_THAT(refused(Access::kMapped), HasSubstr("its storage is compact, which cannot be mapped: use --loader hdf5"));
}

TEST_F(Hdf5, RefusesToMapChunksAndNamesTheLoadersThatReadThem) {
  put("images", {4, 1, 2, 2}, H5T_STD_U8LE, [](hid_t properties) {
    const Extents chunk{2, 1, 2, 2};
    H5Pset_chunk(properties, 4, chunk.data());
    H5Pset_deflate(properties, 1);
  });
  put("labels", {4});
  EXPECT_EQ(refused(Access::kMapped),
            "dataset 'images': it is stored in chunks of 2 x 1 x 2 x 2, deflate, which cannot be mapped: use --loader "
            "hdf5-chunk or hdf5");
}

TEST_F(Hdf5, RefusesChunksThatSplitSamplesAndForeignFilters) {
  put("images", {4, 1, 2, 2}, H5T_STD_U8LE, [](hid_t properties) {
    const Extents chunk{2, 1, 1, 2};
    H5Pset_chunk(properties, 4, chunk.data());
  });
  put("labels", {4});
  EXPECT_EQ(refused(Access::kChunks),
            "dataset 'images': its chunks of 2 x 1 x 1 x 2 split the samples of 4 x 1 x 2 x 2: use --loader hdf5");
  EXPECT_EQ(open()->info().access, Access::kRows);
  fs::remove(path_);
  put("images", {4, 1, 2, 2}, H5T_STD_U8LE, [](hid_t properties) {
    const Extents chunk{2, 1, 2, 2};
    H5Pset_chunk(properties, 4, chunk.data());
    H5Pset_scaleoffset(properties, H5Z_SO_INT, H5Z_SO_INT_MINBITS_DEFAULT);
  });
  put("labels", {4});
  EXPECT_EQ(refused(Access::kChunks),
            "dataset 'images': its filter 'scaleoffset' is neither deflate, shuffle nor fletcher32: use --loader hdf5");
  fs::remove(path_);
  put("images", {4, 1, 2, 2}, H5T_STD_U8LE, [](hid_t properties) {
    const Extents chunk{2, 1, 2, 2};
    H5Pset_chunk(properties, 4, chunk.data());
    H5Pset_fletcher32(properties);
    H5Pset_deflate(properties, 1);
  });
  put("labels", {4});
  EXPECT_EQ(refused(Access::kChunks),
            "dataset 'images': its filters are in an unusual order (fletcher32, deflate): use --loader hdf5");
  EXPECT_EQ(test::sample_of(*open(), 3), (Bytes{12, 13, 14, 15}));
}

TEST_F(Hdf5, RefusesToReadChunksOfContiguousStorage) {
  put("images", {3, 1, 2, 2});
  put("labels", {3});
  EXPECT_EQ(refused(Access::kChunks),
            "dataset 'images': its storage is contiguous, not in chunks: use --loader hdf5-mmap or hdf5");
}

TEST_F(Hdf5, RefusesCompoundTypesByName) {
  const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const Extents extents{3, 2, 2};
  const hid_t space = H5Screate_simple(3, extents.data(), nullptr);
  const hid_t pixel = H5Tcreate(H5T_COMPOUND, 2);
  H5Tinsert(pixel, "red", 0, H5T_STD_U8LE);
  H5Tinsert(pixel, "green", 1, H5T_STD_U8LE);
  H5Dclose(H5Dcreate2(file, "images", pixel, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Tclose(pixel);
  H5Sclose(space);
  H5Fclose(file);
  put("labels", {3});
  EXPECT_EQ(refused(), "dataset 'images' is compound, want images of u8");
}

TEST_F(Hdf5, RefusesToMapADatasetThatWasNeverWritten) {
  const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const Extents extents{3, 1, 2, 2};
  const hid_t space = H5Screate_simple(4, extents.data(), nullptr);
  H5Dclose(H5Dcreate2(file, "images", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  H5Fclose(file);
  put("labels", {3});
  EXPECT_THAT(refused(), HasSubstr("the file has no space allocated for it"));
}

TEST_F(Hdf5, RefusesOtherTypesAndExtents) {
  struct Case {
    Extents extents;
    hid_t type;
    const char* message;
  };
  for (const Case& one :
       {Case{{3, 1, 2, 2}, H5T_IEEE_F32BE, "is f32 big-endian, want images of u8"},
        Case{{3, 1, 2, 2}, H5T_STD_I8LE, "is i8, want images of u8"},
        Case{{3, 4},
             H5T_STD_U8LE,
             "has extents 3 x 4, want samples x channels x height x width, samples x height x width x channels or "
             "samples x height x width"},
        Case{{0, 1, 2, 2}, H5T_STD_U8LE, "holds no samples"}}) {
    fs::remove(path_);
    put("images", one.extents, one.type);
    put("labels", {3});
    EXPECT_EQ(refused(), std::string("dataset 'images' ") + one.message);
  }
}

TEST_F(Hdf5, NamesTheDatasetsInTheFile) {
  put("pictures", {3, 1, 2, 2});
  put("labels", {3});
  EXPECT_EQ(refused(), "no dataset 'images' in it, only labels, pictures");
  EXPECT_EQ(open_dataset(path_, {.hdf5_images = "/pictures"})->info().samples, 3U);
}

TEST_F(Hdf5, RefusesLabelsThatDoNotFit) {
  put("images", {3, 1, 2, 2});
  EXPECT_EQ(refused(), "no dataset 'labels' in it, only images");
  put("labels", {4});
  EXPECT_EQ(refused(), "dataset 'labels' has extents 4, want one label for each of the 3 samples of 'images'");
  put("fractions", {3}, H5T_IEEE_F64LE);
  EXPECT_THAT(refusal({.hdf5_labels = "fractions"}).message,
              HasSubstr("labels must be whole numbers, but these are f64"));
}

TEST_F(Hdf5, RefusesMoreClassesThanMemoryCouldCount) {
  const auto refused_with = [&](std::int32_t label, std::uint64_t classes) {
    Hdf5Writer writer(path_, path_);
    writer.begin("images", std::array<std::uint64_t, 4>{1, 1, 2, 2}, {});
    writer.append(std::array<std::byte, 4>{});
    writer.write_labels("labels", std::array{label}, classes);
    writer.close();
    return refused();
  };
  EXPECT_EQ(refused_with(0, std::uint64_t{1} << 62),
            "attribute 'classes' of dataset 'labels' says 4611686018427387904, want at most 16777216");
  EXPECT_EQ(refused_with(16'777'216, 0), "label 16777216 in dataset 'labels' is out of range, want 0 to 16777215");
  EXPECT_EQ(refused_with(0, 16'777'216), "");
}

TEST_F(Hdf5, RefusesOtherFilesAndTruncatedOnes) {
  test::write(path_, "an essay");
  EXPECT_EQ(refused(), "not an HDF5 file");
  fs::remove(path_);
  put("images", {100, 1, 16, 16});
  put("labels", {100});
  fs::resize_file(path_, fs::file_size(path_) - 5000);
  EXPECT_THAT(refused(), HasSubstr("truncated file"));
}

TEST_F(Hdf5, RefusesImagesAtImpossibleAddresses) {
  for (const std::uint64_t address : kImpossibleAddresses) {
    fs::remove(path_);
    put("images", {3, 1, 2, 2});
    put("labels", {3});
    test::claim_address(path_, "images", address);
    EXPECT_NE(refused(Access::kMapped), "") << address;
    for (const auto access : {Access::kRows, Access::kBlocks}) {
      EXPECT_NE(test::thrown_by([&] { content_fingerprint(*open(access)); }).message, "") << address;
    }
  }
}

TEST_F(Hdf5, RefusesAFileThatIsOpenForWriting) {
  put("images", {3, 1, 2, 2});
  put("labels", {3});
  // To flock(2), another open of the file counts as another process.
  const int other = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  EXPECT_THAT(refused(), HasSubstr("another program has it open for writing"));
  ::close(other);
}

TEST_F(Hdf5, NamesTheSampleWhoseChunkIsCorrupt) {
  const auto expected = test::patterned_dataset(8, {1, 16, 16});
  test::write_hdf5(path_, *expected, {.chunk_rows = 4, .gzip_level = 6});
  std::string bytes = test::bytes_of(path_);
  const std::size_t block = bytes.rfind("\x78\x5e");  // a zlib header; level 6 writes this one or the next
  const std::size_t other = bytes.rfind("\x78\x9c");
  const std::size_t at = other != std::string::npos ? other : block;
  ASSERT_NE(at, std::string::npos);
  bytes[at + 20] = static_cast<char>(~bytes[at + 20]);
  test::write(path_, bytes);
  const auto dataset = open(Access::kChunks);
  const std::string message = test::thrown_by([&] { content_fingerprint(*dataset); }).message;
  EXPECT_THAT(message, StartsWith("cannot read " + path_.string() + ": the chunk at sample "));
  EXPECT_THAT(message, testing::EndsWith(" is corrupt"));
}

TEST_F(Hdf5, RefusesATestSplitAndCoarseLabels) {
  put("images", {3, 1, 2, 2});
  put("labels", {3});
  EXPECT_EQ(refusal({.split = Split::kTest}),
            test::usage("split test: " + path_.string() +
                        " has one split only, as every dataset of format hdf5 does; keep the other split at "
                        "its own path"));
  EXPECT_EQ(refusal({.labels = LabelKind::kCoarse}),
            test::usage("coarse labels: " + path_.string() + " has none, only cifar100 does"));
}

TEST_F(Hdf5, IsTheOnlyFormatReadByItsLoaders) {
  const auto other = test::write(home_ / "ten" / "data_batch_1.bin", std::string(3073, '\1'));
  EXPECT_EQ(
      test::thrown_by([&] { open_dataset(other, {.access = Access::kRows}); }).message,
      "cannot open " + other.string() +
          ": its format is cifar10, and only HDF5 can be read this way (hdf5-rows); `loadline data convert` makes a "
          "copy in HDF5");
  EXPECT_EQ(
      test::thrown_by([&] { open_dataset(other, {.hdf5_images = "mine"}); }).message,
      "--hdf5-images and --hdf5-labels: they are for format hdf5, but the format of " + other.string() + " is cifar10");
}

TEST_F(Hdf5, IsRecognisedByItsFirstBytesWhateverItsName) {
  put("images", {3, 1, 2, 2});
  put("labels", {3});
  const fs::path bare = home_ / "bare";
  fs::copy_file(path_, bare);
  EXPECT_EQ(open_dataset(bare, {})->info().format, "hdf5");
  EXPECT_EQ(open_dataset(bare, {.access = Access::kRows})->info().samples, 3U);
  for (const char* other : {"", "\x89HDF", "\x89HDF\r\n\x1a.", "HDF"}) {
    test::write(bare, other);
    EXPECT_FALSE(recognises_hdf5(bare)) << other;
  }
}

}  // namespace
}  // namespace loadline
