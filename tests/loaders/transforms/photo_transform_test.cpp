#include "loaders/transforms/photo_transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <set>

#include "loaders/random.h"
#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/jpegs.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using test::as_encoded;
using test::Bytes;
using test::Picture;
using testing::StartsWith;

constexpr ImageSize kSmall{.height = 40, .width = 56};

template <typename T = std::uint8_t>
std::vector<T> apply(const PhotoOptions& options, const Bytes& encoded, std::uint64_t epoch = 0, SampleIndex index = 0,
                     Stores stores = Stores::kCached) {
  const PhotoTransform transform(options, kernels_named("auto"));
  PhotoWorker worker;
  std::vector<T> values(transform.sample_bytes() / sizeof(T));
  transform.apply(worker, as_encoded(encoded), epoch, index, reinterpret_cast<std::byte*>(values.data()), stores);
  transform.kernels().fence();
  return values;
}

// Returns the options for interleaved bytes.
PhotoOptions to_bytes(PhotoOptions options) {
  options.dtype = DType::kU8;
  options.layout = Layout::kNHWC;
  return options;
}

Picture picture_by(const PhotoOptions& options, const Bytes& encoded, std::uint64_t epoch = 0, SampleIndex index = 0) {
  return {.size = options.size, .pixels = apply(to_bytes(options), encoded, epoch, index)};
}

cv::Mat rgb_by_opencv(const Bytes& encoded, bool turn = false) {
  cv::Mat rgb;
  const int flags = turn ? cv::IMREAD_COLOR : cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION;
  cv::cvtColor(cv::imdecode(encoded, flags), rgb, cv::COLOR_BGR2RGB);
  return rgb;
}

Picture picture_of(const cv::Mat& rgb) {
  const cv::Mat together = rgb.clone();
  return {.size = {.height = static_cast<std::size_t>(rgb.rows), .width = static_cast<std::size_t>(rgb.cols)},
          .pixels = Bytes(together.datastart, together.dataend)};
}

cv::Mat resized_by_opencv(const cv::Mat& image, ImageSize out, bool flip = false) {
  cv::Mat resized;
  cv::resize(image, resized, {static_cast<int>(out.width), static_cast<int>(out.height)}, 0, 0, cv::INTER_LINEAR);
  if (flip) cv::flip(resized, resized, 1);
  return resized;
}

// Cuts and resizes the decoded image with OpenCV, where the same random numbers place the crop.
Picture random_crop_by_opencv(const PhotoOptions& options, const cv::Mat& image, std::uint64_t epoch,
                              SampleIndex index) {
  Random random(key_of(options.seed, epoch, index));
  const ImageSize size{.height = static_cast<std::size_t>(image.rows), .width = static_cast<std::size_t>(image.cols)};
  const Region crop = random_crop(size, options.random_crop, random);
  const bool flip = options.flip && random.below(2) == 1;
  const cv::Rect part(static_cast<int>(crop.left), static_cast<int>(crop.top), static_cast<int>(crop.width),
                      static_cast<int>(crop.height));
  return picture_of(resized_by_opencv(image(part), options.size, flip));
}

Bytes png_of(const cv::Mat& image) {
  Bytes png;
  cv::imencode(".png", image, png);
  return png;
}

TEST(PhotoTransform, DescribesItsOutput) {
  const PhotoTransform transform({.size = {.height = 30, .width = 20}, .dtype = DType::kBF16, .layout = Layout::kNHWC},
                                 kernels_named("scalar"));
  EXPECT_EQ(transform.shape(), (ImageShape{3, 30, 20}));
  EXPECT_EQ(transform.dtype(), DType::kBF16);
  EXPECT_EQ(transform.layout(), Layout::kNHWC);
  EXPECT_EQ(transform.sample_bytes(), 3600U);
  EXPECT_EQ(transform.kernels().name, "scalar");
}

TEST(PhotoTransform, IsWithinOneOfOpenCvForARandomCrop) {
  const PhotoOptions options{.size = kSmall, .flip = true};
  for (const test::JpegKind& kind : test::jpeg_kinds()) {
    const Bytes jpeg = test::jpeg_of(test::photo({97, 131}), kind);
    const cv::Mat image = rgb_by_opencv(jpeg);
    for (SampleIndex index = 0; index < 40; ++index) {
      ASSERT_LE(test::difference(picture_by(options, jpeg, 3, index), random_crop_by_opencv(options, image, 3, index))
                    .largest,
                1)
          << kind.name << ", sample " << index;
    }
  }
}

