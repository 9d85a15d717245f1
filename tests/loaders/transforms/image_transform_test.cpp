#include "loaders/transforms/image_transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using Image = std::vector<std::uint8_t>;

constexpr ImageShape kGrey{1, 2, 3};
constexpr ImageShape kColour{3, 2, 2};

template <typename T>
std::vector<T> apply(const ImageTransform& transform, const Image& image, std::uint64_t epoch = 0,
                     SampleIndex index = 0) {
  std::vector<std::byte> out(transform.sample_bytes());
  transform.apply(reinterpret_cast<const std::byte*>(image.data()), epoch, index, out.data());
  std::vector<T> values(out.size() / sizeof(T));
  std::memcpy(values.data(), out.data(), out.size());
  return values;
}

ImageTransform transform_to(const ImageShape& shape, const TransformOptions& options) {
  return {shape, options, kernels_named("auto")};
}

Image patterned(const ImageShape& shape) {
  Image image(shape.elements());
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(1 + i * 5 % 255);  // never 0
  return image;
}

TEST(ImageTransform, DescribesItsOutput) {
  const ImageTransform transform = transform_to({3, 32, 32}, {.dtype = DType::kBF16, .layout = Layout::kNHWC});
  EXPECT_EQ(transform.shape(), (ImageShape{3, 32, 32}));
  EXPECT_EQ(transform.dtype(), DType::kBF16);
  EXPECT_EQ(transform.layout(), Layout::kNHWC);
  EXPECT_EQ(transform.sample_bytes(), 6144U);
  EXPECT_EQ(&transform.kernels(), &kernels_named("auto"));
}

TEST(ImageTransform, LeavesBytesAsTheyAre) {
  EXPECT_THAT(apply<std::uint8_t>(transform_to(kGrey, {.dtype = DType::kU8}), {0, 1, 2, 253, 254, 255}),
              ElementsAre(0, 1, 2, 253, 254, 255));
}

TEST(ImageTransform, ScalesFloatsToOne) {
  EXPECT_THAT(apply<float>(transform_to({1, 1, 3}, {.dtype = DType::kF32}), {0, 51, 255}),
              ElementsAre(0.0F, FloatEq(0.2F), 1.0F));
}

TEST(ImageTransform, NormalisesFloats) {
  const auto transform = transform_to({1, 1, 2}, {.dtype = DType::kF32, .mean = {0.5}, .stddev = {0.5}});
  EXPECT_THAT(apply<float>(transform, {0, 255}), ElementsAre(-1.0F, 1.0F));
}

TEST(ImageTransform, NormalisesBf16) {
  const auto transform = transform_to({1, 1, 2}, {.dtype = DType::kBF16, .mean = {0.5}, .stddev = {0.5}});
  EXPECT_THAT(apply<std::uint16_t>(transform, {0, 255}), ElementsAre(0xbf80, 0x3f80));
}

TEST(ImageTransform, NormalisesEachChannelByItsOwnConstants) {
  const auto transform = transform_to({3, 1, 1}, {.dtype = DType::kF32, .mean = {0, 0.5, 1}, .stddev = {1, 0.5, 0.25}});
  EXPECT_THAT(apply<float>(transform, {255, 255, 255}), ElementsAre(1.0F, 1.0F, 0.0F));
  EXPECT_THAT(apply<float>(transform, {0, 0, 0}), ElementsAre(0.0F, -1.0F, -4.0F));
}

TEST(ImageTransform, IsWithinAFewRoundingsOfTheExactValue) {
  const auto transform = transform_to({1, 16, 16}, {.dtype = DType::kF32, .mean = {0.4914}, .stddev = {0.247}});
  Image image(256);
  for (std::size_t i = 0; i < 256; ++i) image[i] = static_cast<std::uint8_t>(i);
  const auto values = apply<float>(transform, image);
  for (std::size_t i = 0; i < 256; ++i) {
    EXPECT_NEAR(values[i], (static_cast<double>(i) / 255 - 0.4914) / 0.247, 5e-7);
  }
}

TEST(ImageTransform, InterleavesChannels) {
  const auto transform = transform_to(kColour, {.dtype = DType::kU8, .layout = Layout::kNHWC});
  EXPECT_THAT(apply<std::uint8_t>(transform, {1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24}),
              ElementsAre(1, 11, 21, 2, 12, 22, 3, 13, 23, 4, 14, 24));
}

