#include "loaders/datasets/datasets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/residency.h"
#include "loaders/datasets/text.h"
#include "loaders/datasets/tokens.h"
#include "loaders/datasets/volume.h"
#include "loaders/loader.h"
#include "loaders/names.h"
#include "tests/fuzz/datasets_files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/thrown.h"
#include "tests/loaders/support/volumes.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::cifar10;
using test::cifar100;
using test::gzip_of;
using test::idx_images;
using test::idx_labels;
using test::TemporaryDirectory;
using test::thrown_by;

fs::path write_idx(const fs::path& directory, const std::string& images, const std::string& labels) {
  test::write(directory / "train-images-idx3-ubyte", images);
  test::write(directory / "train-labels-idx1-ubyte", labels);
  return directory;
}

std::uint64_t fingerprint_of(const fs::path& path, const DatasetOptions& options = {}) {
  return content_fingerprint(*open_dataset(path, options));
}

TEST(DatasetFormats, HaveUniqueNamesAndASummary) {
  std::set<std::string_view> names;
  for (const DatasetFormat& row : dataset_formats()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
  }
}

TEST(DatasetFormats, HaveFuzzedFilesOrAReasonWhyNot) {
  const std::map<std::string_view, std::string_view> others{
      {"hdf5", "the target `datasets` writes its files itself"},
      {"image-folder", "its files are images, which the targets `jpeg` and `png` read"},
      {"text", "the target `documents` reads it"},
  };
  std::set<std::string_view> fuzzed;
  for (const test::FuzzedFiles& row : test::kFuzzedFiles) fuzzed.insert(row.format);
  for (const DatasetFormat& row : dataset_formats()) {
    EXPECT_NE(fuzzed.contains(row.name), others.contains(row.name)) << row.name;
  }
}

TEST(OpenDataset, RecognisesTheFormatFromTheFiles) {
  const TemporaryDirectory home;
  write_idx(home / "mnist", idx_images(1, 2, 2), idx_labels({0}));
  test::write(home / "ten/data_batch_1.bin", cifar10({0}));
  test::write(home / "hundred/train.bin", cifar100({{0, 0}}));
  EXPECT_EQ(open_dataset(home / "mnist", {})->info().format, "idx");
  EXPECT_EQ(open_dataset(home / "mnist/train-images-idx3-ubyte", {})->info().format, "idx");
  EXPECT_EQ(open_dataset(home / "ten", {})->info().format, "cifar10");
  EXPECT_EQ(open_dataset(home / "ten/data_batch_1.bin", {})->info().format, "cifar10");
  EXPECT_EQ(open_dataset(home / "hundred", {})->info().format, "cifar100");
  EXPECT_EQ(open_dataset(home / "hundred/train.bin", {})->info().format, "cifar100");
}

TEST(OpenDataset, NamesAMissingPath) {
  const TemporaryDirectory home;
  for (const char* format : {"auto", "idx", "cifar10"}) {
    EXPECT_EQ(thrown_by([&] { open_dataset(home / "nowhere", {.format = format}); }),
              test::failed("cannot open " + (home / "nowhere").string() + ": no such file or directory"));
  }
}

TEST(OpenDataset, NamesAnEmptyDirectory) {
  const TemporaryDirectory home;
  const std::string path = home.path().string();
  EXPECT_EQ(thrown_by([&] { open_dataset(path, {}); }),
            test::failed("cannot open " + path + ": the directory is empty"));
  EXPECT_EQ(thrown_by([&] { open_dataset(path, {.format = "idx"}); }),
            test::failed("cannot open " + path + ": it contains no train-images-idx3-ubyte, plain or .gz"));
  EXPECT_EQ(thrown_by([&] { open_dataset(path, {.format = "cifar10"}); }),
            test::failed("cannot open " + path + ": no data_batch_*.bin in it"));
  EXPECT_EQ(thrown_by([&] { open_dataset(path, {.format = "cifar100"}); }),
            test::failed("cannot open " + path + "/train.bin: no such file"));
}

TEST(OpenDataset, NamesAPathWithoutAKnownDataset) {
  const TemporaryDirectory home;
  test::write(home / "notes.md", "hello");
  test::write(home / "empty.data", "");
  const std::string rest = ": no known dataset in it; name its format (" + list_of(names_of(dataset_formats())) + ")";
  for (const fs::path& path : {home.path(), home / "notes.md", home / "empty.data"}) {
    EXPECT_EQ(thrown_by([&] { open_dataset(path, {}); }), test::failed("cannot open " + path.string() + rest));
  }
}

