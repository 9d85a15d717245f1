#include "loaders/storage/zip_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/loaders/support/files.h"

namespace loadline {
namespace {

class WrittenZip : public testing::Test {
 protected:
  // Writes two entries, the first in two pieces. Returns the bytes of the archive.
  std::string write(const std::string& name) const {
    AtomicFile file(home_ / name);
    ZipWriter archive(file);
    archive.begin("one.npy");
    archive.write("1234");
    archive.write("56789");
    archive.begin("empty");
    archive.finish();
    file.commit();
    return test::bytes_of(home_ / name);
  }

  const test::TemporaryDirectory home_;
};

TEST_F(WrittenZip, HasTheEntriesThatAReaderFinds) {
  const std::string bytes = write("a.zip");
  const auto entries = zip_entries(std::as_bytes(std::span(bytes)), "a.zip");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name, "one.npy");
  EXPECT_FALSE(entries[0].deflated);
  EXPECT_EQ(entries[0].bytes, 9U);
  EXPECT_EQ(entries[0].stored_bytes, 9U);
  EXPECT_EQ(entries[0].crc, 0xcbf43926U) << "the check value in catalogues of CRCs";
  EXPECT_EQ(bytes.substr(entries[0].offset, 9), "123456789");
  EXPECT_EQ(entries[1].name, "empty");
  EXPECT_EQ(entries[1].bytes, 0U);
  EXPECT_EQ(entries[1].crc, 0U);
}

TEST_F(WrittenZip, IsUnchangedByWritingNothing) {
  AtomicFile file(home_ / "a.zip");
  ZipWriter archive(file);
  archive.begin("one.npy");
  archive.write("12345");
  archive.write(std::span<const std::byte>());
  archive.write("6789");
  archive.write(std::span<const std::byte>());
  archive.begin("empty");
  archive.finish();
  file.commit();
  EXPECT_EQ(test::bytes_of(home_ / "a.zip"), write("b.zip"));
}

// Bytes that Info-ZIP's `unzip -t` and Python's zipfile accept: records by their signatures PK and two bytes.
TEST_F(WrittenZip, HasTheBytesThatOtherProgramsRead) {
  AtomicFile file(home_ / "a.zip");
  ZipWriter archive(file);
  archive.begin("a.npy");
  archive.write("123456789");
  archive.finish();
  file.commit();
  std::string hex;
  for (const char byte : test::bytes_of(home_ / "a.zip"))
    hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  EXPECT_EQ(hex,
            "504b03042d000800000000002100"
            "00000000ffffffffffffffff05001400"
            "612e6e7079"
            "0100100000000000000000000000000000000000"
            "313233343536373839"
            "504b07082639f4cb09000000000000000900000000000000"
            "504b01022d002d0008000000000021002639f4cbffffffffffffffff"
            "05001c0000000000000000000000ffffffff"
            "612e6e7079"
            "01001800090000000000000009000000000000000000000000000000"
            "504b06062c000000000000002d002d000000000000000000"
            "010000000000000001000000000000004f000000000000005800000000000000"
            "504b060700000000a70000000000000001000000"
            "504b050600000000ffffffffffffffffffffffff0000");
}

TEST_F(WrittenZip, HasTheSameBytesEachTime) {
  EXPECT_EQ(write("a.zip"), write("b.zip"));
}

// The sizes of the records are those of APPNOTE.TXT: 30 + name + 20 of an entry, 24 behind it, 46 + name + 28 in the
// directory, and 56 + 20 + 22 at the end.
TEST_F(WrittenZip, HasNoGaps) {
  const std::size_t of_entries = (30 + 7 + 20 + 9 + 24) + (30 + 5 + 20 + 0 + 24);
  const std::size_t of_directory = (46 + 7 + 28) + (46 + 5 + 28);
  EXPECT_EQ(write("a.zip").size(), of_entries + of_directory + 56 + 20 + 22);
}

}  // namespace
}  // namespace loadline
