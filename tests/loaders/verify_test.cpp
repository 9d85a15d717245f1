#include "loaders/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/datasets.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/hdf5_files.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/jpegs.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Verify : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) const { test::write(home_ / name, bytes); }
  static std::string jpeg(std::uint64_t seed) {
    const auto bytes = test::jpeg_of(test::photo({.height = 40, .width = 50}, 3, seed));
    return {bytes.begin(), bytes.end()};
  }
  Verification found() const { return *verify(*open_dataset(home_.path(), {})); }
  static std::vector<std::string> reasons(const Verification& found) {
    std::vector<std::string> texts;
    for (const SampleFault& fault : found.faults) texts.push_back(fault.reason);
    return texts;
  }
  static std::vector<std::pair<std::string, std::string>> pairs(const Duplicates& duplicates) {
    std::vector<std::pair<std::string, std::string>> names;
    for (const Duplicate& duplicate : duplicates.first) names.emplace_back(duplicate.name, duplicate.same_as);
    return names;
  }
  std::string path(const std::string& name) const { return (home_ / name).string(); }

  const test::TemporaryDirectory home_;
};

TEST_F(Verify, FindsNothingWrongWithSoundImages) {
  for (int i = 0; i < 40; ++i) put("a/" + std::to_string(i) + ".jpg", jpeg(static_cast<std::uint64_t>(i)));
  put("b/pixels.ppm", "P6\n4 4\n255\n" + std::string(48, 'x'));
  const Verification verified = found();
  EXPECT_THAT(reasons(verified), IsEmpty());
  EXPECT_EQ(verified.duplicate_samples.count, 0U);
  EXPECT_EQ(verified.duplicate_files.count, 0U);
  EXPECT_THAT(verified.empty_classes, IsEmpty());
}

TEST_F(Verify, NamesEveryInvalidImage) {
  put("a/1-sound.jpg", jpeg(1));
  put("a/2-cut.jpg", jpeg(2).substr(0, 700));
  put("a/3-empty.jpg", "");
  put("a/4-text.jpg", "this is no photograph");
  put("a/5-cut.ppm", "P6\n4 4\n255\n" + std::string(20, 'x'));
  EXPECT_THAT(reasons(found()),
              ElementsAre(path("a/2-cut.jpg") + ": cannot decode JPEG: truncated: its end-of-image marker is missing",
                          path("a/3-empty.jpg") + ": cannot decode image: 0 bytes",
                          path("a/4-text.jpg") + ": cannot decode image: damaged, or of a format unknown to OpenCV",
                          HasSubstr(path("a/5-cut.ppm") + ": cannot decode image: ")));
}

TEST_F(Verify, FindsDamageBelowTheFirstRows) {
  std::string damaged = jpeg(1);
  put("a/1.jpg", damaged.erase(damaged.size() - 202, 200));
  EXPECT_THAT(reasons(found()), ElementsAre(HasSubstr("cannot decode JPEG: ")));
}

TEST_F(Verify, NamesDuplicateImages) {
  put("a/1.jpg", jpeg(1));
  put("a/2.jpg", jpeg(2));
  put("b/3.jpg", jpeg(1));
  const Verification verified = found();
  EXPECT_EQ(verified.duplicate_samples.count, 1U);
  EXPECT_THAT(pairs(verified.duplicate_samples), ElementsAre(std::pair(path("b/3.jpg"), path("a/1.jpg"))));
  EXPECT_EQ(verified.duplicate_files.count, 0U) << "each file is a sample";
}

