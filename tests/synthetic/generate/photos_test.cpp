#include "synthetic/generate/photos.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <utility>

#include "loaders/datasets/dataset.h"
#include "loaders/datasets/datasets.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/image_listing.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Photos : public testing::Test {
 protected:
  Photos() {
    fs::create_directories(home_ / "from/below");
    cv::Mat picture(300, 400, CV_8UC3);
    for (int y = 0; y < picture.rows; ++y) {
      for (int x = 0; x < picture.cols; ++x) {
        picture.at<cv::Vec3b>(y, x) =
            cv::Vec3b(static_cast<uchar>(y), static_cast<uchar>(x), static_cast<uchar>(x * y));
      }
    }
    cv::imwrite((home_ / "from/sea.jpg").string(), picture);
    cv::imwrite((home_ / "from/below/sky.png").string(), picture);
    test::write(home_ / "from/readme.txt", "by nobody");
  }

  PhotosOptions options() const {
    return {.from = home_ / "from", .is_photograph = is_image_name, .samples = 7, .seed = 3, .width = 50, .height = 40};
  }
  test::Thrown refusal(const PhotosOptions& options) const {
    return test::thrown_by([&] { make_photos(home_ / "new", options); });
  }
  std::uint64_t made(const std::string& name, const PhotosOptions& options) const {
    make_photos(home_ / name, options);
    return content_fingerprint(*open_dataset(home_ / name, {}));
  }

  const test::TemporaryDirectory home_;
};

TEST_F(Photos, AreAFolderOfImagesWithAClassForEachPhotograph) {
  make_photos(home_ / "new/photos", options());
  const auto train = open_dataset(home_ / "new/photos", {});
  EXPECT_EQ(train->info().format, "image-folder");
  EXPECT_THAT(train->labels(), ElementsAre(0, 0, 0, 1, 1, 1, 1));  // sea, which has one part fewer, then sky
  EXPECT_THAT(train->info().files.front().string(), HasSubstr("train/sea/"));
  EXPECT_EQ(open_dataset(home_ / "new/photos", {.split = Split::kTest})->info().samples, 2U);
  for (const fs::path& file : train->info().files) {
    const cv::Mat image = cv::imread(file.string());
    EXPECT_EQ(image.cols, 50);
    EXPECT_EQ(image.rows, 40);
  }
}

TEST_F(Photos, AreTheSameOnlyForTheSameSeed) {
  PhotosOptions other = options();
  other.seed = 4;
  const std::uint64_t first = made("one", options());
  EXPECT_EQ(made("two", options()), first);
  EXPECT_NE(made("three", other), first);
}

TEST_F(Photos, AreLeftAloneIfTheyAlreadyExist) {
  EXPECT_EQ(make_photos(home_ / "new", options()), Generated::kMade);
  EXPECT_EQ(make_photos(home_ / "new", options()), Generated::kAlreadyThere);
  PhotosOptions other = options();
  other.seed = 4;
  const std::string place = "cannot make " + (home_ / "new").string() + ": something else is there (";
  const std::string advice = "); name another directory or remove this one";
  EXPECT_EQ(refusal(other), test::failed(place + "train/sky/00000000.jpg differs in content" + advice));
  test::write(home_ / "new/notes.txt", "mine");
  EXPECT_EQ(refusal(options()), test::failed(place + "holding notes.txt" + advice));
  fs::remove(home_ / "new/train/sky/00000000.jpg");
  EXPECT_EQ(refusal(options()), test::failed(place + "without train/sky/00000000.jpg" + advice));
}

TEST_F(Photos, AreFoundWhereAnotherProcessMadeThemInTheMeantime) {
  const auto with_other = [&](const PhotosOptions& other) {
    bool made = false;
    return make_photos(home_ / "a/new", options(), [&](std::size_t, std::size_t) {
      if (!std::exchange(made, true)) make_photos(home_ / "a/new", other);
    });
  };
  EXPECT_EQ(with_other(options()), Generated::kAlreadyThere);
  fs::remove_all(home_ / "a");
  PhotosOptions other = options();
  other.seed = 4;
  EXPECT_THAT(test::thrown_by([&] { with_other(other); }).message,
              HasSubstr("something else is there (train/sky/00000000.jpg differs in content)"));
  EXPECT_THAT(test::names_in(home_ / "a"), ElementsAre("new"));
}

