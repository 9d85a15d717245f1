#include "loaders/printable.h"

#include <gtest/gtest.h>

#include "loaders/error.h"

namespace loadline {
namespace {

using namespace std::string_literals;

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("/data/mnist with space/ä±€😀.bin"), "/data/mnist with space/ä±€😀.bin");
  EXPECT_EQ(printable(R"(C:\n "quoted" 'too')"), R"(C:\n "quoted" 'too')");
}

TEST(Printable, ShowsControlCharacters) {
  EXPECT_EQ(printable("a\nb\rc\td"), R"(a\nb\rc\td)");
  EXPECT_EQ(printable("\033[2Jgone\a\x7f"), R"(\x1b[2Jgone\x07\x7f)");
  EXPECT_EQ(printable("a\0b"s), R"(a\x00b)");
  EXPECT_EQ(printable("\u009b31m"), R"(\x9b31m)") << "a CSI of eight bits";
}

TEST(Printable, ShowsDirectionMarksAndLineSeparators) {
  EXPECT_EQ(printable("gpj.\u202eexe"), R"(gpj.\u202eexe)");
  EXPECT_EQ(printable("a\u2028b\u2066c"), R"(a\u2028b\u2066c)");
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff\xfe"), R"(\xff\xfe)");
  EXPECT_EQ(printable("\xc3"), R"(\xc3)") << "cut short";
  EXPECT_EQ(printable("\xc0\x8a"), R"(\xc0\x8a)") << "a line end in two bytes";
  EXPECT_EQ(printable("\xed\xa0\x80"), R"(\xed\xa0\x80)") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), R"(\xf5\x80\x80\x80)") << "above U+10FFFF";
}

TEST(Printable, KeepsTheEndsOfSeveralLines) {
  EXPECT_EQ(printable_lines("one\n\033[31mtwo\n"), "one\n\\x1b[31mtwo\n");
}

TEST(Printable, AppliesToErrorMessages) {
  EXPECT_STREQ(Error("cannot open a\nb\033c: no").what(), R"(cannot open a\nb\x1bc: no)");
}

}  // namespace
}  // namespace loadline
