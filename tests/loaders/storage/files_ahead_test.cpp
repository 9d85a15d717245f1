#include "loaders/storage/files_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loaders/storage/file.h"
#include "loaders/storage/mapping.h"
#include "loaders/storage/pages_ahead.h"
#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

class FilesOpenedAhead : public testing::Test {
 protected:
  static constexpr std::size_t kCapacity = 4;

  fs::path put(const std::string& name, const std::string& bytes) const { return test::write(home_ / name, bytes); }
  void push(const fs::path& file) { files_.push(file.native()); }
  std::string take() {
    const auto bytes = files_.take();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // Returns how many open files the allowance no longer gives.
  std::size_t open_files() {
    std::size_t left = 0;
    while (allowance_.take()) ++left;
    for (std::size_t i = 0; i < left; ++i) allowance_.give_back();
    return kAllowed - left;
  }

  static constexpr std::size_t kAllowed = 3;
  const test::TemporaryDirectory home_;
  OpenFileAllowance allowance_{kAllowed};
  FilesAhead files_{kCapacity, allowance_};
};

TEST_F(FilesOpenedAhead, GivesWholeFilesInTheOrderOfTheRequests) {
  const fs::path files[] = {put("one", "first"), put("two", ""), put("three", std::string(100'000, 'x'))};
  for (int round = 0; round < 10; ++round) {
    for (const fs::path& file : files) push(file);
    EXPECT_EQ(files_.size(), 3U);
    EXPECT_EQ(take(), "first");
    EXPECT_EQ(take(), "");
    push(files[0]);
    EXPECT_EQ(take(), std::string(100'000, 'x'));
    EXPECT_EQ(take(), "first");
    EXPECT_EQ(files_.size(), 0U);
  }
  EXPECT_EQ(open_files(), 0U);
}

TEST_F(FilesOpenedAhead, ReadsAFetchedFileWithoutStorage) {
  const fs::path path = put("one", std::string(20'000, 'x'));
  const File file = File::open(path);
  file.wait_until_stored();
  file.drop_from_page_cache(file.size_bytes());
  if (page_cache_residency(path).resident_pages != 0) GTEST_SKIP() << "the page cache keeps files of " << home_.path();
  FilesAhead::fetch(path.native());
  EXPECT_EQ(open_files(), 0U);
  const std::size_t before = blocks_read();
  push(path);
  EXPECT_EQ(take(), std::string(20'000, 'x'));
  EXPECT_EQ(blocks_read(), before);
}

TEST_F(FilesOpenedAhead, FetchesNothingOfAMissingFile) {
  FilesAhead::fetch((home_ / "nowhere").native());
  EXPECT_EQ(open_files(), 0U);
}

TEST_F(FilesOpenedAhead, KeepsNoMoreFilesOpenThanAllowedAndStillReadsTheOthers) {
  const fs::path file = put("one", "first");
  for (std::size_t i = 0; i < kCapacity; ++i) push(file);
  EXPECT_EQ(open_files(), kAllowed);
  for (std::size_t i = 0; i < kCapacity; ++i) EXPECT_EQ(take(), "first");
  EXPECT_EQ(open_files(), 0U);
}

TEST_F(FilesOpenedAhead, NamesAnUnreadableFileWhenItIsTakenAndGoesOn) {
  const fs::path gone = home_ / "gone";
  const fs::path directory = home_ / "directory";
  fs::create_directory(directory);
  push(gone);
  push(directory);
  push(put("one", "first"));
  EXPECT_EQ(test::thrown_by([&] { take(); }).message, "cannot open " + gone.string() + ": No such file or directory");
  EXPECT_EQ(test::thrown_by([&] { take(); }).message,
            "cannot read " + directory.string() + ": it is a directory, want a file");
  EXPECT_EQ(take(), "first");
}

TEST_F(FilesOpenedAhead, ReadsAFileAsItIsWhenItIsTaken) {
  const fs::path shorter = put("shorter", std::string(10'000, 'x'));
  const fs::path longer = put("longer", "short");
  push(shorter);
  push(longer);
  fs::resize_file(shorter, 10);
  test::write(longer, std::string(20'000, 'y'));
  EXPECT_EQ(take(), std::string(10, 'x'));
  EXPECT_EQ(take(), std::string(20'000, 'y'));
}

TEST_F(FilesOpenedAhead, ForgetsItsRequestsAndClosesTheirFiles) {
  const fs::path file = put("one", "first");
  push(file);
  push(file);
  files_.clear();
  EXPECT_EQ(files_.size(), 0U);
  EXPECT_EQ(open_files(), 0U);
  push(put("two", "second"));
  EXPECT_EQ(take(), "second");
}

TEST_F(FilesOpenedAhead, AllocatesNothingForAFileOnceItsMemoryHasGrown) {
  const std::string file = put("one", std::string(100'000, 'x')).string();
  files_.push(file);
  take();
  const std::size_t before = test::allocations_so_far();
  for (int i = 0; i < 100; ++i) {
    files_.push(file);
    files_.take();
  }
  EXPECT_EQ(test::allocations_so_far() - before, 0U);
}

}  // namespace
}  // namespace loadline
