#include "loaders/transforms/resize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <opencv2/imgproc.hpp>

#include "loaders/random.h"
#include "loaders/transforms/normalisation.h"
#include "tests/loaders/support/jpegs.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::Bytes;
using test::Picture;
using testing::ElementsAre;

BilinearResize resize_to(ImageSize out, DType dtype, Layout layout, const Kernels& kernels) {
  return {out, dtype, layout, affine_of(dtype, 3, {}, {}), kernels};
}

Window all_of(const Picture& picture) {
  return {.height = static_cast<double>(picture.size.height), .width = static_cast<double>(picture.size.width)};
}

Picture resized(const Picture& picture, ImageSize out, const Window& window, bool flip = false,
                const Kernels& kernels = kernels_named("auto")) {
  const BilinearResize resize = resize_to(out, DType::kU8, Layout::kNHWC, kernels);
  ResizeScratch scratch;
  Picture result{.size = out, .pixels = Bytes(resize.sample_bytes())};
  resize.apply(test::view_of(picture), window, flip, scratch, reinterpret_cast<std::byte*>(result.pixels.data()));
  return result;
}

Picture resized(const Picture& picture, ImageSize out, const Kernels& kernels = kernels_named("auto")) {
  return resized(picture, out, all_of(picture), false, kernels);
}

Picture resized_by_opencv(const Picture& picture, ImageSize out) {
  Bytes pixels = picture.pixels;
  const cv::Mat in(static_cast<int>(picture.size.height), static_cast<int>(picture.size.width), CV_8UC3, pixels.data());
  Picture result{.size = out, .pixels = Bytes(3 * out.pixels())};
  cv::Mat mat(static_cast<int>(out.height), static_cast<int>(out.width), CV_8UC3, result.pixels.data());
  cv::resize(in, mat, mat.size(), 0, 0, cv::INTER_LINEAR);
  return result;
}

Picture noise(const ImageSize& size) {
  Random random(1);
  Picture picture{.size = size, .pixels = Bytes(3 * size.pixels())};
  for (std::uint8_t& byte : picture.pixels) byte = static_cast<std::uint8_t>(random.below(256));
  return picture;
}

const std::vector<ImageSize> kSizes{{1, 1},   {1, 7},   {7, 1},    {2, 2},    {3, 5},     {16, 16},  {17, 33},
                                    {31, 64}, {65, 63}, {100, 75}, {128, 96}, {224, 224}, {300, 411}};

TEST(BilinearResize, IsWithinOneOfOpenCv) {
  for (const ImageSize in : kSizes) {
    for (const ImageSize out : kSizes) {
      const Picture picture = noise(in);
      ASSERT_LE(test::difference(resized(picture, out), resized_by_opencv(picture, out)).largest, 1)
          << in.width << " x " << in.height << " to " << out.width << " x " << out.height;
    }
  }
}