TEST(PhotoTransform, IsNearOpenCvForGreyAndInks) {
  const PhotoOptions options{.size = kSmall, .flip = true};
  for (const std::size_t channels : {1U, 4U}) {
    const Bytes jpeg = test::jpeg_of(test::photo({97, 131}, channels));
    const cv::Mat image = rgb_by_opencv(jpeg);
    for (SampleIndex index = 0; index < 40; ++index) {
      // OpenCV's inks are themselves off by two.
      ASSERT_LE(test::difference(picture_by(options, jpeg, 0, index), random_crop_by_opencv(options, image, 0, index))
                    .largest,
                channels == 1 ? 1 : 3);
    }
  }
}

TEST(PhotoTransform, IsWithinOneOfOpenCvForACentreCrop) {
  const PhotoOptions options{.size = {.height = 48, .width = 64}, .crop = PhotoCrop::kCentre, .shorter_side = 72};
  for (const ImageSize size : {ImageSize{97, 131}, ImageSize{131, 97}, ImageSize{40, 50}, ImageSize{300, 90}}) {
    const Bytes jpeg = test::jpeg_of(test::photo(size), {.across = 2, .down = 2});
    const std::size_t shorter = std::min(size.height, size.width);
    const ImageSize resized{.height = 72 * size.height / shorter, .width = 72 * size.width / shorter};
    const cv::Mat all = resized_by_opencv(rgb_by_opencv(jpeg), resized);
    const Region middle{.top = static_cast<std::size_t>(std::nearbyint(static_cast<double>(resized.height - 48) / 2)),
                        .left = static_cast<std::size_t>(std::nearbyint(static_cast<double>(resized.width - 64) / 2)),
                        .height = 48,
                        .width = 64};
    EXPECT_LE(test::difference(picture_by(options, jpeg), test::part_of(picture_of(all), middle)).largest, 1)
        << size.width << " x " << size.height;
  }
}

TEST(PhotoTransform, IsWithinOneOfOpenCvForTheWholeImage) {
  const PhotoOptions options{.size = kSmall, .crop = PhotoCrop::kNone};
  const Bytes jpeg = test::jpeg_of(test::photo({97, 131}), {.across = 2, .down = 2});
  EXPECT_LE(
      test::difference(picture_by(options, jpeg), picture_of(resized_by_opencv(rgb_by_opencv(jpeg), kSmall))).largest,
      1);
}

TEST(PhotoTransform, GivesTheSameBytesWithEitherDecoder) {
  for (const PhotoCrop crop : {PhotoCrop::kRandomResized, PhotoCrop::kCentre, PhotoCrop::kNone}) {
    for (const bool turn : {false, true}) {
      PhotoOptions options{.size = kSmall, .crop = crop, .shorter_side = 60, .flip = true, .turn_upright = turn};
      const Bytes jpeg =
          test::jpeg_of(test::photo({97, 131}), {.across = 2, .down = 2, .app1 = test::exif(Orientation::kMirror)});
      for (SampleIndex index = 0; index < 10; ++index) {
        options.decoder = PhotoDecoder::kJpeg;
        const Picture ours = picture_by(options, jpeg, 0, index);
        options.decoder = PhotoDecoder::kOpenCv;
        EXPECT_EQ(ours.pixels, picture_by(options, jpeg, 0, index).pixels) << name(crop);
      }
    }
  }
}

TEST(PhotoTransform, TurnsUprightOnRequestAsOpenCvDoes) {
  for (int value = 1; value <= 8; ++value) {
    const auto orientation = static_cast<Orientation>(value);
    const Bytes jpeg = test::jpeg_of(test::photo({97, 131}), {.across = 2, .app1 = test::exif(orientation)});
    PhotoOptions options{.size = kSmall, .flip = true};
    for (const bool turn : {false, true}) {
      options.turn_upright = turn;
      const cv::Mat image = rgb_by_opencv(jpeg, turn);
      for (SampleIndex index = 0; index < 10; ++index) {
        ASSERT_LE(test::difference(picture_by(options, jpeg, 0, index), random_crop_by_opencv(options, image, 0, index))
                      .largest,
                  1)
            << "orientation " << value;
      }
    }
  }
}