TEST(ImageTransform, IsTheSameInEitherLayoutForOneChannel) {
  const Image image = patterned({1, 7, 5});
  for (const DType dtype : {DType::kU8, DType::kF32, DType::kBF16}) {
    EXPECT_EQ(apply<std::uint8_t>(transform_to({1, 7, 5}, {.dtype = dtype, .layout = Layout::kNCHW}), image),
              apply<std::uint8_t>(transform_to({1, 7, 5}, {.dtype = dtype, .layout = Layout::kNHWC}), image));
  }
}

template <typename T>
void expect_transposed(TransformOptions options) {
  const ImageShape shape{3, 9, 11};
  const Image image = patterned(shape);
  options.layout = Layout::kNCHW;
  const auto planar = apply<T>(transform_to(shape, options), image, 2, 5);
  options.layout = Layout::kNHWC;
  const auto interleaved = apply<T>(transform_to(shape, options), image, 2, 5);
  for (std::size_t p = 0; p < 99; ++p) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(interleaved[3 * p + c], planar[99 * c + p]);
  }
}

TEST(ImageTransform, GivesTransposedImagesInTheTwoLayouts) {
  for (const std::size_t padding : {0U, 4U}) {
    expect_transposed<std::uint8_t>({.dtype = DType::kU8, .crop_padding = padding});
    expect_transposed<float>(
        {.dtype = DType::kF32, .mean = {0.1, 0.2, 0.3}, .stddev = {0.4, 0.5, 0.6}, .crop_padding = padding});
    expect_transposed<std::uint16_t>(
        {.dtype = DType::kBF16, .mean = {0.1, 0.2, 0.3}, .stddev = {0.4, 0.5, 0.6}, .crop_padding = padding});
  }
}

// Bytes of planes, one pixel after another.
Image pixels_of(const Image& planes, const ImageShape& shape) {
  Image pixels;
  for (std::size_t p = 0; p < shape.pixels(); ++p) {
    for (std::size_t c = 0; c < shape.channels; ++c) pixels.push_back(planes[c * shape.pixels() + p]);
  }
  return pixels;
}

// What `transform` writes with these stores, to memory that begins with a cache line.
std::vector<std::byte> written(const ImageTransform& transform, const Image& image, SampleIndex index, Stores stores) {
  constexpr std::size_t kLine = 64;
  std::vector<std::byte> room(transform.sample_bytes() + kLine);
  const std::size_t skipped = kLine - reinterpret_cast<std::uintptr_t>(room.data()) % kLine;
  std::byte* out = room.data() + skipped;
  transform.apply(reinterpret_cast<const std::byte*>(image.data()), 2, index, out, transform.effective(stores));
  transform.kernels().fence();
  return {out, out + transform.sample_bytes()};
}

// Samples of this shape, from both orders of storage, at every level of CPU.
void expect_the_same_from_both_orders(const ImageShape& shape, const TransformOptions& options) {
  const Image planes = patterned(shape);
  const Image pixels = pixels_of(planes, shape);
  for (const Kernels* kernels : supported_kernels()) {
    const ImageTransform of_planes(shape, options, *kernels);
    const ImageTransform of_pixels(shape, options, *kernels, Layout::kNHWC);
    for (const Stores stores : {Stores::kCached, Stores::kStreaming}) {
      for (SampleIndex index = 0; index < 10; ++index) {
        ASSERT_EQ(written(of_pixels, pixels, index, stores), written(of_planes, planes, index, stores))
            << kernels->name << ", " << name(stores) << ", " << name(options.dtype) << " " << name(options.layout)
            << ", padding " << options.crop_padding << ", " << shape.height << " x " << shape.width << ", sample "
            << index;
      }
    }
  }
}

