#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/formats.h"
#include "loaders/datasets/image_listing.h"
#include "loaders/datasets/shards.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/shard_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::tar_end;
using test::tar_file;
using test::tar_sample;
using testing::ElementsAre;
using testing::HasSubstr;

class WebDatasetFormat : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) const { test::write(home_ / name, bytes); }
  std::unique_ptr<Dataset> open(const DatasetOptions& options = {}) const {
    return open_dataset(home_.path(), options);
  }
  test::Thrown refusal(const DatasetOptions& options = {}) const {
    return test::thrown_by([&] { open(options); });
  }
  // Returns the refusal of a directory with only this shard.
  std::string refusal_of(const std::string& shard) const {
    put("a.tar", shard);
    return refusal().message;
  }
  std::string text(const Dataset& dataset, SampleIndex index) const {
    StoredSample sample;
    dataset.make_reader(1)->read({&index, 1}, {&sample, 1});
    return {reinterpret_cast<const char*>(sample.data()), sample.size()};
  }

  const test::TemporaryDirectory home_;
};

TEST_F(WebDatasetFormat, ReadsImagesAndLabelsOfAllShardsInOrder) {
  put("b.tar", tar_sample("x/3", "third", 2, "PNG") + tar_end());
  put("a.tar", tar_file("list.txt", "no sample") + tar_sample("1", "first", 1) +
                   tar_file("2.json", R"({"caption": "a cat", "label": 4})") + tar_file("2.jpeg", "second") +
                   tar_end());
  put("notes.txt", "");
  const auto dataset = open();
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.format, "webdataset");
  EXPECT_TRUE(info.encoded);
  EXPECT_EQ(info.access, Access::kMapped);
  EXPECT_EQ(info.samples, 3U);
  EXPECT_EQ(info.classes, 5U);
  EXPECT_THAT(info.files, ElementsAre(home_ / "a.tar", home_ / "b.tar"));
  EXPECT_THAT(dataset->labels(), ElementsAre(1, 4, 2));
  EXPECT_EQ(text(*dataset, 2), "third");
  EXPECT_EQ(text(*dataset, 0), "first");
  EXPECT_EQ(text(*dataset, 1), "second");
  EXPECT_EQ(dataset->describe(2), (home_ / "b.tar").string() + ": x/3.PNG");
  EXPECT_EQ(content_fingerprint(*open({.in_memory = true})), content_fingerprint(*dataset));
}

TEST_F(WebDatasetFormat, TakesForImagesWhatAnImageFolderTakes) {
  std::string shard;
  for (const char* kind : {"jpg", "jpeg", "png", "ppm", "bmp", "pgm", "tif", "tiff", "webp"}) {
    EXPECT_TRUE(is_image_name(std::string("k.") + kind)) << kind;
    shard += tar_sample(kind, kind, 0, kind);
  }
  put("a.tar", shard + tar_file("other.seg.png", "no image: its extension is seg.png") + tar_file("other.gif", ""));
  EXPECT_EQ(open()->info().samples, 9U);
  EXPECT_EQ(text(*open(), 7), "tiff");
}

TEST_F(WebDatasetFormat, GivesAllSamplesOneClassIfNoneHasALabel) {
  put("a.tar", tar_file("1.jpg", "first") + tar_file("1.txt", "a caption") + tar_file("2.jpg", "second"));
  EXPECT_THAT(open()->labels(), ElementsAre(0, 0));
  put("b.tar", tar_sample("3", "third", 1));
  EXPECT_EQ(refusal(), test::failed("cannot open " + (home_ / "a.tar").string() +
                                    ": the sample at byte 512 has no label, but others do"));
}

TEST_F(WebDatasetFormat, FindsSplitsByTheNamesOfShardsOrOfDirectories) {
  put("imagenet-train-000000.tar", tar_sample("1", "a", 0) + tar_sample("2", "b", 0));
  put("imagenet-validation-00.tar", tar_sample("3", "c", 0));
  EXPECT_EQ(open()->info().samples, 2U);
  EXPECT_EQ(open({.split = Split::kTest})->info().samples, 1U);
  put("below/train/0.tar", tar_sample("1", "a", 0));
  put("below/val/0.tar", tar_sample("1", "a", 0) + tar_sample("2", "b", 0));
  EXPECT_EQ(open_dataset(home_ / "below", {})->info().samples, 1U);
  EXPECT_EQ(open_dataset(home_ / "below", {.split = Split::kTest})->info().samples, 2U);
  EXPECT_EQ(open_dataset(home_ / "imagenet-validation-00.tar", {})->info().samples, 1U);
  put("single/0.tar", tar_sample("1", "a", 0));
  EXPECT_THAT(test::thrown_by([&] { open_dataset(home_ / "single", {.split = Split::kTest}); }).message,
              HasSubstr("has train or val in its name, so it has one split only"));
}