// Returns the weighted sum in double precision.
double exact_value(const Picture& picture, ImageSize out, std::size_t byte) {
  const auto tap = [](std::size_t i, std::size_t count, std::size_t from) {
    return std::clamp((static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(count) - 0.5,
                      0.0, static_cast<double>(from - 1));
  };
  const double y = tap(byte / 3 / out.width, out.height, picture.size.height);
  const double x = tap(byte / 3 % out.width, out.width, picture.size.width);
  double exact = 0;
  for (const double row : {std::floor(y), std::floor(y) + 1}) {
    for (const double column : {std::floor(x), std::floor(x) + 1}) {
      const double weight = (1 - std::abs(y - row)) * (1 - std::abs(x - column));
      if (weight == 0) continue;
      const std::size_t pixel = static_cast<std::size_t>(row) * picture.size.width + static_cast<std::size_t>(column);
      exact += weight * picture.pixels[3 * pixel + byte % 3];
    }
  }
  return exact;
}

// Before it is rounded, a value may be off by 1/64.
TEST(BilinearResize, IsTheNearestByteOrNearlySo) {
  for (const ImageSize in : {ImageSize{37, 41}, ImageSize{150, 201}}) {
    const Picture picture = noise(in);
    for (const ImageSize out : {ImageSize{53, 29}, ImageSize{24, 99}, ImageSize{110, 40}, ImageSize{9, 13}}) {
      const Picture result = resized(picture, out);
      for (std::size_t i = 0; i < result.pixels.size(); ++i) {
        ASSERT_NEAR(result.pixels[i], exact_value(picture, out, i), 0.5 + 1.0 / 64)
            << "byte " << i << " of " << out.width << " x " << out.height;
      }
    }
  }
}

TEST(BilinearResize, ChangesNothingAtTheSameSize) {
  const Picture picture = noise({33, 47});
  EXPECT_EQ(resized(picture, picture.size), picture);
}

TEST(BilinearResize, GivesTheMiddleOfTwoPixelsTheirMean) {
  const Picture picture{.size = {.height = 1, .width = 2}, .pixels = {0, 10, 20, 100, 110, 120}};
  EXPECT_THAT(resized(picture, {1, 1}).pixels, ElementsAre(50, 60, 70));
  EXPECT_THAT(resized(picture, {1, 4}).pixels, ElementsAre(0, 10, 20, 25, 35, 45, 75, 85, 95, 100, 110, 120));
}

TEST(BilinearResize, IsTheSameAtEveryLevel) {
  for (const ImageSize in : kSizes) {
    for (const ImageSize out : {ImageSize{1, 1}, ImageSize{5, 15}, ImageSize{40, 16}, ImageSize{31, 100}}) {
      const Picture picture = noise(in);
      const Picture scalar = resized(picture, out, kernels_named("scalar"));
      for (const Kernels* kernels : supported_kernels()) {
        ASSERT_EQ(resized(picture, out, *kernels).pixels, scalar.pixels)
            << kernels->name << ": " << in.width << " x " << in.height << " to " << out.width << " x " << out.height;
      }
    }
  }
}

TEST(BilinearResize, MirrorsWhatItFlips) {
  const Picture picture = noise({20, 31});
  const ImageSize out{.height = 13, .width = 45};
  const Picture straight = resized(picture, out);
  const Picture flipped = resized(picture, out, all_of(picture), true);
  for (std::size_t y = 0; y < out.height; ++y) {
    for (std::size_t x = 0; x < out.width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        ASSERT_EQ(flipped.pixels[3 * (y * out.width + x) + c], straight.pixels[3 * (y * out.width + 44 - x) + c]);
      }
    }
  }
}

TEST(BilinearResize, GivesThatPartOfTheWholeForAWindow) {
  const Picture picture = noise({60, 80});
  const Picture whole = resized(picture, {90, 100});
  // The whole has 100 columns of 0.8 pixels and 90 rows of 2/3 pixels.
  const Window window{.top = 20 * 60.0 / 90, .left = 33 * 0.8, .height = 30 * 60.0 / 90, .width = 50 * 0.8};
  EXPECT_EQ(resized(picture, {30, 50}, window),
            test::part_of(whole, {.top = 20, .left = 33, .height = 30, .width = 50}));
}