TEST(PhotoTransform, TurnsACentreCropUprightAsOpenCvDoes) {
  for (int value = 1; value <= 8; ++value) {
    const Bytes jpeg = test::jpeg_of(test::photo({97, 131}), {.app1 = test::exif(static_cast<Orientation>(value))});
    PhotoOptions options{
        .size = {.height = 30, .width = 44}, .crop = PhotoCrop::kCentre, .shorter_side = 50, .turn_upright = true};
    const Picture ours = picture_by(options, jpeg);
    options.decoder = PhotoDecoder::kOpenCv;
    EXPECT_LE(test::difference(ours, picture_by(options, jpeg)).largest, 1) << "orientation " << value;
  }
}

// A scaled decode averages more pixels than INTER_LINEAR reads. The image has detail that the output can show and a
// little grain that it cannot.
TEST(PhotoTransform, IsNearTheWholeInTheMeanAtAFractionOfTheSize) {
  for (const std::size_t times : {2U, 4U, 8U}) {
    PhotoOptions options{.size = kSmall, .crop = PhotoCrop::kNone};
    const ImageSize size{.height = times * kSmall.height + times / 2, .width = times * kSmall.width + 1};
    Picture blurred = test::photo(size);
    cv::Mat mat(static_cast<int>(size.height), static_cast<int>(size.width), CV_8UC3, blurred.pixels.data());
    cv::GaussianBlur(mat, mat, {0, 0}, 1.5 * static_cast<double>(times));
    const Bytes jpeg = test::jpeg_of(blurred, {.across = 2, .down = 2});
    const Picture from_all = picture_by(options, jpeg);
    options.allow_scaled_dct = true;
    const Picture from_part = picture_by(options, jpeg);
    EXPECT_LE(test::difference(from_all, from_part).mean, 1) << "1/" << times;
    EXPECT_LE(test::difference(from_all, from_part).largest, 8) << "1/" << times;
    EXPECT_NE(from_all, from_part) << "1/" << times;
  }
}

TEST(PhotoTransform, StaysInPlaceAtAFractionOfTheSizeHoweverTurnedAndFlipped) {
  // On a ramp, an output shifted by half a pixel would be off by as much everywhere.
  Picture ramp{.size = {.height = 203, .width = 305}, .pixels = {}};
  for (std::size_t i = 0; i < ramp.size.pixels(); ++i) {
    const auto across = static_cast<std::uint8_t>(i % 305 * 255 / 304);
    const auto down = static_cast<std::uint8_t>(i / 305 * 255 / 202);
    ramp.pixels.insert(ramp.pixels.end(), {across, down, 128});
  }
  for (int value = 1; value <= 8; ++value) {
    const Bytes jpeg = test::jpeg_of(ramp, {.quality = 100, .app1 = test::exif(static_cast<Orientation>(value))});
    for (const PhotoCrop crop : {PhotoCrop::kRandomResized, PhotoCrop::kCentre, PhotoCrop::kNone}) {
      PhotoOptions options{.size = {.height = 23, .width = 25},
                           .crop = crop,
                           .random_crop = {.least_area = 0.3},
                           .shorter_side = 26,
                           .flip = true,
                           .turn_upright = true};
      const Picture from_all = picture_by(options, jpeg);
      options.allow_scaled_dct = true;
      EXPECT_LE(test::difference(picture_by(options, jpeg), from_all).mean, 1.5)
          << name(crop) << ", orientation " << value;
    }
  }
}

TEST(PhotoTransform, IsNotScaledIfTheOutputWouldBeLarger) {
  PhotoOptions options{.size = {.height = 51, .width = 50}, .crop = PhotoCrop::kNone};
  const Bytes jpeg = test::jpeg_of(test::photo({101, 131}));
  const Picture from_all = picture_by(options, jpeg);
  options.allow_scaled_dct = true;
  EXPECT_EQ(picture_by(options, jpeg), from_all);
}