TEST(OpenDataset, NamesTheSplitsInADirectoryThatAreDatasetsOfTheirOwn) {
  const TemporaryDirectory home;
  for (const char* split : {"train", "val"}) {
    test::write(home / "arrays" / split / "images.npy", "");
    test::write(home / "files" / (std::string(split) + ".h5"), "");
  }
  test::write(home / "files" / "notes.md", "hello");
  const auto refusal = [&](const std::string& name, const std::string& ending) {
    const std::string path = (home / name).string();
    EXPECT_EQ(thrown_by([&] { open_dataset(path, {}); }),
              test::failed("cannot open " + path + ": it is no dataset itself; give the path of one in it: " + path +
                           "/train" + ending + " or " + path + "/val" + ending));
  };
  refusal("arrays", "");
  refusal("files", ".h5");
}

TEST(OpenDataset, WantsPhotographsInDirectoriesOfTheirClasses) {
  const TemporaryDirectory home;
  for (const fs::path& loose : {home / "all" / "1.jpg", home / "split" / "train" / "1.jpg"}) {
    test::write(loose, "");
    const fs::path data = home / loose.lexically_relative(home.path()).begin()->string();
    EXPECT_EQ(thrown_by([&] { open_dataset(data, {}); }),
              test::failed("cannot open " + data.string() + ": no known dataset in it: " + loose.string() +
                           " is in no directory of a class; photographs want one directory per class, even if it is "
                           "just one directory for all of them"));
  }
}

TEST(OpenDataset, RefusesAnUnknownFormat) {
  const TemporaryDirectory home;
  EXPECT_EQ(
      thrown_by([&] { open_dataset(home.path(), {.format = "cifar1"}); }),
      test::usage("format 'cifar1': want one of " + list_of(names_of(dataset_formats())) + " (did you mean cifar10?)"));
}

TEST(OpenDataset, HoldsTheSameInMemoryAsMapped) {
  const TemporaryDirectory home;
  write_idx(home / "mnist", idx_images(5, 3, 4), idx_labels({1, 2, 3, 4, 5}));
  test::write(home / "ten/data_batch_1.bin", cifar10({1, 2}));
  test::write(home / "ten/data_batch_2.bin", cifar10({3}));
  test::write(home / "hundred/train.bin", cifar100({{1, 2}, {3, 4}}));
  for (const char* name : {"mnist", "ten", "hundred"}) {
    const auto mapped = open_dataset(home / name, {});
    const auto resident = open_dataset(home / name, {.in_memory = true});
    EXPECT_EQ(mapped->info().access, Access::kMapped);
    EXPECT_EQ(resident->info().access, Access::kResident);
    EXPECT_EQ(resident->info().format, mapped->info().format);
    EXPECT_EQ(resident->info().files, mapped->info().files);
    EXPECT_EQ(resident->info().classes, mapped->info().classes);
    EXPECT_EQ(resident->info().stored_bytes, mapped->info().stored_bytes);
    EXPECT_TRUE(std::ranges::equal(resident->labels(), mapped->labels()));
    EXPECT_EQ(test::samples_of(*resident), test::samples_of(*mapped)) << name;
  }
}

TEST(OpenDataset, NeedsNoFilesOnceInMemory) {
  const TemporaryDirectory home;
  const fs::path file = test::write(home / "a.bin", cifar10({1, 2}));
  const auto dataset = open_dataset(file, {.in_memory = true});
  fs::resize_file(file, 0);
  EXPECT_EQ(test::sample_of(*dataset, 1)[0], 10);
  dataset->check_intact();
}