TEST_F(Verify, NamesDuplicateFiles) {
  put("data_batch_1.bin", test::cifar10({1, 2}));
  put("data_batch_2.bin", test::cifar10({2, 1}));
  put("data_batch_3.bin", test::cifar10({1, 2}));
  const Verification verified = found();
  EXPECT_EQ(verified.duplicate_files.count, 1U);
  EXPECT_THAT(pairs(verified.duplicate_files),
              ElementsAre(std::pair(path("data_batch_3.bin"), path("data_batch_1.bin"))));
  EXPECT_THAT(verified.empty_classes, ElementsAre(0, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(Verify, NamesDuplicatePixels) {
  put("train-images-idx3-ubyte", test::idx_header({5, 1, 2}) + "aabbaaccaa");
  put("train-labels-idx1-ubyte", test::idx_labels({0, 1, 2, 3, 4}));
  const Verification verified = found();
  EXPECT_EQ(verified.duplicate_samples.count, 2U);
  const std::string of_file = " of " + path("train-images-idx3-ubyte");
  EXPECT_THAT(pairs(verified.duplicate_samples), ElementsAre(std::pair("sample 2" + of_file, "sample 0" + of_file),
                                                             std::pair("sample 4" + of_file, "sample 0" + of_file)));
}

TEST_F(Verify, NamesOnlyTheFirstOfManyDuplicates) {
  put("train-images-idx3-ubyte", test::idx_header({1000, 1, 1}) + std::string(1000, 'a'));
  put("train-labels-idx1-ubyte", test::idx_header({1000}) + std::string(1000, '\0'));
  const Verification verified = found();
  EXPECT_EQ(verified.duplicate_samples.count, 999U);
  EXPECT_EQ(verified.duplicate_samples.first.size(), kMostDuplicatesNamed);
  EXPECT_EQ(verified.duplicate_samples.first[15].name, "sample 16 of " + path("train-images-idx3-ubyte"));
}

TEST_F(Verify, NamesEveryCorruptChunk) {
  const fs::path chunks = home_ / "chunks.h5";
  test::write_hdf5(chunks, *test::patterned_dataset(40, {1, 16, 16}), {.chunk_rows = 4, .gzip_level = 6});
  std::string bytes = test::bytes_of(chunks);
  for (const std::uint64_t first : {8U, 36U}) {
    const auto place = Hdf5Dataset(chunks, "images").find_chunk(first);
    bytes.replace(static_cast<std::size_t>(place.offset_bytes), place.bytes, place.bytes, '\xff');
  }
  put("chunks.h5", bytes);
  const auto verified = verify(*open_dataset(chunks, {}));
  std::vector<SampleIndex> indices;
  for (const SampleFault& fault : verified->faults) indices.push_back(fault.index);
  EXPECT_THAT(indices, ElementsAre(8, 9, 10, 11, 36, 37, 38, 39));
  EXPECT_EQ(verified->faults[3].reason, "cannot read " + chunks.string() + ": the chunk at sample 8 is corrupt");
  EXPECT_EQ(verified->faults[4].reason, "cannot read " + chunks.string() + ": the chunk at sample 36 is corrupt");
  EXPECT_EQ(verified->duplicate_samples.count, 0U) << "what cannot be read equals nothing";
}

TEST_F(Verify, NamesAPlainSampleThatCannotBeRead) {
  const auto sound = test::patterned_dataset(20);
  const auto verified = verify(test::FailingDataset(*sound, 17));
  EXPECT_THAT(reasons(*verified), ElementsAre("cannot read shard.bin: sample 17 is corrupt"));
  EXPECT_EQ(verified->faults.front().index, 17U);
}

TEST_F(Verify, EndsIfStorageVanishes) {
  const auto sound = test::patterned_dataset(20);
  const test::VanishingDataset vanishing(*sound, 7);
  EXPECT_EQ(test::thrown_by([&] { verify(vanishing); }),
            test::failed("cannot read shard.bin: the page at byte 4096 is gone"));
}

TEST_F(Verify, EndsIfAFileOfEncodedImagesWasCut) {
  for (int i = 0; i < 20; ++i) put("photos/a/" + std::to_string(i) + ".jpg", jpeg(static_cast<std::uint64_t>(i)));
  test::write_packed(home_ / "packed.h5", *open_dataset(home_ / "photos", {}));
  const auto packed = open_dataset(home_ / "packed.h5", {});
  fs::resize_file(home_ / "packed.h5", fs::file_size(home_ / "packed.h5") / 2);
  EXPECT_THAT(test::thrown_by([&] { verify(*packed); }).message,
              testing::StartsWith("cannot read " + path("packed.h5") + ": "));
}

TEST_F(Verify, NamesAFileOnceThatCannotBeOpened) {
  put("a/1.jpg", jpeg(1));
  put("a/2.jpg", jpeg(2));
  const auto dataset = open_dataset(home_.path(), {});
  fs::remove(home_ / "a/2.jpg");
  EXPECT_THAT(reasons(*verify(*dataset)),
              ElementsAre("cannot open " + path("a/2.jpg") + ": No such file or directory"));
}

TEST_F(Verify, DecodesImagesPackedIntoOneFile) {
  put("photos/a/1.jpg", jpeg(1));
  put("photos/b/2.jpg", "none");
  test::write_packed(home_ / "packed.h5", *open_dataset(home_ / "photos", {}));
  const auto verified = verify(*open_dataset(home_ / "packed.h5", {}));
  EXPECT_THAT(reasons(*verified), ElementsAre("sample 1 of " + path("packed.h5") +
                                              ": cannot decode image: damaged, or of a format unknown to OpenCV"));
}

TEST_F(Verify, StopsWhenAskedTo) {
  put("a/1.jpg", jpeg(1));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(verify(*open_dataset(home_.path(), {}), {}, stop.get_token()));
}

}  // namespace
}  // namespace loadline
