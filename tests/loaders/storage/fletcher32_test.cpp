#include "loaders/storage/fletcher32.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

namespace loadline {
namespace {

std::uint32_t fletcher32_of(std::string_view text) {
  return fletcher32(std::as_bytes(std::span(text)));
}

TEST(Fletcher32, SumsBigEndianWords) {
  EXPECT_EQ(fletcher32_of(""), 0U);
  EXPECT_EQ(fletcher32_of("ab"), 0x6162'6162U);
  EXPECT_EQ(fletcher32_of("abcd"), 0x2629'c4c6U)
      << "0x6162 + 0x6364 = 0xc4c6; 0x6162 + 0xc4c6 = 0x12628, which folds to 0x2629";
  EXPECT_EQ(fletcher32_of("abc"), fletcher32_of(std::string_view("abc\0", 4)))
      << "an odd byte is the high one of a last word";
}

TEST(Fletcher32, FoldsSumsThatDoNotFit) {
  // Each word is 0xffff, which adds nothing.
  EXPECT_EQ(fletcher32(std::vector(2000, std::byte{0xff})), 0xffff'ffffU);
}

TEST(Fletcher32, IsRemovedIfItIsCorrect) {
  const std::array<std::byte, 6> chunk{std::byte{'a'},  std::byte{'b'},  std::byte{0x62},
                                       std::byte{0x61}, std::byte{0x62}, std::byte{0x61}};
  ASSERT_TRUE(without_fletcher32(chunk));
  EXPECT_EQ(without_fletcher32(chunk)->size(), 2U);
  auto other = chunk;
  other[0] = std::byte{'A'};
  EXPECT_FALSE(without_fletcher32(other));
  EXPECT_FALSE(without_fletcher32(std::span(chunk).first(3)));
}

TEST(Fletcher32, IsRemovedAsOldVersionsOfTheLibraryWroteIt) {
  const std::array<std::byte, 6> chunk{std::byte{'a'},  std::byte{'b'},  std::byte{0x61},
                                       std::byte{0x62}, std::byte{0x61}, std::byte{0x62}};
  EXPECT_TRUE(without_fletcher32(chunk));
}

}  // namespace
}  // namespace loadline
