#include "loaders/storage/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::thrown_by;

class FileLockTest : public testing::Test {
 protected:
  const test::TemporaryDirectory home_;
  const std::filesystem::path file_ = home_ / "result.json";
  const std::filesystem::path lock_ = home_ / "result.json.lock";
};

TEST_F(FileLockTest, IsAFileBesideTheWrittenOneAndDisappearsWithItsHolder) {
  {
    const FileLock lock(file_);
    EXPECT_THAT(test::names_in(home_.path()), testing::ElementsAre("result.json.lock"));
  }
  EXPECT_THAT(test::names_in(home_.path()), testing::ElementsAre());
}

TEST_F(FileLockTest, IsRefusedToASecondWriter) {
  std::optional<FileLock> first(std::in_place, file_);
  EXPECT_EQ(
      thrown_by([&] { FileLock second(file_); }),
      test::failed("cannot write " + file_.string() + ": another loadline is writing it and holds " + lock_.string()));
  EXPECT_TRUE(std::filesystem::exists(lock_)) << "the refused one leaves it";
  first.reset();
  EXPECT_EQ(thrown_by([&] { FileLock second(file_); }), test::Thrown());
}

TEST_F(FileLockTest, TakesOverTheLockOfAKilledWriter) {
  test::write(lock_, "");
  { const FileLock lock(file_); }
  EXPECT_FALSE(std::filesystem::exists(lock_));
}

TEST_F(FileLockTest, LeavesAloneAFileThatOnlyHasItsName) {
  test::write(lock_, "mine");
  { const FileLock lock(file_); }
  EXPECT_EQ(test::bytes_of(lock_), "mine");
}

TEST_F(FileLockTest, NamesThePathIfItCannotBeCreated) {
  const auto nowhere = home_ / "no/where";
  EXPECT_EQ(
      thrown_by([&] { FileLock lock(nowhere); }),
      test::failed("cannot write " + nowhere.string() + ": " + nowhere.string() + ".lock: No such file or directory"));
  std::filesystem::create_symlink("elsewhere", lock_);
  EXPECT_THAT(thrown_by([&] { FileLock lock(file_); }).message, testing::HasSubstr("symbolic links"));
}

TEST_F(FileLockTest, IsHeldByAnotherOnlyIfTheSystemSaysSo) {
  EXPECT_TRUE(another_holds(EWOULDBLOCK));
  for (const int without_locks : {0, ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL}) {
    EXPECT_FALSE(another_holds(without_locks)) << without_locks;
  }
}

TEST_F(FileLockTest, HoldsAFileForManyReadersOrOneWriter) {
  test::write(file_, "{}");
  auto reader = HeldFile::together(file_);
  auto other = HeldFile::together(file_);
  ASSERT_TRUE(reader && other);
  EXPECT_FALSE(HeldFile::alone(file_));
  reader.reset();
  EXPECT_FALSE(HeldFile::alone(file_));
  other.reset();
  const auto writer = HeldFile::alone(file_);
  ASSERT_TRUE(writer);
  std::filesystem::rename(file_, home_ / "renamed.json");
  EXPECT_FALSE(HeldFile::together(home_ / "renamed.json"));
  EXPECT_TRUE(writer->is_at(home_ / "renamed.json"));
  EXPECT_FALSE(writer->is_at(file_));
  test::write(file_, "{}");
  EXPECT_FALSE(writer->is_at(file_)) << "another file of that name";
  std::filesystem::remove(file_);
  EXPECT_EQ(thrown_by([&] { HeldFile::together(file_); }),
            test::failed("cannot open " + file_.string() + ": No such file or directory"));
}

}  // namespace
}  // namespace loadline
