#include "synthetic/generate/texture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace loadline {
namespace {

using Texture = std::array<std::uint8_t, TexturePainter::kBytes>;

Texture painted(const TexturePainter& painter, std::size_t label, std::uint64_t key) {
  Texture out;
  painter.paint(label, key, out);
  return out;
}

TEST(TexturePainter, PaintsTheSamePictureFromTheSameKey) {
  EXPECT_EQ(painted(TexturePainter(1, 10), 3, 99), painted(TexturePainter(1, 10), 3, 99));
}

TEST(TexturePainter, PaintsAnotherPictureFromAnotherKeyClassOrSeed) {
  const TexturePainter painter(1, 10);
  const Texture picture = painted(painter, 3, 99);
  EXPECT_NE(picture, painted(painter, 3, 100));
  EXPECT_NE(picture, painted(painter, 4, 99));
  EXPECT_NE(picture, painted(TexturePainter(2, 10), 3, 99));
}

TEST(TexturePainter, GivesAClassTheSameLookHoweverManyClassesThereAre) {
  EXPECT_EQ(painted(TexturePainter(1, 10), 3, 99), painted(TexturePainter(1, 100), 3, 99));
}

TEST(TexturePainter, UsesTheWholeRangeAndStaysNearTheMiddle) {
  const TexturePainter painter(1, 10);
  std::vector<int> values;
  for (std::uint64_t key = 0; key < 200; ++key)
    for (const std::uint8_t value : painted(painter, key % 10, key)) values.push_back(value);
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  EXPECT_NEAR(mean, 115, 15);
  EXPECT_EQ(*std::ranges::min_element(values), 0);
  EXPECT_EQ(*std::ranges::max_element(values), 255);
}

}  // namespace
}  // namespace loadline
