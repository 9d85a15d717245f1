#include "loaders/storage/file_contents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

TEST(ContentsBytes, LeaveRoomForOneByteMoreInWholeCacheLines) {
  EXPECT_EQ(contents_bytes(0), 64U);
  EXPECT_EQ(contents_bytes(63), 64U);
  EXPECT_EQ(contents_bytes(64), 128U);
}

TEST(ContentsBytes, AreAtMostFourMebibytes) {
  EXPECT_EQ(contents_bytes((std::size_t{4} << 20) - 1), std::size_t{4} << 20);
  EXPECT_EQ(contents_bytes(std::size_t{1} << 40), std::size_t{4} << 20);
}

// A file of ten bytes, of which the system has read what `begun` says.
class FileContents : public testing::Test {
 protected:
  std::string contents(int opened, int read, std::string_view begun = {}) {
    std::ranges::copy(std::as_bytes(std::span(begun)), memory_.begin());
    const std::string path = file_.native();
    const auto bytes = file_contents({.path = path, .expected_bytes = 10, .opened = opened, .read = read},
                                     std::span(memory_).first(memory_bytes_), long_one_);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  const test::TemporaryDirectory home_;
  const std::filesystem::path file_ = test::write(home_ / "ten", "0123456789");
  std::array<std::byte, 64> memory_{};
  std::size_t memory_bytes_ = 64;
  std::vector<std::byte> long_one_;
};

TEST_F(FileContents, AreTheSystemsIfItReadAsMuchAsExpected) {
  EXPECT_EQ(contents(0, 10, "ABCDEFGHIJ"), "ABCDEFGHIJ");
}

TEST_F(FileContents, AreReadOnWhereTheSystemStopped) {
  EXPECT_EQ(contents(0, 4, "ABCD"), "ABCD456789");
}

TEST_F(FileContents, AreReadFromTheStartAfterAnInterruption) {
  for (const int passing : {-EINTR, -EAGAIN, -EBUSY, -ECANCELED}) {
    EXPECT_EQ(contents(passing, 0), "0123456789");
    EXPECT_EQ(contents(0, passing), "0123456789");
  }
}

TEST_F(FileContents, OfAFileThatShrankAreWhatIsLeft) {
  test::write(file_, "01");
  EXPECT_EQ(contents(0, 2, "01"), "01");
}

TEST_F(FileContents, OfAFileLongerThanItsMemoryAreElsewhere) {
  memory_bytes_ = 6;
  EXPECT_EQ(contents(0, 6, "ABCDEF"), "ABCDEF6789");
  EXPECT_EQ(long_one_.size(), 10U);
}

TEST_F(FileContents, ThatCannotBeReadNameFileAndReason) {
  EXPECT_EQ(test::thrown_by([&] { contents(-EACCES, 0); }).message,
            "cannot open " + file_.native() + ": Permission denied");
  EXPECT_EQ(test::thrown_by([&] { contents(0, -EIO); }).message,
            "cannot read " + file_.native() + ": Input/output error");
}

}  // namespace
}  // namespace loadline
