#include "synthetic/generate/digit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace loadline {
namespace {

using Digit = std::array<std::uint8_t, kDigitBytes>;

Digit painted(std::size_t digit, std::uint64_t key) {
  Digit out;
  paint_digit(digit, key, out);
  return out;
}

TEST(PaintDigit, PaintsTheSamePictureOnlyFromTheSameKeyAndDigit) {
  EXPECT_EQ(painted(5, 1), painted(5, 1));
  EXPECT_NE(painted(5, 1), painted(5, 2));
  EXPECT_NE(painted(5, 1), painted(6, 1));
}

TEST(PaintDigit, PutsBrightInkOnMostlyBlackPaper) {
  for (std::size_t digit = 0; digit < 10; ++digit)
    for (std::uint64_t key = 0; key < 50; ++key) {
      const Digit picture = painted(digit, key);
      const auto ink = std::ranges::count_if(picture, [](std::uint8_t value) { return value > 100; });
      EXPECT_GE(ink, 10) << digit;
      EXPECT_LE(ink, 300) << digit;
      EXPECT_GE(*std::ranges::max_element(picture), 180) << digit;
    }
}

TEST(PaintDigit, LeavesTheCornersToTheNoise) {
  for (std::size_t digit = 0; digit < 10; ++digit)
    for (std::uint64_t key = 0; key < 50; ++key) {
      const Digit picture = painted(digit, key);
      for (const std::size_t corner : {0U, 27U, 756U, 783U}) EXPECT_LE(picture[corner], 15) << digit;
    }
}

}  // namespace
}  // namespace loadline