TEST_F(Photos, HaveAClassEachIfTheirNamesAreTheSame) {
  fs::create_directories(home_ / "same/b");
  fs::copy_file(home_ / "from/below/sky.png", home_ / "same/a-2.png");
  fs::copy_file(home_ / "from/below/sky.png", home_ / "same/a.png");
  fs::copy_file(home_ / "from/below/sky.png", home_ / "same/b/a.png");
  PhotosOptions same = options();
  same.from = home_ / "same";
  make_photos(home_ / "new", same);
  EXPECT_THAT(open_dataset(home_ / "new", {})->labels(), ElementsAre(0, 0, 1, 1, 1, 2, 2));  // a, a-2, a-3
  for (const char* name : {"a-2", "a", "a-3"}) EXPECT_TRUE(fs::is_directory(home_ / "new/train" / name)) << name;
}

TEST_F(Photos, AreCutFromEveryKindOfImageThatAFolderMayHold) {
  fs::create_directories(home_ / "kinds");
  const cv::Mat picture = cv::imread((home_ / "from/sea.jpg").string());
  PhotosOptions kinds = options();
  kinds.from = home_ / "kinds";
  for (const char* name : {"a.bmp", "b.PPM", "c.tif", "d.tiff", "e.webp"}) {
    cv::imwrite((kinds.from / name).string(), picture);
  }
  make_photos(home_ / "new", kinds);
  EXPECT_EQ(open_dataset(home_ / "new", {})->info().classes, 5U);
}

TEST_F(Photos, RefuseImpossibleRequests) {
  PhotosOptions wrong = options();
  wrong.from.clear();
  EXPECT_THAT(refusal(wrong).message, HasSubstr("--from: photos are cropped from existing photographs"));
  wrong = options();
  wrong.samples = 1;
  EXPECT_EQ(refusal(wrong), test::usage("--samples 1: want at least one for each of the 2 photographs in " +
                                        (home_ / "from").string()));
  wrong = options();
  wrong.from = home_ / "nowhere";
  EXPECT_EQ(refusal(wrong),
            test::failed("cannot read " + (home_ / "nowhere").string() + ": No such file or directory"));
  fs::create_directory(home_ / "none");
  wrong.from = home_ / "none";
  EXPECT_EQ(refusal(wrong), test::failed("cannot make photos: no photograph in " + (home_ / "none").string()));
  test::write(home_ / "none/fake.jpg", "no image");
  EXPECT_THAT(refusal(wrong).message,
              HasSubstr("fake.jpg: cannot decode image: damaged, or of a format unknown to OpenCV"));
  EXPECT_FALSE(fs::exists(home_ / "new"));
}

TEST_F(Photos, ReplaceNothingAndLeaveNothingBehindWhenInterrupted) {
  test::write(home_ / "new/thesis.tex", "years of work");
  EXPECT_THAT(refusal(options()).message, HasSubstr("something else is there (without train/sky/00000000.jpg)"));
  EXPECT_EQ(test::bytes_of(home_ / "new/thesis.tex"), "years of work");
  fs::remove_all(home_ / "new");
  test::write(home_ / "new", "");
  EXPECT_THAT(refusal(options()).message, HasSubstr("something else is there (not a directory)")) << "an empty file";
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(
      test::thrown_by([&] { make_photos(home_ / "other/below/photos", options(), {}, stop.get_token()); }).message,
      HasSubstr("was interrupted; nothing was left behind"));
  EXPECT_FALSE(fs::exists(home_ / "other"));
}

}  // namespace
}  // namespace loadline
