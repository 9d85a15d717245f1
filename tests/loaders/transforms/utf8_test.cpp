#include "loaders/transforms/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

TEST(Utf8, IsValidUpToTheFirstByteThatIsNot) {
  EXPECT_EQ(valid_utf8(""), 0U);
  EXPECT_EQ(valid_utf8("plain text of more than eight bytes"), 35U);
  EXPECT_EQ(valid_utf8("h\u00f6her \u20ac \U0001f600"), std::string("h\u00f6her \u20ac \U0001f600").size());
  EXPECT_EQ(valid_utf8(std::string("a\0b", 3)), 3U);
  for (const char* wrong :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xe2\x28\xac", "\xe2\x82\x28"}) {
    EXPECT_EQ(valid_utf8(wrong), 0U) << testing::PrintToString(std::string(wrong));
    EXPECT_EQ(valid_utf8(std::string("twelve bytes") + wrong), 12U) << testing::PrintToString(std::string(wrong));
  }
}

TEST(Utf8, BytesWithinACharacterContinueIt) {
  EXPECT_TRUE(continues_character('\x80'));
  EXPECT_TRUE(continues_character('\xbf'));
  EXPECT_FALSE(continues_character('a'));
  EXPECT_FALSE(continues_character('\xc3'));
}

}  // namespace
}  // namespace loadline
