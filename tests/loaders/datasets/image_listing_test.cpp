#include "loaders/datasets/image_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class ImageListingTest : public testing::Test {
 protected:
  void SetUp() override {
    put("sea/b.jpg", "four");
    put("sea/a.png", "three!");
    put("sky/c.JPEG", "x");
    settle();
  }

  void put(const std::string& name, const std::string& bytes) const { test::write(home_ / "data" / name, bytes); }
  // Dates the directories long ago, so that any later change shows in their times, however coarse these are.
  void settle() const {
    for (const char* name : {"", "sea", "sky"}) fs::last_write_time(home_ / "data" / name, kLongAgo);
  }
  ImageListing list(std::size_t threads = 4) const {
    return list_images(home_ / "data", {.few = 2,
                                        .index_directory = home_ / "cache/listings",
                                        .settling = std::chrono::nanoseconds(0),
                                        .threads = threads});
  }
  std::vector<std::string> names(const ImageListing& listing) const {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < listing.names->size(); ++i) found.emplace_back(listing.names->name(i));
    return found;
  }
  std::vector<std::string> paths_of(const ImageListing& listing) const {
    std::vector<std::string> found;
    std::string path;
    for (std::size_t i = 0; i < listing.names->size(); ++i) {
      listing.names->write_path(i, path);
      found.push_back(fs::path(path).lexically_relative(home_ / "data").string());
    }
    return found;
  }
  fs::path index() const { return fs::directory_iterator(home_ / "cache/listings")->path(); }

  static constexpr fs::file_time_type kLongAgo{};
  const test::TemporaryDirectory home_;
};

TEST_F(ImageListingTest, HasClassesAndFilesInTheOrderOfTheirNames) {
  for (const std::size_t threads : {1U, 16U}) {
    const ImageListing listing = list_images(home_ / "data", {.threads = threads});
    EXPECT_THAT(names(listing), ElementsAre("a.png", "b.jpg", "c.JPEG"));
    EXPECT_EQ(listing.names->directories(), 2U);
    EXPECT_EQ(listing.names->directory(1), "sky");
    EXPECT_THAT(listing.file_bytes, ElementsAre(6U, 4U, 1U));
    EXPECT_EQ(listing.stored_bytes, 11U);
    EXPECT_EQ(listing.sized_files, std::nullopt);
    EXPECT_FALSE(listing.from_index);
  }
}

TEST_F(ImageListingTest, EstimatesTheLengthOfMoreThanAFewFiles) {
  const ImageListing listing = list_images(home_ / "data", {.few = 2, .lengths = 2});
  EXPECT_EQ(listing.sized_files, 2U);
  EXPECT_EQ(listing.stored_bytes, 15U) << "three times the mean of 6 and 4";
  EXPECT_TRUE(listing.file_bytes.empty());
  EXPECT_EQ(list_images(home_ / "data", {.few = 2, .lengths = 2, .every_length = true}).stored_bytes, 11U);
}

TEST_F(ImageListingTest, IsReadFromTheIndexTheNextTime) {
  EXPECT_FALSE(list().from_index);
  const ImageListing again = list();
  EXPECT_TRUE(again.from_index);
  EXPECT_THAT(names(again), ElementsAre("a.png", "b.jpg", "c.JPEG"));
  EXPECT_EQ(again.names->directory(1), "sky");
}

TEST_F(ImageListingTest, IsRebuiltIfADirectoryHasChanged) {
  list();
  put("sky/d.jpg", "new");
  const ImageListing added = list();
  EXPECT_FALSE(added.from_index);
  EXPECT_EQ(added.names->size(), 4U);
  settle();
  list();
  fs::remove(home_ / "data/sea/a.png");
  EXPECT_THAT(names(list()), ElementsAre("b.jpg", "c.JPEG", "d.jpg"));
  settle();
  list();
  put("tree/e.jpg", "new");
  EXPECT_EQ(list().names->directories(), 3U);
}

TEST_F(ImageListingTest, IsRebuiltIfTheIndexIsDamaged) {
  list();
  for (const std::size_t bytes : {0U, 10U, 60U, 200U}) {
    fs::resize_file(index(), bytes);
    EXPECT_FALSE(list().from_index) << bytes;
    EXPECT_TRUE(list().from_index) << "which made it whole again";
  }
}

TEST_F(ImageListingTest, KeepsNoIndexOfRecentlyChangedDirectories) {
  const ListingOptions options{
      .few = 2, .index_directory = home_ / "cache/listings", .settling = std::chrono::hours(1)};
  list_images(home_ / "data", options);
  EXPECT_FALSE(list_images(home_ / "data", options).from_index);
}

