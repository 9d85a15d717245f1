#include "loaders/storage/file_stamp.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "tests/loaders/support/files.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

class FileStampTest : public testing::Test {
 protected:
  // Returns what change_between() reports for the file before and after `work`.
  template <typename Work>
  std::string change_by(const Work& work) const {
    const auto before = stamp_of(file_);
    work();
    return change_between(before, stamp_of(file_));
  }

  const test::TemporaryDirectory home_;
  const fs::path file_ = test::write(home_ / "file", "0123456789");
};

TEST_F(FileStampTest, ReadingChangesNothing) {
  EXPECT_EQ(change_by([&] { test::bytes_of(file_); }), "");
}

TEST_F(FileStampTest, SaysWhatHappened) {
  EXPECT_EQ(change_by([&] { fs::resize_file(file_, 4); }), "was cut from 10 to 4 bytes");
  EXPECT_EQ(change_by([&] { fs::resize_file(file_, 10); }), "grew from 4 to 10 bytes");
  EXPECT_EQ(change_by([&] {
              const auto before = stamp_of(file_);
              // Repeat until the clock of the file system has ticked.
              do {
                test::write(home_ / "new", "0123456789");
              } while (stamp_of(home_ / "new")->changed_ns == before->changed_ns);
              fs::rename(home_ / "new", file_);
            }),
            "was replaced by another file");
  EXPECT_EQ(change_by([&] { fs::last_write_time(file_, fs::last_write_time(file_) - std::chrono::hours(1)); }),
            "was written to");
  EXPECT_EQ(change_by([&] { fs::remove(file_); }), "was removed");
  EXPECT_EQ(change_by([&] { test::write(file_, "again"); }), "appeared");
}

TEST_F(FileStampTest, DetectsAChangeThatTheModificationTimeHides) {
  const auto written = fs::last_write_time(file_);
  const auto before = stamp_of(file_);
  // Repeat until the clock of the file system has ticked.
  do {
    test::write(file_, "9876543210");
    fs::last_write_time(file_, written);
  } while (stamp_of(file_)->changed_ns == before->changed_ns);
  const auto now = stamp_of(file_);
  EXPECT_EQ(before->modified_ns, now->modified_ns);
  EXPECT_EQ(change_between(before, now), "had its owner, permissions, links or contents changed");
}

TEST_F(FileStampTest, IgnoresNewInodeNumbersOfUnchangedFiles) {
  const auto before = stamp_of(file_);
  auto now = before;
  ++now->inode;
  EXPECT_EQ(change_between(before, now), "");
  ++now->changed_ns;
  EXPECT_EQ(change_between(before, now), "was replaced by another file");
}

TEST_F(FileStampTest, RecognisesAFileByAnyOfItsNames) {
  fs::create_symlink("file", home_ / "link");
  fs::create_hard_link(file_, home_ / "twin");
  test::write(home_ / "other", "0123456789");
  EXPECT_TRUE(is_same_file(file_, home_ / "link"));
  EXPECT_TRUE(is_same_file(home_ / "twin", home_ / "link"));
  EXPECT_FALSE(is_same_file(file_, home_ / "other"));
  EXPECT_FALSE(is_same_file(file_, home_ / "none"));
  EXPECT_FALSE(is_same_file(home_ / "none", home_ / "none")) << "there is no file";
}

}  // namespace
}  // namespace loadline
