#include "loaders/transforms/crop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace loadline {
namespace {

TEST(RandomCrop, LiesInTheImageAndInTheRange) {
  const ImageSize image{.height = 375, .width = 500};
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const Region crop = random_crop(image, {}, random);
    ASSERT_TRUE(contains(image, crop));
    const auto height = static_cast<double>(crop.height);
    const auto width = static_cast<double>(crop.width);
    // Both sides are rounded.
    ASSERT_GE((height + 0.5) * (width + 0.5), 0.08 * 375 * 500);
    ASSERT_GE((width + 0.5) / (height - 0.5), 3.0 / 4);
    ASSERT_LE((width - 0.5) / (height + 0.5), 4.0 / 3);
  }
}

TEST(RandomCrop, CoversEveryAreaRatioAndPlace) {
  const ImageSize image{.height = 1000, .width = 1000};
  Random random(1);
  double area = 0;
  double log_ratio = 0;
  double top = 0;
  double least = 1;
  const int crops = 20'000;
  for (int i = 0; i < crops; ++i) {
    const Region crop = random_crop(image, {.least_area = 0.1, .most_area = 0.5}, random);
    const double part = static_cast<double>(crop.height * crop.width) / 1e6;
    area += part / crops;
    least = std::min(least, part);
    log_ratio += std::log(static_cast<double>(crop.width) / static_cast<double>(crop.height)) / crops;
    top += static_cast<double>(crop.top) / static_cast<double>(1000 - crop.height) / crops;
  }
  EXPECT_NEAR(area, 0.3, 0.005);  // all of them fit
  EXPECT_NEAR(least, 0.1, 0.002);
  EXPECT_NEAR(log_ratio, 0, 0.01);
  EXPECT_NEAR(top, 0.5, 0.01);
}

TEST(RandomCrop, IsTheMiddleOfATooLongImage) {
  Random random(1);
  EXPECT_EQ(random_crop({.height = 30, .width = 1000}, {.least_area = 0.9}, random),
            (Region{.top = 0, .left = 480, .height = 30, .width = 40}));
  EXPECT_EQ(random_crop({.height = 1000, .width = 30}, {.least_area = 0.9}, random),
            (Region{.top = 480, .left = 0, .height = 40, .width = 30}));
}

TEST(RandomCrop, HasAtLeastOnePixelOfATinyImage) {
  Random random(1);
  for (std::size_t height = 1; height <= 4; ++height) {
    for (std::size_t width = 1; width <= 4; ++width) {
      for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(contains({height, width}, random_crop({height, width}, {}, random)));
      }
    }
  }
}

TEST(RandomCrop, IsTheSameForTheSameRandomNumbers) {
  Random one(7);
  Random other(7);
  EXPECT_EQ(random_crop({375, 500}, {}, one), random_crop({375, 500}, {}, other));
}

TEST(CentreCrop, IsTheMiddleInPixelsOfTheImage) {
  // The image is resized to 341 x 256. The crop is then at (58, 16): half of 117 is rounded to the even number.
  const Window window = centre_crop({.height = 375, .width = 500}, 256, {.height = 224, .width = 224});
  EXPECT_DOUBLE_EQ(window.top, 16 * 375.0 / 256);
  EXPECT_DOUBLE_EQ(window.left, 58 * 500.0 / 341);
  EXPECT_DOUBLE_EQ(window.height, 224 * 375.0 / 256);
  EXPECT_DOUBLE_EQ(window.width, 224 * 500.0 / 341);
}

TEST(CentreCrop, IsTransposedForAnUprightImage) {
  const Window wide = centre_crop({.height = 375, .width = 500}, 256, {.height = 224, .width = 224});
  const Window high = centre_crop({.height = 500, .width = 375}, 256, {.height = 224, .width = 224});
  EXPECT_EQ(high.top, wide.left);
  EXPECT_EQ(high.left, wide.top);
  EXPECT_EQ(high.height, wide.width);
}

TEST(CentreCrop, CoversTheWholeSideIfItIsAsLarge) {
  const Window window = centre_crop({.height = 100, .width = 100}, 32, {.height = 32, .width = 32});
  EXPECT_DOUBLE_EQ(window.top, 0);
  EXPECT_DOUBLE_EQ(window.height, 100);
}

}  // namespace
}  // namespace loadline