TEST(PhotoTransform, DependsOnSeedEpochAndSampleOnly) {
  const Bytes jpeg = test::jpeg_of(test::photo({97, 131}));
  const auto with = [&jpeg](std::uint64_t seed, std::uint64_t epoch, SampleIndex index) {
    return picture_by({.size = kSmall, .flip = true, .seed = seed}, jpeg, epoch, index).pixels;
  };
  EXPECT_EQ(with(1, 2, 3), with(1, 2, 3));
  const std::set<Bytes> different{with(1, 2, 3), with(2, 2, 3), with(1, 3, 3), with(1, 2, 4)};
  EXPECT_EQ(different.size(), 4U);
}

TEST(PhotoTransform, GivesTheSameWithAWorkerThatHasSeenOtherImages) {
  const PhotoTransform transform({.size = kSmall, .flip = true, .dtype = DType::kU8}, kernels_named("auto"));
  const Bytes large = test::jpeg_of(test::photo({300, 200}, 4));
  const Bytes small = test::jpeg_of(test::photo({50, 60}), {.progressive = true});
  const Bytes png = png_of(cv::Mat(20, 30, CV_8UC3, cv::Scalar(1, 2, 3)));
  PhotoWorker worker;
  for (const Bytes& other : {large, small, png, Bytes{1, 2, 3}, Bytes{}}) {
    Bytes out(transform.sample_bytes());
    auto* bytes = reinterpret_cast<std::byte*>(out.data());
    try {
      transform.apply(worker, as_encoded(other), 0, 0, bytes);
    } catch (const Error&) {  // the last two are not images
    }
    transform.apply(worker, as_encoded(small), 4, 5, bytes);
    PhotoWorker fresh;
    Bytes expected(transform.sample_bytes());
    transform.apply(fresh, as_encoded(small), 4, 5, reinterpret_cast<std::byte*>(expected.data()));
    EXPECT_EQ(out, expected);
  }
}

// The count excludes libjpeg's own memory, which it allocates and frees for each image.
TEST(PhotoTransform, AllocatesNothingOnceItsWorkerHasSeenTheLargestImage) {
  const PhotoTransform transform({.size = kSmall, .flip = true}, kernels_named("auto"));
  const Bytes jpeg = test::jpeg_of(test::photo({97, 131}), {.across = 2, .down = 2});
  const PhotoTransform all({.size = kSmall, .crop = PhotoCrop::kNone}, kernels_named("auto"));
  PhotoWorker worker;
  std::vector<std::byte> out(transform.sample_bytes());
  all.apply(worker, as_encoded(jpeg), 0, 0, out.data());
  const std::size_t before = test::allocations_so_far();
  for (SampleIndex index = 0; index < 20; ++index) transform.apply(worker, as_encoded(jpeg), 0, index, out.data());
  EXPECT_EQ(test::allocations_so_far(), before);
}

TEST(PhotoTransform, FlipsHalfOfTheSamples) {
  const Bytes jpeg = test::jpeg_of(test::photo({20, 30}));
  const PhotoOptions options{.size = {.height = 8, .width = 8}, .crop = PhotoCrop::kNone, .flip = true};
  const Bytes straight = picture_by({.size = {.height = 8, .width = 8}, .crop = PhotoCrop::kNone}, jpeg).pixels;
  int flipped = 0;
  for (SampleIndex index = 0; index < 400; ++index) flipped += picture_by(options, jpeg, 0, index).pixels != straight;
  EXPECT_NEAR(flipped, 200, 60);
}

TEST(PhotoTransform, NormalisesEachChannel) {
  const Bytes jpeg = test::jpeg_of(test::plain({16, 16}, {255, 0, 128}), {.quality = 100});
  const PhotoOptions options{.size = {.height = 1, .width = 2}, .mean = {0.5, 0.25, 0}, .stddev = {0.5, 0.25, 1}};
  const auto values = apply<float>(options, jpeg);
  EXPECT_NEAR(values[0], 1, 0.02);
  EXPECT_NEAR(values[2], -1, 0.04);
  EXPECT_NEAR(values[4], 128.0 / 255, 0.01);
}

TEST(PhotoTransform, StreamsTheSameValues) {
  const Bytes jpeg = test::jpeg_of(test::photo({97, 131}));
  const PhotoOptions options{.size = {.height = 20, .width = 32}, .flip = true};
  EXPECT_EQ(apply<float>(options, jpeg, 0, 0, Stores::kStreaming), apply<float>(options, jpeg));
}

