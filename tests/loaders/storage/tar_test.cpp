#include "loaders/storage/tar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/loaders/support/files.h"
#include "tests/loaders/support/shard_files.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Tar : public testing::Test {
 protected:
  // Returns the name and content of every file that the scanner finds.
  std::vector<std::string> files_in(const std::string& archive) const {
    TarScanner scanner(test::write(home_ / "a.tar", archive));
    std::vector<std::string> found;
    while (const auto entry = scanner.next()) found.push_back(entry->name + "=" + scanner.read(*entry, 1000));
    return found;
  }
  std::string refusal(const std::string& archive) const {
    return test::thrown_by([&] { files_in(archive); }).message;
  }

  const test::TemporaryDirectory home_;
};

TEST_F(Tar, GivesFilesWithTheirBytes) {
  EXPECT_THAT(files_in(test::tar_file("a.jpg", "one") + test::tar_file("b", "") +
                       test::tar_file("c", std::string(512, 'x')) + test::tar_file("d", "y") + test::tar_end()),
              ElementsAre("a.jpg=one", "b=", "c=" + std::string(512, 'x'), "d=y"));
}

TEST_F(Tar, SkipsDirectoriesLinksAndDevices) {
  EXPECT_THAT(files_in(test::tar_file("folder/", "", '5') + test::tar_file("old/", "") +
                       test::tar_file("link", "", '2') + test::tar_block("hard", 700, '1') +
                       test::tar_file("fifo", "", '6') + test::tar_file("a", "one") + test::tar_end()),
              ElementsAre("a=one"));
}

TEST_F(Tar, JoinsNamesThatWereSplitOrStoredApart) {
  const std::string name = std::string(180, 'n') + ".jpg";
  EXPECT_THAT(files_in(test::tar_file("1.jpg", "a", '0', "train/dogs") + test::gnu_long_file(name, "b") +
                       test::pax_file("path with blank\xc3\xa9/" + name, "c") +
                       test::tar_file("g", "13 comment=x\n", 'g') + test::tar_file("2.jpg", "d") + test::tar_end()),
              ElementsAre("train/dogs/1.jpg=a", name + "=b", "path with blank\xc3\xa9/" + name + "=c", "2.jpg=d"));
}

TEST_F(Tar, ReadsASizeFromAPaxHeaderAndABinaryOne) {
  std::string binary = test::tar_block("b", 0);
  binary.replace(124, 12, std::string("\x80\0\0\0\0\0\0\0\0\0\0\3", 12));
  unsigned sum = 0;
  for (std::size_t i = 0; i < binary.size(); ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(binary[i]);
  std::string digits(6, '0');
  for (std::size_t i = 6; i-- > 0; sum /= 8) digits[i] = static_cast<char>('0' + sum % 8);
  binary.replace(148, 6, digits);
  binary += std::string("abc").append(509, '\0');
  EXPECT_THAT(files_in(test::tar_file("x", "9 size=3\n", 'x') + test::tar_block("a", 0) +
                       std::string("xyz").append(509, '\0') + binary + test::tar_end()),
              ElementsAre("a=xyz", "b=abc"));
}

TEST_F(Tar, MayEndWithoutAnEndMarker) {
  EXPECT_THAT(files_in(test::tar_file("a", "one")), ElementsAre("a=one"));
  EXPECT_THAT(files_in(""), ElementsAre());
  EXPECT_THAT(files_in(test::tar_block("a", 3) + "one"), ElementsAre("a=one"));
}

TEST_F(Tar, RefusesOtherAndDamagedFilesAndSaysWhere) {
  const std::string path = "cannot open " + (home_ / "a.tar").string() + ": ";
  const std::string sound = test::tar_file("a", "one");
  EXPECT_EQ(refusal(std::string(600, 'x')), path + "byte 0: not a tar archive");
  std::string flipped = sound + sound;
  flipped[1024 + 3] = 'x';
  EXPECT_EQ(refusal(flipped), path + "byte 1024: not a tar header (its checksum is wrong)");
  EXPECT_EQ(refusal(sound + "abc"), path + "byte 1024: the archive ends within a header (truncated)");
  EXPECT_EQ(refusal(sound + test::tar_block("b", 3) + "on"),
            path + "byte 1024: 'b' claims 3 bytes, the archive has 2 more (truncated or corrupt)");
  EXPECT_EQ(refusal(sound + test::tar_end() + sound),
            path + "byte 1536: the archive ends here, but more data follows; was one archive appended to another?");
  EXPECT_THAT(refusal(test::tar_file("a", "", 'S')), HasSubstr("'a' is stored as a sparse file"));
  EXPECT_THAT(refusal(test::pax_file("a", "", "22 GNU.sparse.major=1\n")), HasSubstr("it contains a sparse file"));
  EXPECT_THAT(refusal(test::tar_file("x", "99 path=a\n", 'x')), HasSubstr("its extended header cannot be read"));
  EXPECT_THAT(refusal(test::tar_file("x", "path=a\n", 'x')), HasSubstr("its extended header cannot be read"));
  EXPECT_THAT(refusal(test::tar_file("x", "7 patha\n", 'x')), HasSubstr("its extended header cannot be read"));
  EXPECT_THAT(refusal(test::gzip_of(sound)), HasSubstr("it is compressed by gzip"));
}

}  // namespace
}  // namespace loadline
