#include "loaders/storage/gzip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;
using test::gzip_of;
using test::TemporaryDirectory;
using test::thrown_by;

std::string read_some(GzipReader& reader, std::size_t size) {
  std::string text(size, '\0');
  text.resize(reader.read(std::as_writable_bytes(std::span(text))));
  return text;
}

std::string read_all(const fs::path& path) {
  GzipReader reader(path);
  return read_some(reader, 1000);
}

test::Thrown fault_in(const fs::path& path) {
  return thrown_by([&] { read_all(path); });
}

test::Thrown refused(const fs::path& path, const std::string& reason) {
  return test::failed("cannot inflate " + path.string() + ": " + reason);
}

struct TruncatedGzip : std::string {
  TruncatedGzip() : std::string(gzip_of("hello world")) { pop_back(); }
};

struct CorruptChecksumGzip : std::string {
  CorruptChecksumGzip() : std::string(gzip_of("hello world")) { at(size() - 8) ^= 1; }
};

struct CorruptGzip : std::string {
  CorruptGzip() : std::string(gzip_of("hello world")) { at(10) = '\xff'; }
};

TEST(GzipReader, InflatesPieceByPiece) {
  const TemporaryDirectory home;
  GzipReader reader(test::write(home / "a.gz", gzip_of("hello world")));
  EXPECT_EQ(read_some(reader, 5), "hello");
  EXPECT_EQ(read_some(reader, 100), " world");
  EXPECT_EQ(read_some(reader, 100), "");
}

TEST(GzipReader, ReadsConcatenatedMembersAsOne) {
  const TemporaryDirectory home;
  EXPECT_EQ(read_all(test::write(home / "a.gz", gzip_of("one ") + gzip_of("") + gzip_of("two"))), "one two");
}

TEST(GzipReader, ReadsDataLongerThanItsWindow) {
  const TemporaryDirectory home;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i);
  GzipReader reader(test::write(home / "a.gz", gzip_of(text)));
  EXPECT_EQ(read_some(reader, text.size() + 1), text);
}

TEST(GzipReader, ReadsAnEmptyMember) {
  const TemporaryDirectory home;
  EXPECT_EQ(read_all(test::write(home / "a.gz", gzip_of(""))), "");
}

TEST(GzipReader, NamesAFileThatEndsBeforeItsData) {
  const TemporaryDirectory home;
  const auto path = test::write(home / "a.gz", TruncatedGzip());
  EXPECT_EQ(fault_in(path), refused(path, "the file ends before its data does (truncated)"));
}

TEST(GzipReader, NamesAnEmptyFile) {
  const TemporaryDirectory home;
  const auto path = test::write(home / "a.gz", "");
  EXPECT_EQ(fault_in(path), refused(path, "the file ends before its data does (truncated)"));
}

TEST(GzipReader, NamesAFileWhoseChecksumIsWrong) {
  const TemporaryDirectory home;
  const auto path = test::write(home / "a.gz", CorruptChecksumGzip());
  EXPECT_EQ(fault_in(path), refused(path, "incorrect data check"));
}

TEST(GzipReader, NamesAFileWhoseDataIsCorrupt) {
  const TemporaryDirectory home;
  const auto path = test::write(home / "a.gz", CorruptGzip());
  EXPECT_EQ(fault_in(path), refused(path, "invalid block type"));
}

TEST(GzipReader, NamesAFileThatIsNotGzip) {
  const TemporaryDirectory home;
  const auto path = test::write(home / "a.gz", "plain text");
  EXPECT_EQ(fault_in(path), refused(path, "incorrect header check"));
}

TEST(GzipReader, NamesAMissingFile) {
  const TemporaryDirectory home;
  EXPECT_EQ(thrown_by([&] { GzipReader reader(home / "a.gz"); }),
            test::failed("cannot open " + (home / "a.gz").string() + ": No such file or directory"));
}

}  // namespace
}  // namespace loadline
