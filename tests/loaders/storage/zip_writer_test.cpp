#include "loaders/storage/zip_writer.h"

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