TEST(ImageTransform, WritesTheSameFromBothOrdersOfStorage) {
  for (const ImageShape& shape : {ImageShape{3, 1, 1}, ImageShape{3, 5, 7}, ImageShape{3, 9, 33}, ImageShape{3, 32, 32},
                                  ImageShape{3, 61, 97}, ImageShape{1, 5, 7}}) {
    for (const DType dtype : {DType::kU8, DType::kF32, DType::kBF16}) {
      for (const Layout layout : {Layout::kNCHW, Layout::kNHWC}) {
        TransformOptions options{.dtype = dtype, .layout = layout};
        if (dtype != DType::kU8) {
          options.mean = {0.1, 0.2, 0.3};
          options.stddev = {0.4, 0.5, 0.6};
          options.mean.resize(shape.channels);
          options.stddev.resize(shape.channels);
        }
        expect_the_same_from_both_orders(shape, options);
        options.flip = true;
        expect_the_same_from_both_orders(shape, options);
        options.crop_padding = std::min<std::size_t>(4, std::min(shape.height, shape.width));
        expect_the_same_from_both_orders(shape, options);
      }
    }
  }
}

TEST(ImageTransform, TakesPixelsWhoseChannelsComeLast) {
  const Image pixels{1, 11, 21, 2, 12, 22, 3, 13, 23, 4, 14, 24};
  const auto take = [&](DType dtype, Layout layout) {
    return ImageTransform(kColour, {.dtype = dtype, .layout = layout}, kernels_named("auto"), Layout::kNHWC);
  };
  EXPECT_THAT(apply<std::uint8_t>(take(DType::kU8, Layout::kNCHW), pixels),
              ElementsAre(1, 2, 3, 4, 11, 12, 13, 14, 21, 22, 23, 24));
  EXPECT_EQ(apply<std::uint8_t>(take(DType::kU8, Layout::kNHWC), pixels), pixels);
  EXPECT_FLOAT_EQ(apply<float>(take(DType::kF32, Layout::kNCHW), pixels)[4], 11.0F / 255);
  EXPECT_FLOAT_EQ(apply<float>(take(DType::kF32, Layout::kNHWC), pixels)[4], 12.0F / 255);
}

TEST(ImageTransform, TakesOneChannelAsPlanesInBothOrders) {
  const TransformOptions options{.dtype = DType::kU8};
  EXPECT_EQ(ImageTransform(kGrey, options, kernels_named("auto"), Layout::kNHWC).stored_layout(), Layout::kNCHW);
  EXPECT_EQ(ImageTransform(kColour, options, kernels_named("auto"), Layout::kNHWC).stored_layout(), Layout::kNHWC);
  EXPECT_EQ(ImageTransform(kColour, options, kernels_named("auto")).stored_layout(), Layout::kNCHW);
}

// Crops and flips as in a textbook: pads with zeros, cuts at (down, right) from the padded image's middle, mirrors.
Image crop_and_flip(const Image& image, const ImageShape& shape, int down, int right, bool flip) {
  Image out;
  for (std::size_t c = 0; c < shape.channels; ++c) {
    for (std::size_t y = 0; y < shape.height; ++y) {
      for (std::size_t x = 0; x < shape.width; ++x) {
        const auto from_y = static_cast<std::ptrdiff_t>(y) + down;
        const auto from_x = static_cast<std::ptrdiff_t>(flip ? shape.width - 1 - x : x) + right;
        const bool inside = from_y >= 0 && from_y < static_cast<std::ptrdiff_t>(shape.height) && from_x >= 0 &&
                            from_x < static_cast<std::ptrdiff_t>(shape.width);
        out.push_back(inside ? image[c * shape.pixels() + static_cast<std::size_t>(from_y) * shape.width +
                                     static_cast<std::size_t>(from_x)]
                             : std::uint8_t{0});
      }
    }
  }
  return out;
}

// The crop and flip of the reference that an output equals, as (down, right, flip).
using Choice = std::tuple<int, int, bool>;

class Augmented {
 public:
  Augmented(const ImageShape& shape, int padding) : shape_(shape), image_(patterned(shape)) {
    for (int down = -padding; down <= padding; ++down) {
      for (int right = -padding; right <= padding; ++right) {
        for (const bool flip : {false, true}) {
          choices_.emplace(crop_and_flip(image_, shape, down, right, flip), Choice{down, right, flip});
        }
      }
    }
  }