TEST_F(WebDatasetFormat, RefusesCompressedShardsAndSaysWhatToDo) {
  put("a.tar", tar_sample("1", "a", 0));
  for (const char* name : {"b.tar.gz", "b.tgz"}) {
    put(name, "");
    EXPECT_EQ(refusal(), test::failed("cannot open " + (home_ / name).string() +
                                      ": it is compressed, so single samples cannot be read; uncompress the shards "
                                      "first (gunzip): gzip hardly shrinks images"));
    std::filesystem::remove(home_ / name);
  }
  EXPECT_THAT(refusal_of(test::gzip_of(tar_sample("1", "a", 0))), HasSubstr("it is compressed by gzip"));
}

TEST_F(WebDatasetFormat, RefusesInvalidSamples) {
  const std::string place = "cannot open " + (home_ / "a.tar").string() + ": sample 'k' ";
  EXPECT_EQ(refusal_of(tar_sample("k", "a", 0) + tar_file("k.png", "b")), place + "has two images, k.jpg and k.png");
  EXPECT_EQ(
      refusal_of(tar_file("k.cls", "3")),
      place + "has a label but no image (want jpg, png, ... next to cls, one after the other, in the same shard)");
  for (const char* label : {"", "cat", "-1", "1.5", "1 2"}) {
    EXPECT_EQ(refusal_of(tar_file("k.jpg", "a") + tar_file("k.cls", label)), place + "has no whole number in k.cls");
  }
  for (const char* label : {R"("7")", "1.5", "-1", "[7]", "true"}) {
    EXPECT_EQ(refusal_of(tar_file("k.jpg", "a") + tar_file("k.json", R"({"label": )" + std::string(label) + "}")),
              place + "has no whole number as 'label' in k.json");
  }
  EXPECT_EQ(refusal_of(tar_sample("k", "a", 16777216)), place + "has label 16777216 in k.cls, want less than 16777216");
  EXPECT_THAT(refusal_of(tar_file("k.jpg", "a") + tar_file("k.json", "{")), HasSubstr("a.tar: k.json"));
  EXPECT_THAT(refusal_of(tar_end()), HasSubstr("it contains no samples"));
  EXPECT_THAT(refusal_of(""), HasSubstr("it contains no samples"));
}

TEST_F(WebDatasetFormat, SavesAndLoadsAnIndexAndRefusesADamagedOne) {
  const std::filesystem::path kept = home_ / "index";
  put("a.tar", tar_sample("1", "a", 3));
  const std::vector shards{home_ / "a.tar"};
  const std::uint64_t identity = identity_of(shards, "webdataset");
  const ShardIndex index{.ends = {1}, .offsets = {512}, .bytes = {1}, .labels = {3}, .leads = {}};
  save_index(kept, identity, index);
  const auto loaded = load_index(kept, identity);
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->offsets, index.offsets);
  EXPECT_EQ(loaded->labels, index.labels);
  EXPECT_EQ(loaded->ends, index.ends);
  put("a.tar", tar_sample("1", "ab", 3));
  EXPECT_NE(identity_of(shards, "webdataset"), identity) << "another file stands there";
  EXPECT_NE(identity_of({home_ / "a.tar"}, "tfrecord"), identity_of({home_ / "a.tar"}, "webdataset"));
  EXPECT_FALSE(load_index(kept, identity + 1));
  EXPECT_FALSE(load_index(home_ / "missing", identity));
  std::string bytes = test::bytes_of(kept);
  for (const std::size_t at : {std::size_t{0}, std::size_t{17}, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] + 1);
    test::write(kept, damaged);
    EXPECT_FALSE(load_index(kept, identity)) << at;
  }
  test::write(kept, bytes.substr(0, bytes.size() - 1));
  EXPECT_FALSE(load_index(kept, identity));
}

TEST_F(WebDatasetFormat, ScansOnceAndThenUsesTheSavedIndex) {
  ::setenv("XDG_CACHE_HOME", (home_ / "cache").c_str(), 1);
  std::string shard;
  for (int i = 0; i < 4096; ++i) shard += tar_file(std::to_string(i) + ".jpg", "x");
  put("shards/a.tar", shard);
  const auto first = open_dataset(home_ / "shards", {});
  EXPECT_THAT(test::names_in(home_ / "cache/loadline/index"), testing::SizeIs(1));
  std::size_t scans = 0;
  const auto scan = [&](const std::filesystem::path&, ShardIndex& index) {
    ++scans;
    index = {.ends = {}, .offsets = {0}, .bytes = {1}, .labels = {0}, .leads = {}};
  };
  EXPECT_EQ(index_of({home_ / "shards/a.tar"}, "webdataset", scan).offsets.size(), 4096U);
  EXPECT_EQ(scans, 0U);
  put("shards/a.tar", shard + tar_end());
  EXPECT_EQ(index_of({home_ / "shards/a.tar"}, "webdataset", scan).offsets.size(), 1U) << "another file stands there";
  EXPECT_EQ(scans, 1U);
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace loadline
