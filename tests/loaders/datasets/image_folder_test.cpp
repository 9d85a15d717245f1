#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/formats.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/samples.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class ImageFolder : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes = "not looked at") const {
    test::write(home_ / name, bytes);
  }
  test::Thrown refusal(const DatasetOptions& options = {}) const {
    return test::thrown_by([&] { open_dataset(home_.path(), options); });
  }

  const test::TemporaryDirectory home_;
};

TEST_F(ImageFolder, NumbersClassesAndSamplesInTheOrderOfTheirNames) {
  put("n02/b.JPEG", "fourth");
  put("n02/a.jpg", "third");
  put("n01/z.png", "second");
  put("n01/Z.jpeg", "first");
  put("n01/notes.txt");
  put("n01/.hidden.jpg");
  put("list.jpg");
  const auto dataset = open_dataset(home_.path(), {});
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.format, "image-folder");
  EXPECT_TRUE(info.encoded);
  EXPECT_EQ(info.access, Access::kFiles);
  EXPECT_EQ(info.samples, 4U);
  EXPECT_EQ(info.classes, 2U);
  EXPECT_EQ(info.stored_bytes, 5U + 6U + 5U + 6U);
  EXPECT_EQ(info.all_bytes(), info.stored_bytes);
  EXPECT_THAT(dataset->labels(), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(info.files,
              ElementsAre(home_ / "n01/Z.jpeg", home_ / "n01/z.png", home_ / "n02/a.jpg", home_ / "n02/b.JPEG"));
  EXPECT_EQ(dataset->describe(2), (home_ / "n02/a.jpg").string());
}

TEST_F(ImageFolder, HasTheImagesBelowAClassAndCountsThoseBesideTheClasses) {
  put("a/1.png");
  put("a/deep/1.png");
  put("a/deep/2.png");
  put("b/1.png");
  put("top.png");
  const auto dataset = open_dataset(home_.path(), {});
  const DatasetInfo& info = dataset->info();
  EXPECT_EQ(info.samples, 4U);
  EXPECT_EQ(info.classes, 2U);
  EXPECT_EQ(info.images_beside, 1U);
  EXPECT_THAT(dataset->labels(), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(info.files,
              ElementsAre(home_ / "a/1.png", home_ / "a/deep/1.png", home_ / "a/deep/2.png", home_ / "b/1.png"));
}

TEST_F(ImageFolder, IsNotGuessedIfAllImagesLieDeeper) {
  put("a/deep/1.png");
  EXPECT_EQ(refusal().message.substr(0, refusal().message.find(", otherwise")),
            "cannot open " + home_.path().string() + ": no known dataset in it: " + (home_ / "a/deep/1.png").string() +
                " lies too deep for a class; if each directory in it is a class, add --format image-folder (`data "
                "convert`: --from-format image-folder)");
  EXPECT_EQ(open_dataset(home_.path(), {.format = "image-folder"})->info().samples, 1U);
}

TEST_F(ImageFolder, ReadsWholeFilesInAnyOrder) {
  put("a/1.jpg", "one");
  put("a/2.jpg", "");
  put("b/3.jpg", std::string(100'000, 'x'));
  const auto dataset = open_dataset(home_.path(), {});
  const auto reader = dataset->make_reader(3);
  std::vector<StoredSample> samples(3);
  for (int again = 0; again < 2; ++again) {
    reader->read(std::vector<SampleIndex>{2, 0, 1}, samples);
    EXPECT_EQ(samples[0].size(), 100'000U);
    EXPECT_EQ(samples[1].size(), 3U);
    EXPECT_EQ(samples[1][2], std::byte{'e'});
    EXPECT_TRUE(samples[2].empty());
  }
}

TEST_F(ImageFolder, HoldsTheSameInMemory) {
  put("a/1.jpg", "one");
  put("b/2.jpg", "second");
  const auto files = open_dataset(home_.path(), {});
  const auto memory = open_dataset(home_.path(), {.in_memory = true});
  EXPECT_EQ(memory->info().access, Access::kResident);
  EXPECT_EQ(test::samples_of(*memory), test::samples_of(*files));
  EXPECT_EQ(content_fingerprint(*memory), content_fingerprint(*files));
  EXPECT_EQ(memory->describe(1), (home_ / "b/2.jpg").string());
}

TEST_F(ImageFolder, HasAFingerprintThatDependsOnWhereSamplesEnd) {
  put("a/1.jpg", "one");
  put("a/2.jpg", "two");
  const std::uint64_t before = content_fingerprint(*open_dataset(home_.path(), {}));
  put("a/1.jpg", "on");
  put("a/2.jpg", "etwo");
  EXPECT_NE(content_fingerprint(*open_dataset(home_.path(), {})), before);
}

TEST_F(ImageFolder, FindsTheSplitsOfImageNet) {
  put("train/a/1.jpg");
  put("train/b/2.jpg");
  put("val/a/3.jpg");
  EXPECT_EQ(open_dataset(home_.path(), {})->info().samples, 2U);
  EXPECT_EQ(open_dataset(home_.path(), {.split = Split::kTest})->info().samples, 1U);
}

TEST_F(ImageFolder, RefusesClassesWithoutImagesAndMissingSplits) {
  put("a/notes.txt");
  EXPECT_EQ(refusal({.format = "image-folder"}),
            test::failed("cannot open " + (home_ / "a").string() +
                         ": this class has no image; remove the directory or add an image"));
  put("a/1.jpg");
  EXPECT_EQ(refusal({.split = Split::kTest}),
            test::usage("split test: " + home_.path().string() +
                        " has no directories train and val, so it has one split only"));
  EXPECT_EQ(refusal({.labels = LabelKind::kCoarse}),
            test::usage("coarse labels: " + home_.path().string() + " has none, only cifar100 does"));
  put("train/a/1.jpg");
  EXPECT_EQ(refusal({.split = Split::kTest}),
            test::failed("cannot open " + home_.path().string() + ": neither val nor test is in it"));
}

TEST_F(ImageFolder, RefusesImagesThatAreNotFiles) {
  put("a/1.jpg");
  ASSERT_EQ(::mkfifo((home_ / "a/2.jpg").c_str(), 0600), 0);
  EXPECT_EQ(refusal(), test::failed("cannot open " + (home_ / "a/2.jpg").string() + ": it is a FIFO, want a file"));
  fs::remove(home_ / "a/2.jpg");
  fs::create_directory(home_ / "a/2.jpg");
  EXPECT_EQ(refusal(),
            test::failed("cannot open " + (home_ / "a/2.jpg").string() + ": it is a directory, want a file"));
  fs::remove(home_ / "a/2.jpg");
  fs::create_symlink("gone.jpg", home_ / "a/2.jpg");
  EXPECT_EQ(refusal(), test::failed("cannot open " + (home_ / "a/2.jpg").string() + ": No such file or directory"));
}

TEST_F(ImageFolder, NamesAFileThatHasDisappeared) {
  put("a/1.jpg");
  const auto dataset = open_dataset(home_.path(), {});
  fs::remove(home_ / "a/1.jpg");
  EXPECT_EQ(test::thrown_by([&] { content_fingerprint(*dataset); }),
            test::failed("cannot open " + (home_ / "a/1.jpg").string() + ": No such file or directory"));
}

}  // namespace
}  // namespace loadline