TEST_F(ImageListingTest, KeepsNoIndexOfAFewFiles) {
  const ListingOptions options{.few = 3, .index_directory = home_ / "cache/listings", .settling = {}};
  list_images(home_ / "data", options);
  EXPECT_FALSE(fs::exists(home_ / "cache/listings"));
}

TEST_F(ImageListingTest, NeedsNoDirectoryForAnIndex) {
  test::write(home_ / "cache", "a file, where the directory would be");
  EXPECT_EQ(list().names->size(), 3U);
}

TEST_F(ImageListingTest, NamesTheFirstClassWithoutAnImage) {
  for (const char* name : {"rock", "tree", "wood"}) fs::create_directory(home_ / "data" / name);
  EXPECT_EQ(test::thrown_by([&] { list(); }),
            test::failed("cannot open " + (home_ / "data/rock").string() +
                         ": this class has no image; remove the directory or add an image"));
}

TEST_F(ImageListingTest, DescendsIntoTheDirectoriesOfAClass) {
  put("sea/deep/z.png", "z");
  put("sea/deep/er/y.png", "y");
  put("sea/deep-2/x.png", "x");
  put("sea/none/at/all.txt", "no image");
  put("sea/.hidden/w.png", "w");
  put("sea-2/v.png", "v");
  put("above.png", "beside the classes");
  const std::vector<std::string> paths{"sea/a.png",         "sea/b.jpg",   "sea/deep/z.png", "sea/deep-2/x.png",
                                       "sea/deep/er/y.png", "sea-2/v.png", "sky/c.JPEG"};
  for (const std::size_t threads : {1U, 16U}) {
    const ImageListing listing = list_images(home_ / "data", {.threads = threads});
    EXPECT_EQ(paths_of(listing), paths) << "the order of torchvision's ImageFolder";
    EXPECT_THAT(listing.classes, ElementsAre(0U, 5U, 6U));
    EXPECT_EQ(listing.beside, 1U);
  }
}

TEST_F(ImageListingTest, HasAClassWithoutImagesOfItsOwn) {
  put("rock/deep/er/d.png", "four");
  put("tree/e.png", "five");
  const ImageListing listing = list();
  EXPECT_THAT(paths_of(listing),
              ElementsAre("rock/deep/er/d.png", "sea/a.png", "sea/b.jpg", "sky/c.JPEG", "tree/e.png"));
  EXPECT_THAT(listing.classes, ElementsAre(0U, 1U, 3U, 4U));
}

TEST_F(ImageListingTest, KeepsDirectoriesOfClassesInTheIndex) {
  put("sea/deep/er/y.png", "y");
  put("above.png", "beside the classes");
  const auto settle_all = [&] {
    for (const char* name : {"sea/deep/er", "sea/deep"}) fs::last_write_time(home_ / "data" / name, kLongAgo);
    settle();
  };
  settle_all();
  const ImageListing first = list();
  const ImageListing again = list();
  EXPECT_TRUE(again.from_index);
  EXPECT_EQ(paths_of(again), paths_of(first));
  EXPECT_EQ(again.classes, first.classes);
  EXPECT_EQ(again.beside, 1U);
  put("sea/deep/er/z.png", "new");
  EXPECT_EQ(list().names->size(), 5U);
  settle_all();
  list();
  put("sea/deep/w.png", "new, in a directory that had no image");
  const ImageListing changed = list();
  EXPECT_FALSE(changed.from_index);
  EXPECT_EQ(changed.names->size(), 6U);
}

TEST_F(ImageListingTest, FollowsLinksToDirectoriesButNotInCircles) {
  put("sea/deep/d.png", "d");
  fs::create_directory_symlink(home_ / "data/sea", home_ / "data/sea/deep/up");
  fs::create_directory_symlink("..", home_ / "data/sea/deep/back");
  fs::create_directory_symlink(home_ / "data", home_ / "data/sky/all");
  fs::create_directory_symlink(home_ / "data/sea/deep", home_ / "data/sky/other");
  EXPECT_THAT(paths_of(list()),
              ElementsAre("sea/a.png", "sea/b.jpg", "sea/deep/d.png", "sky/c.JPEG", "sky/other/d.png",
                          "sky/other/back/a.png", "sky/other/back/b.jpg", "sky/other/up/a.png", "sky/other/up/b.jpg"));
}

TEST_F(ImageListingTest, FollowsLinksAndRefusesDirectories) {
  fs::create_symlink(home_ / "data/sea/a.png", home_ / "data/sky/link.png");
  EXPECT_EQ(list().names->size(), 4U);
  fs::create_directory(home_ / "data/sky/not.png");
  EXPECT_EQ(test::thrown_by([&] { list(); }),
            test::failed("cannot open " + (home_ / "data/sky/not.png").string() + ": it is a directory, want a file"));
}

}  // namespace
}  // namespace loadline