  std::optional<Choice> choice(const ImageTransform& transform, std::uint64_t epoch, SampleIndex index) const {
    const auto found = choices_.find(apply<std::uint8_t>(transform, image_, epoch, index));
    return found == choices_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  ImageShape shape_;
  Image image_;
  std::map<Image, Choice> choices_;
};

TEST(ImageTransform, CropsAndFlipsLikeTheReferenceInEveryWayAboutEquallyOften) {
  for (const ImageShape& shape : {ImageShape{1, 5, 7}, ImageShape{3, 6, 6}}) {
    const Augmented augmented(shape, 2);
    const auto transform = transform_to(shape, {.dtype = DType::kU8, .crop_padding = 2, .flip = true});
    std::map<Choice, int> counts;
    for (SampleIndex index = 0; index < 10'000; ++index) {
      const auto choice = augmented.choice(transform, 1, index);
      ASSERT_TRUE(choice) << index;
      ++counts[*choice];
    }
    EXPECT_EQ(counts.size(), 50U);
    // Five standard deviations of a binomial with n = 10,000 and p = 1/50.
    for (const auto& [choice, count] : counts) EXPECT_NEAR(count, 200, 70);
  }
}

TEST(ImageTransform, CropsAndFlipsImagesOfAnyWidthLikeTheReference) {
  for (const std::size_t width : {1U, 4U, 8U, 15U, 16U, 17U, 28U, 31U, 32U, 33U, 64U}) {
    for (const std::size_t channels : {1U, 3U}) {
      const ImageShape shape{channels, 6, width};
      const int padding = std::min(4, static_cast<int>(width));
      const Augmented augmented(shape, padding);
      const auto transform =
          transform_to(shape, {.dtype = DType::kU8, .crop_padding = static_cast<std::size_t>(padding), .flip = true});
      for (SampleIndex index = 0; index < 300; ++index) {
        EXPECT_TRUE(augmented.choice(transform, 0, index)) << "width " << width << ", sample " << index;
      }
    }
  }
}

TEST(ImageTransform, FlipsHalfOfTheSamplesAndCropsNoneIfOnlyFlipIsSet) {
  const Augmented augmented({3, 4, 5}, 1);
  const auto transform = transform_to({3, 4, 5}, {.dtype = DType::kU8, .flip = true});
  int flipped = 0;
  for (SampleIndex index = 0; index < 10'000; ++index) {
    const auto choice = augmented.choice(transform, 0, index);
    ASSERT_TRUE(choice == Choice(0, 0, false) || choice == Choice(0, 0, true));
    flipped += std::get<bool>(*choice) ? 1 : 0;
  }
  EXPECT_NEAR(flipped, 5000, 250);
}

TEST(ImageTransform, FlipsNoneIfOnlyCropIsSet) {
  const Augmented augmented({1, 5, 7}, 2);
  const auto transform = transform_to({1, 5, 7}, {.dtype = DType::kU8, .crop_padding = 2});
  for (SampleIndex index = 0; index < 1000; ++index) {
    const auto choice = augmented.choice(transform, 0, index);
    ASSERT_TRUE(choice);
    EXPECT_FALSE(std::get<bool>(*choice));
  }
}

TEST(ImageTransform, CropsByAsMuchAsTheWholeImage) {
  const Augmented augmented({1, 2, 3}, 2);
  const auto transform = transform_to({1, 2, 3}, {.dtype = DType::kU8, .crop_padding = 2});
  for (SampleIndex index = 0; index < 200; ++index) EXPECT_TRUE(augmented.choice(transform, 0, index));
}

TEST(ImageTransform, AugmentsAnImageLargerThanItsStageLikeTheReference) {
  const ImageShape shape{3, 150, 101};  // 45,450 bytes
  const Augmented augmented(shape, 2);
  const auto transform = transform_to(shape, {.dtype = DType::kU8, .crop_padding = 2, .flip = true});
  for (SampleIndex index = 0; index < 20; ++index) EXPECT_TRUE(augmented.choice(transform, 0, index)) << index;
}

TEST(ImageTransform, PadsWithByteZeroBeforeItNormalises) {
  const auto transform =
      transform_to({1, 1, 1}, {.dtype = DType::kF32, .mean = {0.5}, .stddev = {0.5}, .crop_padding = 1, .flip = false});
  std::set<float> seen;
  for (SampleIndex index = 0; index < 100; ++index) seen.insert(apply<float>(transform, {255}, 0, index)[0]);
  EXPECT_THAT(seen, ElementsAre(-1.0F, 1.0F));
}

TEST(ImageTransform, AugmentsByEpochAndIndexWhateverCameBefore) {
  const ImageShape shape{3, 8, 8};
  const Augmented augmented(shape, 4);
  const auto transform = transform_to(shape, {.dtype = DType::kU8, .crop_padding = 4, .flip = true});
  std::vector<std::optional<Choice>> forwards;
  std::vector<std::optional<Choice>> backwards;
  for (SampleIndex i = 0; i < 50; ++i) forwards.push_back(augmented.choice(transform, 7, i));
  for (SampleIndex i = 50; i > 0; --i) backwards.push_back(augmented.choice(transform, 7, i - 1));
  std::ranges::reverse(backwards);
  EXPECT_EQ(forwards, backwards);
}

TEST(ImageTransform, AugmentsDifferentlyForEachSeedEpochAndIndex) {
  const ImageShape shape{3, 8, 8};
  const Augmented augmented(shape, 4);
  const auto choices = [&](std::uint64_t seed, std::uint64_t epoch, SampleIndex first) {
    const auto transform = transform_to(shape, {.dtype = DType::kU8, .crop_padding = 4, .flip = true, .seed = seed});
    std::vector<std::optional<Choice>> all;
    for (SampleIndex i = 0; i < 20; ++i) all.push_back(augmented.choice(transform, epoch, first + i));
    return all;
  };
  const std::set all{choices(1, 0, 0), choices(2, 0, 0), choices(1, 1, 0), choices(1, 0, 20)};
  EXPECT_EQ(all.size(), 4U);
  EXPECT_EQ(choices(1, 0, 0), choices(1, 0, 0));
}

TEST(ImageTransform, AugmentsTheSameOnEveryMachine) {
  const ImageShape shape{3, 8, 8};
  const Augmented augmented(shape, 4);
  const auto transform = transform_to(shape, {.dtype = DType::kU8, .crop_padding = 4, .flip = true, .seed = 1});
  EXPECT_EQ(augmented.choice(transform, 0, 0), Choice(3, -1, true));
  EXPECT_EQ(augmented.choice(transform, 0, 1), Choice(1, -2, false));
  EXPECT_EQ(augmented.choice(transform, 1, 0), Choice(3, 1, true));
}

TEST(ImageTransform, RefusesOptionsThatDoNotFit) {
  const auto refusal = [](const ImageShape& shape, const TransformOptions& options) {
    return test::thrown_by([&] { transform_to(shape, options); });
  };
  EXPECT_EQ(refusal({2, 4, 4}, {}), test::usage("images of 2 channels: want 1 or 3"));
  EXPECT_EQ(refusal(kGrey, {.dtype = DType::kU8, .mean = {0.5}}),
            test::usage("normalisation of dtype u8: only f32 and bf16 can be normalised"));
  EXPECT_EQ(refusal(kGrey, {.dtype = DType::kU8, .stddev = {0.5}}),
            test::usage("normalisation of dtype u8: only f32 and bf16 can be normalised"));
  EXPECT_EQ(refusal(kColour, {.mean = {0.5}}), test::usage("mean of 1 channel: a batch has 3"));
  EXPECT_EQ(refusal(kGrey, {.stddev = {0.5, 0.5, 0.5}}), test::usage("std of 3 channels: a batch has 1"));
  EXPECT_EQ(refusal(kGrey, {.mean = {std::nan("")}}), test::usage("mean: want a finite number, got nan"));
  EXPECT_EQ(refusal(kGrey, {.stddev = {0}}), test::usage("std: want more than 0, got 0"));
  EXPECT_EQ(refusal(kGrey, {.stddev = {-1.5}}), test::usage("std: want more than 0, got -1.5"));
  EXPECT_EQ(refusal(kGrey, {.stddev = {std::numeric_limits<double>::infinity()}}),
            test::usage("std: want more than 0, got inf"));
  EXPECT_EQ(refusal(kGrey, {.stddev = {1e-300}}),
            test::usage("mean 0 and std 1e-300: the normalised values are beyond single precision"));
  EXPECT_EQ(refusal(kGrey, {.mean = {1e300}}),
            test::usage("mean 1e+300 and std 1: the normalised values are beyond single precision"));
  EXPECT_EQ(refusal({1, 8, 4}, {.crop_padding = 5}), test::usage("crop padding 5: more than the 8 x 4 image itself"));
  EXPECT_EQ(refusal({3, 1, 6000}, {.flip = true}),
            test::usage("crop and flip: rows of 18000 bytes are wider than 16384"));
}

}  // namespace
}  // namespace loadline
