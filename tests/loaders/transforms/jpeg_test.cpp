#include "loaders/transforms/jpeg.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <ostream>

#include "tests/loaders/support/jpegs.h"
#include "tests/loaders/support/thrown.h"

namespace loadline::test {

// GoogleTest would otherwise print bytes.
std::ostream& operator<<(std::ostream& out, const JpegKind& kind) {
  return out << kind.name;
}
std::ostream& operator<<(std::ostream& out, const Picture& picture) {
  return out << picture.size.width << " x " << picture.size.height << " x " << picture.channels;
}

}  // namespace loadline::test

namespace loadline {
namespace {

using test::as_encoded;
using test::Bytes;
using test::JpegKind;
using test::Picture;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint8_t kStartOfFrame = 0xc0;
constexpr std::uint8_t kStartOfScan = 0xda;
constexpr std::uint8_t kQuantisation = 0xdb;

Picture decode(JpegDecoder& decoder, const Bytes& jpeg, const Region& region, JpegScale scale = JpegScale::kFull) {
  decoder.open(as_encoded(jpeg));
  return test::picture_of(decoder.decode(region, scale));
}

Picture decode_all(const Bytes& jpeg, JpegScale scale = JpegScale::kFull) {
  JpegDecoder decoder;
  const JpegHeader header = decoder.open(as_encoded(jpeg));
  return test::picture_of(decoder.decode(whole(scaled(header.size, scale)), scale));
}

Picture decode_by_opencv(const Bytes& jpeg) {
  cv::Mat rgb;
  cv::cvtColor(cv::imdecode(jpeg, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION), rgb, cv::COLOR_BGR2RGB);
  return {.size = {.height = static_cast<std::size_t>(rgb.rows), .width = static_cast<std::size_t>(rgb.cols)},
          .pixels = Bytes(rgb.datastart, rgb.dataend)};
}

test::Thrown thrown_by_decoding(const Bytes& jpeg) {
  return test::thrown_by([&jpeg] { decode_all(jpeg); });
}

class EveryJpeg : public testing::TestWithParam<JpegKind> {
 protected:
  void expect_part_of_the_whole(const Bytes& jpeg, const Picture& all, const Region& region, JpegScale scale) {
    ASSERT_EQ(decode(decoder_, jpeg, region, scale), test::part_of(all, region))
        << region.width << " x " << region.height << " at (" << region.left << ", " << region.top << ") of "
        << all.size.width << " x " << all.size.height;
  }

  // Checks every range of columns at some rows, and every range of rows at some columns.
  void expect_every_region(const ImageSize& size, JpegScale scale = JpegScale::kFull) {
    const Bytes jpeg = test::jpeg_of(test::photo(size), GetParam());
    const Picture all = decode_all(jpeg, scale);
    const auto [height, width] = all.size;
    for (std::size_t first = 0; first < width; ++first) {
      for (std::size_t count = 1; count <= width - first; ++count) {
        const std::size_t top = (first + count) % height;
        expect_part_of_the_whole(jpeg, all, {top, first, height - top, count}, scale);
      }
    }
    for (std::size_t first = 0; first < height; ++first) {
      for (std::size_t count = 1; count <= height - first; ++count) {
        const std::size_t left = (first + count) % width;
        expect_part_of_the_whole(jpeg, all, {first, left, count, width - left}, scale);
      }
    }
  }