TEST(BilinearResize, RepeatsTheOutermostPixelsBeyondTheImage) {
  const Picture picture{.size = {.height = 1, .width = 2}, .pixels = {1, 2, 3, 4, 5, 6}};
  EXPECT_THAT(resized(picture, {1, 4}, {.left = -1, .height = 1, .width = 4}).pixels,
              ElementsAre(1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
}

TEST(BilinearResize, ReadsRowsWithGapsBetweenThem) {
  const Picture picture = noise({20, 30});
  const Picture expected = resized(test::part_of(picture, {.top = 4, .left = 5, .height = 10, .width = 11}), {7, 7});
  RgbView view = test::view_of(picture);
  view.pixels = view.row(4) + 15;
  view.size = {.height = 10, .width = 11};
  Bytes out(147);
  ResizeScratch scratch;
  resize_to({7, 7}, DType::kU8, Layout::kNHWC, kernels_named("auto"))
      .apply(view, false, scratch, reinterpret_cast<std::byte*>(out.data()));
  EXPECT_EQ(out, expected.pixels);
}

TEST(BilinearResize, GivesTheSameAfterALargerImageWithTheSameScratch) {
  const Picture small = noise({9, 9});
  const BilinearResize resize = resize_to({20, 20}, DType::kU8, Layout::kNHWC, kernels_named("auto"));
  ResizeScratch scratch;
  Bytes out(resize.sample_bytes());
  const auto run = [&](const Picture& picture) {
    resize.apply(test::view_of(picture), false, scratch, reinterpret_cast<std::byte*>(out.data()));
    return out;
  };
  const Bytes first = run(small);
  run(noise({100, 100}));
  EXPECT_EQ(run(small), first);
}

// Resizes into memory with 64-byte alignment, and checks that a margin on both sides stays untouched.
template <typename T>
std::vector<T> converted(const Picture& picture, const BilinearResize& resize, Stores stores) {
  const std::size_t margin = 64;
  std::vector<std::byte> bytes(resize.sample_bytes() + 3 * margin, std::byte{0xa5});
  const std::size_t start = margin + (margin - reinterpret_cast<std::uintptr_t>(bytes.data()) % margin) % margin;
  ResizeScratch scratch;
  resize.apply(test::view_of(picture), true, scratch, bytes.data() + start, stores);
  resize.kernels().fence();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const bool inside = i >= start && i < start + resize.sample_bytes();
    EXPECT_TRUE(inside || bytes[i] == std::byte{0xa5}) << "byte " << i;
  }
  std::vector<T> values(resize.sample_bytes() / sizeof(T));
  std::memcpy(values.data(), bytes.data() + start, resize.sample_bytes());
  return values;
}

template <typename T, typename Value>
void expect_as_bytes(DType dtype, const Value& value_of) {
  const Picture picture = noise({40, 50});
  for (const ImageSize out : {ImageSize{13, 19}, ImageSize{6, 64}, ImageSize{33, 16}}) {
    const Picture bytes = resized(picture, out, all_of(picture), true);
    for (const Kernels* kernels : supported_kernels()) {
      for (const Stores stores : {Stores::kCached, Stores::kStreaming}) {
        const auto planar = converted<T>(picture, resize_to(out, dtype, Layout::kNCHW, *kernels), stores);
        const auto mixed = converted<T>(picture, resize_to(out, dtype, Layout::kNHWC, *kernels), stores);
        for (std::size_t i = 0; i < bytes.pixels.size(); ++i) {
          const T expected = value_of(bytes.pixels[i]);
          ASSERT_EQ(mixed[i], expected);
          ASSERT_EQ(planar[i % 3 * out.pixels() + i / 3], expected);
        }
      }
    }
  }
}

TEST(BilinearResize, ConvertsItsBytes) {
  const Affine affine = affine_of(DType::kF32, 1, {}, {}).front();
  const auto f32 = [affine](std::uint8_t byte) { return static_cast<float>(byte) * affine.scale + affine.bias; };
  expect_as_bytes<std::uint8_t>(DType::kU8, [](std::uint8_t byte) { return byte; });
  expect_as_bytes<float>(DType::kF32, f32);
  expect_as_bytes<std::uint16_t>(DType::kBF16, [f32](std::uint8_t byte) {
    const float value = f32(byte);
    std::uint16_t rounded = 0;
    kernels_named("scalar").to_bf16(&byte, 1, affine_of(DType::kBF16, 1, {}, {}).front(), &rounded);
    EXPECT_NEAR(value, std::bit_cast<float>(static_cast<std::uint32_t>(rounded) << 16U), 0.002);
    return rounded;
  });
}

TEST(BilinearResize, StreamsRowsOfWholeCacheLinesOnly) {
  const Kernels& fastest = kernels_named("auto");
  const Stores if_it_can = fastest.has_streaming ? Stores::kStreaming : Stores::kCached;
  const auto effective = [&fastest](std::size_t width, DType dtype, Layout layout) {
    return resize_to({5, width}, dtype, layout, fastest).effective(Stores::kStreaming);
  };
  EXPECT_EQ(effective(224, DType::kF32, Layout::kNCHW), if_it_can);
  EXPECT_EQ(effective(224, DType::kBF16, Layout::kNCHW), if_it_can);
  EXPECT_EQ(effective(224, DType::kU8, Layout::kNCHW), Stores::kCached);
  EXPECT_EQ(effective(64, DType::kU8, Layout::kNCHW), if_it_can);
  EXPECT_EQ(effective(64, DType::kU8, Layout::kNHWC), Stores::kCached);
  EXPECT_EQ(effective(16, DType::kF32, Layout::kNHWC), if_it_can);
  EXPECT_EQ(effective(15, DType::kF32, Layout::kNHWC), Stores::kCached);
}

TEST(BilinearResize, DescribesItsOutput) {
  const BilinearResize resize = resize_to({20, 30}, DType::kBF16, Layout::kNCHW, kernels_named("scalar"));
  EXPECT_EQ(resize.shape(), (ImageShape{3, 20, 30}));
  EXPECT_EQ(resize.sample_bytes(), 3600U);
  EXPECT_EQ(resize.kernels().name, "scalar");
}

TEST(BilinearResize, RefusesAnOutputWithoutPixels) {
  EXPECT_EQ(test::thrown_by([] {
              resize_to({0, 3}, DType::kU8, Layout::kNCHW, kernels_named("auto"));
            }),
            test::usage("resize to 3 x 0: no pixels"));
}

}  // namespace
}  // namespace loadline