TEST(Dataset, ConvertsToItsOwnKindOnly) {
  const TemporaryDirectory home;
  const auto images = open_dataset(test::write(home / "images.bin", cifar10({1})), {});
  const auto tokens = open_dataset(test::write(home / "tokens.bin", "12345678"), {.format = "tokens"});
  const auto text = open_dataset(test::write(home / "lines.txt", "a line\n"), {});
  test::write_npy_volume(home / "npy", {.edge = 4, .input_channels = 1, .target_channels = 1});
  const auto volume = open_dataset(home / "npy", {});
  EXPECT_EQ(tokens->as_tokens(), tokens.get());
  EXPECT_EQ(text->as_text(), text.get());
  EXPECT_EQ(volume->as_volume(), volume.get());
  for (const auto* other : {images.get(), text.get(), volume.get()}) EXPECT_EQ(other->as_tokens(), nullptr);
  for (const auto* other : {images.get(), tokens.get(), volume.get()}) EXPECT_EQ(other->as_text(), nullptr);
  for (const auto* other : {images.get(), tokens.get(), text.get()}) EXPECT_EQ(other->as_volume(), nullptr);
}

// Returns the message of check_abilities() for each format that refuses these options at `path`.
std::map<std::string_view, std::string> refusals_of(const DatasetOptions& options, const fs::path& path = "data") {
  std::map<std::string_view, std::string> refusals;
  for (const DatasetFormat& format : dataset_formats()) {
    const std::string why = thrown_by([&] { check_abilities(format, path, options); }).message;
    if (!why.empty()) refusals[format.name] = why;
  }
  return refusals;
}

std::vector<std::string_view> that_take(const DatasetOptions& options, const fs::path& path = "data") {
  const auto refusals = refusals_of(options, path);
  std::vector<std::string_view> formats;
  for (const DatasetFormat& format : dataset_formats()) {
    if (!refusals.contains(format.name)) formats.push_back(format.name);
  }
  return formats;
}

TEST(Abilities, ComeFromTheRowOfEachFormat) {
  using testing::ElementsAre;
  EXPECT_THAT(that_take({}), testing::SizeIs(dataset_formats().size()));
  EXPECT_THAT(that_take({.labels = LabelKind::kCoarse}), ElementsAre("cifar100"));
  EXPECT_THAT(that_take({.read = FileRead::kMmap}), ElementsAre("image-folder"));
  EXPECT_THAT(that_take({.read = FileRead::kUring}), ElementsAre("image-folder"));
  EXPECT_THAT(that_take({.hdf5_images = "mine"}), ElementsAre("hdf5"));
  EXPECT_THAT(that_take({.access = Access::kRows}), ElementsAre("hdf5"));
  EXPECT_THAT(that_take({.access = Access::kRows}, "data.h5"), ElementsAre("volume", "hdf5"));
  EXPECT_THAT(that_take({.access = Access::kChunks}, "data.h5"), ElementsAre("hdf5"));
  EXPECT_THAT(that_take({.sequence_length = 4, .sequences = Sequences::kRandom}),
              testing::Not(testing::Contains("text")));
  EXPECT_THAT(that_take({.sequence_length = 4, .sequences = Sequences::kPacked}),
              testing::Not(testing::Contains("tokens")));
}

TEST(Abilities, SayWhereASecondSplitMayBe) {
  using testing::Contains;
  using testing::Not;
  const TemporaryDirectory home;
  const auto of_a_file = that_take({.split = Split::kTest}, "file");
  const auto of_a_directory = that_take({.split = Split::kTest}, home.path());
  EXPECT_THAT(that_take({.split = Split::kTest}, "arrays.npz"), testing::ElementsAre("npy"));
  for (const char* format :
       {"idx", "cifar10", "cifar100", "npy", "tokens", "webdataset", "tfrecord", "image-folder", "text"}) {
    EXPECT_THAT(of_a_file, Not(Contains(format)));
    EXPECT_THAT(of_a_directory, Contains(format));
  }
  for (const char* format : {"volume", "hdf5"}) {
    EXPECT_THAT(of_a_file, Not(Contains(format)));
    EXPECT_THAT(of_a_directory, Not(Contains(format)));
  }
}

TEST(Abilities, AreNamedIfAnOptionExceedsThem) {
  EXPECT_EQ(refusals_of({.labels = LabelKind::kCoarse})["idx"], "coarse labels: data has none, only cifar100 does");
  EXPECT_EQ(refusals_of({.split = Split::kTest})["tokens"], "split test: data is one file, so it has one split only");
  EXPECT_EQ(refusals_of({.split = Split::kTest})["hdf5"],
            "split test: data has one split only, as every dataset of format hdf5 does; keep the other split at "
            "its own path");
  EXPECT_EQ(refusals_of({.read = FileRead::kUring})["tfrecord"],
            "--read uring: data is not an image folder; its format is tfrecord");
  EXPECT_EQ(refusals_of({.access = Access::kBlocks}, "data.h5")["volume"],
            "cannot open data.h5: its format is volume, which cannot be read this way (hdf5-blocks): use --loader "
            "hdf5-mmap or hdf5");
  EXPECT_EQ(
      refusals_of({.sequence_length = 4, .sequences = Sequences::kPadded})["tokens"],
      "data holds tokens, whose sequences are random, consecutive or documents, not padded; use --workload tokens");
}