TEST(PhotoTransform, IsWithinOneOfOpenCvForAPng) {
  const Picture picture = test::photo({60, 80});
  Bytes pixels = picture.pixels;
  const Bytes png = png_of(cv::Mat(60, 80, CV_8UC3, pixels.data()));
  const PhotoOptions options{.size = kSmall, .flip = true};
  for (SampleIndex index = 0; index < 10; ++index) {
    EXPECT_LE(test::difference(picture_by(options, png, 0, index),
                               random_crop_by_opencv(options, rgb_by_opencv(png), 0, index))
                  .largest,
              1);
  }
}

Bytes first_pixel(const Bytes& encoded) {
  return picture_by({.size = {.height = 1, .width = 1}, .crop = PhotoCrop::kNone}, encoded).pixels;
}

TEST(PhotoTransform, ConvertsOtherPngsToEightBitsAsOpenCvDoes) {
  EXPECT_THAT(first_pixel(png_of(cv::Mat(4, 4, CV_8UC1, cv::Scalar(77)))), testing::ElementsAre(77, 77, 77));
  EXPECT_THAT(first_pixel(png_of(cv::Mat(4, 4, CV_16UC3, cv::Scalar(0x1234, 0x5678, 0x9abc)))),
              testing::ElementsAre(0x9a, 0x56, 0x12));
  EXPECT_THAT(first_pixel(png_of(cv::Mat(4, 4, CV_8UC4, cv::Scalar(10, 20, 30, 0)))), testing::ElementsAre(30, 20, 10));
}

// Returns an image of 256 x 256 pixels with all values of 16 bits: red counts up, green counts down, blue is constant.
cv::Mat all_16_bits() {
  cv::Mat image(256, 256, CV_16UC3);
  for (int y = 0; y < 256; ++y) {
    for (int x = 0; x < 256; ++x) {
      const auto value = static_cast<std::uint16_t>(256 * y + x);
      image.at<cv::Vec3w>(y, x) = cv::Vec3w(1000, static_cast<std::uint16_t>(65535 - value), value);
    }
  }
  return image;
}

TEST(PhotoTransform, KeepsAll16BitsInFloats) {
  const auto values =
      apply<float>({.size = {.height = 256, .width = 256}, .crop = PhotoCrop::kNone}, png_of(all_16_bits()));
  for (std::size_t i = 0; i < 65536; ++i) {
    ASSERT_EQ(std::lround(values[i] * 65535), i);
    ASSERT_NEAR(values[i], static_cast<double>(i) / 65535, 1e-7);
    ASSERT_EQ(std::lround(values[65536 + i] * 65535), 65535 - i);
    ASSERT_EQ(std::lround(values[2 * 65536 + i] * 65535), 1000);
  }
}

TEST(PhotoTransform, NormalisesFlipsAndLaysOut16BitsLike8) {
  Bytes pixels = test::photo({60, 80}).pixels;
  const cv::Mat bytes(60, 80, CV_8UC3, pixels.data());
  cv::Mat deep;
  bytes.convertTo(deep, CV_16UC3, 257);
  for (const Layout layout : {Layout::kNCHW, Layout::kNHWC}) {
    for (const PhotoCrop crop : {PhotoCrop::kRandomResized, PhotoCrop::kCentre, PhotoCrop::kNone}) {
      const PhotoOptions options{.size = kSmall,
                                 .crop = crop,
                                 .shorter_side = 57,
                                 .flip = true,
                                 .layout = layout,
                                 .mean = {0.5, 0.25, 0.125},
                                 .stddev = {0.5, 0.25, 0.125}};
      for (SampleIndex index = 0; index < 4; ++index) {
        const auto of_bytes = apply<float>(options, png_of(bytes), 0, index);
        const auto of_deep = apply<float>(options, png_of(deep), 0, index);
        for (std::size_t i = 0; i < of_bytes.size(); ++i) {
          // Resizing rounds bytes, but not 16 bits. A step of one is 8 / 255 in the third channel.
          ASSERT_NEAR(of_deep[i], of_bytes[i], 8.0 / 255);
        }
      }
    }
  }
}