  JpegDecoder decoder_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryJpeg, testing::ValuesIn(test::jpeg_kinds()),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(EveryJpeg, HasThePixelsThatOpenCvDecodes) {
  for (const ImageSize size : {ImageSize{61, 83}, ImageSize{64, 96}, ImageSize{1, 1}, ImageSize{3, 17}}) {
    const Bytes jpeg = test::jpeg_of(test::photo(size), GetParam());
    EXPECT_EQ(decode_all(jpeg), decode_by_opencv(jpeg)) << size.width << " x " << size.height;
  }
}

TEST_P(EveryJpeg, HasThePixelsOfTheWholeInEveryRegion) {
  expect_every_region({.height = 41, .width = 53});
}

TEST_P(EveryJpeg, HasThePixelsOfTheWholeInTinyImages) {
  for (std::size_t height = 1; height <= 5; ++height) {
    for (std::size_t width = 1; width <= 9; ++width) expect_every_region({height, width});
  }
  expect_every_region({.height = 2, .width = 35});
  expect_every_region({.height = 70, .width = 1});
}

TEST_P(EveryJpeg, HasThePixelsOfTheWholeAtAFractionOfItsSize) {
  for (const JpegScale scale : {JpegScale::kHalf, JpegScale::kQuarter, JpegScale::kEighth}) {
    expect_every_region({.height = 83, .width = 115}, scale);
  }
}

TEST_P(EveryJpeg, HasTheMeanOfItsPixelsAtAFractionOfItsSize) {
  const Picture smooth = test::plain({.height = 40, .width = 56}, {200, 90, 40});
  for (const JpegScale scale : {JpegScale::kHalf, JpegScale::kQuarter, JpegScale::kEighth}) {
    const Picture small = decode_all(test::jpeg_of(smooth, GetParam()), scale);
    EXPECT_EQ(small.size, scaled(smooth.size, scale));
    EXPECT_LE(test::difference(small, test::plain(small.size, {200, 90, 40})).largest, 2);
  }
}

TEST(Jpeg, IsRecognisedByItsFirstBytes) {
  EXPECT_TRUE(looks_like_jpeg(as_encoded({0xff, 0xd8, 0xff})));
  EXPECT_FALSE(looks_like_jpeg(as_encoded({0xff, 0xd8})));
  EXPECT_FALSE(looks_like_jpeg(as_encoded({0x89, 'P', 'N', 'G'})));
  EXPECT_FALSE(looks_like_jpeg({}));
}

TEST(Jpeg, DescribesItself) {
  JpegDecoder decoder;
  const Bytes colour =
      test::jpeg_of(test::photo({20, 30}), {.progressive = true, .app1 = test::exif(Orientation::kTurnLeft)});
  const JpegHeader header = decoder.open(as_encoded(colour));
  EXPECT_EQ(header.size, (ImageSize{.height = 20, .width = 30}));
  EXPECT_EQ(header.orientation, Orientation::kTurnLeft);

  const JpegHeader grey = decoder.open(as_encoded(test::jpeg_of(test::photo({20, 30}, 1))));
  EXPECT_EQ(grey.orientation, Orientation::kUpright);
}

TEST(Jpeg, HasThreeEqualChannelsIfGrey) {
  const Picture grey = test::photo({31, 47}, 1);
  const Picture decoded = decode_all(test::jpeg_of(grey, {.quality = 100}));
  ASSERT_EQ(decoded.size, grey.size);
  for (std::size_t i = 0; i < grey.size.pixels(); ++i) {
    EXPECT_NEAR(decoded.pixels[3 * i], grey.pixels[i], 2);
    EXPECT_EQ(decoded.pixels[3 * i], decoded.pixels[3 * i + 1]);
    EXPECT_EQ(decoded.pixels[3 * i], decoded.pixels[3 * i + 2]);
  }
}

TEST(Jpeg, HasThePixelsOfTheWholeInEveryRegionIfGrey) {
  const Bytes jpeg = test::jpeg_of(test::photo({31, 47}, 1));
  const Picture all = decode_all(jpeg);
  JpegDecoder decoder;
  for (std::size_t at = 0; at < 31; ++at) {
    const Region region{.top = at, .left = at, .height = 31 - at, .width = 47 - at};
    EXPECT_EQ(decode(decoder, jpeg, region), test::part_of(all, region));
  }
}

// 255 is no ink; a channel is ink * black / 255.
TEST(Jpeg, HasTheColourThatItsInksLeave) {
  const auto colour_of = [](const Bytes& inks, bool ycck) {
    return decode_all(test::jpeg_of(test::plain({8, 8}, inks), {.ycck = ycck, .quality = 100})).pixels;
  };
  EXPECT_THAT(Bytes(colour_of({255, 255, 255, 255}, false)), testing::Each(255));
  EXPECT_THAT(Bytes(colour_of({200, 100, 50, 0}, false)), testing::Each(0));
  const Bytes mixed = colour_of({255, 128, 0, 128}, false);
  EXPECT_THAT(Bytes(mixed.begin(), mixed.begin() + 3), testing::ElementsAre(128, 64, 0));
  const Bytes by_brightness = colour_of({200, 200, 200, 100}, true);
  EXPECT_THAT(Bytes(by_brightness.begin(), by_brightness.begin() + 3), testing::ElementsAre(78, 78, 78));
}

// OpenCV divides by 256 where others divide by 255, and truncates where they round.
TEST(Jpeg, MatchesOpenCvOnInksExceptForRounding) {
  for (const bool ycck : {false, true}) {
    const Bytes jpeg =
        test::jpeg_of(test::photo({50, 70}, 4), {.across = ycck ? 2 : 1, .down = ycck ? 2 : 1, .ycck = ycck});
    EXPECT_LE(test::difference(decode_all(jpeg), decode_by_opencv(jpeg)).largest, 2);
  }
}

TEST(Jpeg, HasThePixelsOfTheWholeInEveryRegionIfOfInks) {
  const Bytes jpeg = test::jpeg_of(test::photo({31, 47}, 4), {.across = 2, .down = 2, .ycck = true});
  const Picture all = decode_all(jpeg);
  JpegDecoder decoder;
  for (std::size_t at = 0; at < 31; ++at) {
    const Region region{.top = at, .left = 46 - at, .height = 31 - at, .width = at + 1};
    EXPECT_EQ(decode(decoder, jpeg, region), test::part_of(all, region));
  }
}

TEST(Jpeg, RefusesNoBytes) {
  EXPECT_EQ(thrown_by_decoding({}), test::failed("cannot decode JPEG: 0 bytes"));
}

TEST(Jpeg, RefusesAnythingElse) {
  EXPECT_THAT(thrown_by_decoding({'h', 'e', 'l', 'l', 'o'}).message, StartsWith("cannot decode JPEG: Not a JPEG file"));
}

TEST(Jpeg, RefusesDataTruncatedAnywhere) {
  for (const bool progressive : {false, true}) {
    const Bytes jpeg = test::jpeg_of(test::photo({24, 40}), {.across = 2, .down = 2, .progressive = progressive});
    for (std::size_t bytes = 0; bytes < jpeg.size(); ++bytes) {
      const test::Thrown thrown = thrown_by_decoding({jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(bytes)});
      ASSERT_THAT(thrown.message, StartsWith("cannot decode JPEG: ")) << bytes << " of " << jpeg.size() << " bytes";
    }
  }
}

TEST(Jpeg, RefusesTruncatedDataWhateverTheRegion) {
  Bytes jpeg = test::jpeg_of(test::photo({64, 64}));
  jpeg.resize(jpeg.size() - 2);
  JpegDecoder decoder;
  EXPECT_EQ(test::thrown_by([&] { decode(decoder, jpeg, {.height = 1, .width = 1}); }),
            test::failed("cannot decode JPEG: truncated: its end-of-image marker is missing"));
}

TEST(Jpeg, RefusesTruncatedDataThoughThePreviewInItIsComplete) {
  Bytes preview = test::exif(Orientation::kUpright);
  const Bytes small = test::jpeg_of(test::photo({8, 8}));
  preview.insert(preview.end(), small.begin(), small.end());
  Bytes jpeg = test::jpeg_of(test::photo({64, 64}), {.app1 = preview});
  EXPECT_NO_THROW(decode_all(jpeg));
  jpeg.resize(jpeg.size() - 100);
  EXPECT_THAT(thrown_by_decoding(jpeg).message, HasSubstr("truncated"));
}

// Returns a file whose data end before the image does, but which has an end marker.
Bytes with_half_of_its_data(const JpegKind& kind) {
  Bytes jpeg = test::jpeg_of(test::photo({64, 64}), kind);
  const auto scan = static_cast<std::ptrdiff_t>(test::segment(jpeg, kStartOfScan));
  jpeg.erase(jpeg.begin() + scan + (static_cast<std::ptrdiff_t>(jpeg.size()) - scan) / 2, jpeg.end() - 2);
  return jpeg;
}

TEST(Jpeg, RefusesDamagedDataAndSaysWhy) {
  EXPECT_EQ(thrown_by_decoding(with_half_of_its_data({})),
            test::failed("cannot decode JPEG: Corrupt JPEG data: premature end of data segment"));
  EXPECT_THAT(thrown_by_decoding(with_half_of_its_data({.progressive = true})).message,
              StartsWith("cannot decode JPEG: "));
  EXPECT_THAT(thrown_by_decoding(with_half_of_its_data({.restart_rows = 1})).message,
              StartsWith("cannot decode JPEG: "));
}

TEST(Jpeg, IgnoresDamageBelowTheRegion) {
  const Bytes damaged = with_half_of_its_data({});
  const Bytes intact = test::jpeg_of(test::photo({64, 64}));
  JpegDecoder decoder;
  const Region top{.height = 8, .width = 64};
  EXPECT_EQ(decode(decoder, damaged, top), decode(decoder, intact, top));
}

TEST(Jpeg, LeavesTheDecoderAsGoodAsNewAfterDamage) {
  const Bytes intact = test::jpeg_of(test::photo({64, 64}), {.across = 2, .down = 2});
  const Picture expected = decode_all(intact);
  JpegDecoder decoder;
  for (const Bytes& bad :
       {Bytes{}, Bytes{1, 2, 3}, with_half_of_its_data({}), with_half_of_its_data({.progressive = true})}) {
    EXPECT_THROW(decode(decoder, bad, whole({64, 64})), Error);
    EXPECT_THROW(decoder.decode(whole({64, 64})), Error);
    EXPECT_EQ(decode(decoder, intact, whole({64, 64})), expected);
  }
}

// libjpeg would use the tables of the previous image, since it supports streams of images that share tables.
TEST(Jpeg, RefusesDataWithoutTablesWhateverCameBefore) {
  const Bytes intact = test::jpeg_of(test::photo({16, 16}));
  Bytes without = intact;
  const auto table = static_cast<std::ptrdiff_t>(test::segment(without, kQuantisation));
  without.erase(without.begin() + table - 2, without.begin() + table + 67);
  JpegDecoder decoder;
  decode(decoder, intact, whole({16, 16}));
  EXPECT_EQ(test::thrown_by([&] {
              decode(decoder, without, whole({16, 16}));
            }),
            test::failed("cannot decode JPEG: Quantization table 0x00 was not defined"));
}

TEST(Jpeg, IsTheOneThatWasOpenedLast) {
  const Bytes first = test::jpeg_of(test::photo({64, 64}));
  const Bytes second = test::jpeg_of(test::photo({16, 16}));
  JpegDecoder decoder;
  decoder.open(as_encoded(first));
  EXPECT_EQ(decode(decoder, second, whole({16, 16})), decode_all(second));
}

TEST(Jpeg, IsDecodedDespiteExtraBytes) {
  const Bytes jpeg = test::jpeg_of(test::photo({16, 16}));
  Bytes padded = jpeg;
  padded.insert(padded.end() - 2, {0, 0, 0});
  EXPECT_EQ(decode_all(padded), decode_all(jpeg));
  Bytes followed = jpeg;
  followed.insert(followed.end(), 1000, 0);
  EXPECT_EQ(decode_all(followed), decode_all(jpeg));
}

TEST(Jpeg, RefusesTwelveBits) {
  Bytes jpeg = test::jpeg_of(test::photo({16, 16}));
  jpeg[test::segment(jpeg, kStartOfFrame) + 2] = 12;
  EXPECT_THAT(thrown_by_decoding(jpeg).message, testing::ContainsRegex("cannot decode JPEG: .*12"));
}

TEST(Jpeg, RefusesLosslessData) {
  Bytes jpeg = test::jpeg_of(test::photo({16, 16}));
  jpeg[test::segment(jpeg, kStartOfFrame) - 1] = 0xc3;
  EXPECT_THAT(thrown_by_decoding(jpeg).message, StartsWith("cannot decode JPEG: "));
}

TEST(Jpeg, RefusesTooManyPixelsBeforeItAllocatesMemory) {
  Bytes jpeg = test::jpeg_of(test::photo({16, 16}));
  const std::size_t frame = test::segment(jpeg, kStartOfFrame);
  for (std::size_t i = 3; i < 7; ++i) jpeg[frame + i] = i % 2 == 1 ? 0xff : 0;
  EXPECT_EQ(thrown_by_decoding(jpeg), test::failed("cannot decode JPEG: 65280 x 65280 pixels: more than 268435456"));
}

TEST(Jpeg, RefusesMorePixelsThanItsBytesCanHoldBeforeItAllocatesMemory) {
  Bytes jpeg = test::jpeg_of(test::photo({16, 16}));
  const std::size_t frame = test::segment(jpeg, kStartOfFrame);
  for (std::size_t i = 3; i < 7; ++i) jpeg[frame + i] = i % 2 == 1 ? 0x3f : 0xff;
  EXPECT_EQ(thrown_by_decoding(jpeg),
            test::failed(fmt::format("cannot decode JPEG: its header claims 16383 x 16383 pixels, which its {} bytes "
                                     "cannot hold",
                                     jpeg.size())));
}

TEST(Jpeg, MayHaveManyPixelsInFewBytesIfBlank) {
  const Bytes jpeg = test::jpeg_of({.size = {4096, 4096}, .pixels = Bytes(std::size_t{4096} * 4096 * 3, 128)});
  EXPECT_EQ(decode_all(jpeg).size.pixels(), 4096U * 4096);
}

TEST(Jpeg, RefusesTwoComponents) {
  EXPECT_EQ(thrown_by_decoding(test::jpeg_of(test::photo({16, 16}, 2))),
            test::failed("cannot decode JPEG: 2 components: want 1, 3 or 4"));
}

TEST(Jpeg, RefusesHundredsOfScans) {
  const Bytes jpeg = test::jpeg_of(test::photo({16, 16}), {.apart = true});
  const Bytes start{0xff, kStartOfScan};
  const auto last = std::find_end(jpeg.begin(), jpeg.end(), start.begin(), start.end());
  Bytes many = jpeg;
  for (int i = 0; i < 500; ++i) many.insert(many.end() - 2, last, jpeg.end() - 2);
  EXPECT_EQ(thrown_by_decoding(many), test::failed("cannot decode JPEG: more than 500 scans"));
}

TEST(Jpeg, RefusesARegionThatIsNotInTheImage) {
  const Bytes jpeg = test::jpeg_of(test::photo({16, 24}));
  JpegDecoder decoder;
  EXPECT_EQ(test::thrown_by([&] { decode(decoder, jpeg, {.top = 10, .left = 3, .height = 7, .width = 4}); }),
            test::usage("JPEG: region 4 x 7 at (3, 10) of an image of 24 x 16 pixels"));
  EXPECT_EQ(test::thrown_by([&] { decode(decoder, jpeg, {.height = 0, .width = 4}); }).kind, Error::Kind::kUsage);
  EXPECT_EQ(test::thrown_by([&] { decode(decoder, jpeg, {.left = 23, .height = 1, .width = 2}); }).kind,
            Error::Kind::kUsage);
}

}  // namespace
}  // namespace loadline