TEST(Abilities, NameTheLoaderThatReadsEachWay) {
  for (const LoaderKind& kind : loaders()) {
    if (!kind.access) continue;
    const std::array only{*kind.access};
    const DatasetFormat format{.name = "mine",
                               .summary = "",
                               .recognises = nullptr,
                               .open = nullptr,
                               .abilities = {.accesses = only}};  // every path counts as HDF5
    const Access other = *kind.access == Access::kRows ? Access::kMapped : Access::kRows;
    EXPECT_THAT(thrown_by([&] { check_abilities(format, "data", {.access = other}); }).message,
                testing::EndsWith(": use --loader " + std::string(kind.name)));
  }
}

TEST(ContentFingerprint, IsEqualHoweverTheSamplesAreStored) {
  const TemporaryDirectory home;
  const auto plain = write_idx(home / "plain", idx_images(3, 2, 2), idx_labels({1, 2, 3}));
  test::write(home / "packed/train-images-idx3-ubyte.gz", gzip_of(idx_images(3, 2, 2)));
  test::write(home / "packed/train-labels-idx1-ubyte.gz", gzip_of(idx_labels({1, 2, 3})));
  EXPECT_EQ(fingerprint_of(plain), fingerprint_of(home / "packed"));
  EXPECT_EQ(fingerprint_of(plain), fingerprint_of(plain, {.in_memory = true}));
}

TEST(ContentFingerprint, IsEqualHoweverTheSamplesAreFormatted) {
  const TemporaryDirectory home;
  const auto ten = test::write(home / "ten.bin", cifar10({1, 2}));
  const auto hundred = test::write(home / "hundred.bin", cifar100({{5, 1}, {6, 2}}));
  EXPECT_EQ(fingerprint_of(ten), fingerprint_of(hundred));
}

TEST(ContentFingerprint, DiffersWithOneByteOneLabelOrTheShape) {
  const TemporaryDirectory home;
  std::string touched = idx_images(3, 2, 2);
  touched.back() ^= 1;
  const std::set<std::uint64_t> fingerprints{
      fingerprint_of(write_idx(home / "a", idx_images(3, 2, 2), idx_labels({1, 2, 3}))),
      fingerprint_of(write_idx(home / "b", touched, idx_labels({1, 2, 3}))),
      fingerprint_of(write_idx(home / "c", idx_images(3, 2, 2), idx_labels({1, 2, 4}))),
      fingerprint_of(write_idx(home / "d", idx_images(3, 1, 4), idx_labels({1, 2, 3}))),
      fingerprint_of(write_idx(home / "e", idx_images(2, 2, 2), idx_labels({1, 2})))};
  EXPECT_EQ(fingerprints.size(), 5U);
}

TEST(ContentFingerprint, NamesAFileThatWasTruncated) {
  const TemporaryDirectory home;
  const fs::path file = test::write(home / "a.bin", cifar10({1, 2, 3, 4}));
  const auto dataset = open_dataset(file, {});
  fs::resize_file(file, 0);
  EXPECT_THAT(thrown_by([&] { content_fingerprint(*dataset); }).message,
              testing::StartsWith("cannot read " + file.string() + ": the page at byte "));
}

TEST(PageCacheResidency, CountsAllFilesOfADataset) {
  const TemporaryDirectory home;
  test::write(home / "data_batch_1.bin", cifar10({1, 2}));  // 6146 bytes: two pages of 4096
  test::write(home / "data_batch_2.bin", cifar10({3}));     // one page
  const auto dataset = open_dataset(home.path(), {});
  const Residency residency = page_cache_residency(*dataset);
  EXPECT_EQ(residency.pages, 3U);
  EXPECT_EQ(residency.resident_pages, 3U);
}

}  // namespace
}  // namespace loadline