TEST(PhotoTransform, RefusesDataThatIsNotAnImage) {
  const test::Thrown unknown = test::failed("cannot decode image: damaged, or of a format unknown to OpenCV");
  const auto thrown_by = [](const Bytes& encoded) {
    return test::thrown_by([&encoded] { apply<float>({.size = kSmall}, encoded); });
  };
  EXPECT_EQ(thrown_by({}), test::failed("cannot decode image: 0 bytes"));
  EXPECT_EQ(thrown_by({'t', 'e', 'x', 't'}), unknown);
  Bytes png = png_of(cv::Mat(60, 80, CV_8UC3, cv::Scalar(1, 2, 3)));
  png.resize(png.size() / 2);
  EXPECT_EQ(thrown_by(png), test::failed("cannot decode PNG: it is cut short"));
}

TEST(PhotoTransform, RefusesDataThatIsNotAnImageThoughItsWorkerHadOneBefore) {
  const PhotoTransform transform({.size = kSmall, .dtype = DType::kU8}, kernels_named("auto"));
  PhotoWorker worker;
  Bytes out(transform.sample_bytes());
  const auto apply_to = [&](const Bytes& encoded) {
    transform.apply(worker, as_encoded(encoded), 0, 0, reinterpret_cast<std::byte*>(out.data()));
  };
  apply_to(png_of(cv::Mat(60, 80, CV_8UC3, cv::Scalar(1, 2, 3))));
  EXPECT_EQ(test::thrown_by([&] {
              apply_to({'t', 'e', 'x', 't'});
            }),
            test::failed("cannot decode image: damaged, or of a format unknown to OpenCV"));
}

TEST(PhotoTransform, RefusesADamagedJpegAndLeavesTheOutputAlone) {
  Bytes jpeg = test::jpeg_of(test::photo({97, 131}));
  jpeg.resize(jpeg.size() - 500);
  for (const PhotoDecoder decoder : {PhotoDecoder::kJpeg, PhotoDecoder::kOpenCv}) {
    const PhotoTransform transform({.size = kSmall, .dtype = DType::kU8, .decoder = decoder}, kernels_named("auto"));
    PhotoWorker worker;
    Bytes out(transform.sample_bytes(), 0xa5);
    EXPECT_EQ(test::thrown_by(
                  [&] { transform.apply(worker, as_encoded(jpeg), 0, 0, reinterpret_cast<std::byte*>(out.data())); }),
              test::failed("cannot decode JPEG: truncated: its end-of-image marker is missing"));
    EXPECT_THAT(out, testing::Each(0xa5));
  }
}

test::Thrown thrown_by(const PhotoOptions& options) {
  return test::thrown_by([&options] { PhotoTransform(options, kernels_named("auto")); });
}

TEST(PhotoTransform, RefusesImpossibleOptions) {
  EXPECT_EQ(thrown_by({.size = {.height = 0, .width = 5}}), test::usage("resize to 5 x 0: no pixels"));
  EXPECT_EQ(thrown_by({.size = {.height = 5, .width = 65536}}),
            test::usage("image size 65536 x 5: want at most 65535 each"));
  EXPECT_EQ(thrown_by({.random_crop = {.least_area = 0}}),
            test::usage("area of a random crop from 0 to 1: want 0 < from <= to <= 1"));
  EXPECT_EQ(thrown_by({.random_crop = {.most_area = 1.5}}),
            test::usage("area of a random crop from 0.08 to 1.5: want 0 < from <= to <= 1"));
  EXPECT_EQ(thrown_by({.random_crop = {.least_ratio = 2, .most_ratio = 1}}),
            test::usage("ratio of a random crop from 2 to 1: want 0 < from <= to"));
  EXPECT_EQ(thrown_by({.random_crop = {.least_ratio = std::numeric_limits<double>::quiet_NaN(), .most_ratio = 1}}),
            test::usage("ratio of a random crop from nan to 1: want 0 < from <= to"));
  EXPECT_EQ(thrown_by({.crop = PhotoCrop::kCentre, .shorter_side = 200}),
            test::usage("centre crop of 224 x 224 from a shorter side of 200: want no more than that"));
  EXPECT_EQ(thrown_by({.mean = {0.5}}), test::usage("mean of 1 channel: a batch has 3"));
  EXPECT_EQ(thrown_by({.dtype = DType::kU8, .mean = {0, 0, 0}}),
            test::usage("normalisation of dtype u8: only f32 and bf16 can be normalised"));
}

}  // namespace
}  // namespace loadline
