#include <gtest/gtest.h>

#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

// An image of 8 x 8 pixels.
std::string encoded(const char* kind, int channels, const std::vector<int>& options = {}) {
  std::vector<unsigned char> bytes;
  cv::imencode(kind, cv::Mat(8, 8, CV_MAKETYPE(CV_8U, channels), cv::Scalar(10, 20, 30, 128)), bytes, options);
  return {bytes.begin(), bytes.end()};
}

bool says_alpha(std::string_view image) {
  return has_alpha(std::as_bytes(std::span(image)));
}

TEST(Alpha, IsInTheHeadersOfImagesThatHaveIt) {
  const std::vector<int> lossless{cv::IMWRITE_WEBP_QUALITY, 101};
  for (const char* kind : {".png", ".webp", ".tiff"}) {
    EXPECT_TRUE(says_alpha(encoded(kind, 4))) << kind;
    EXPECT_FALSE(says_alpha(encoded(kind, 3))) << kind;
    EXPECT_FALSE(says_alpha(encoded(kind, 1))) << kind;
  }
  EXPECT_TRUE(says_alpha(encoded(".webp", 4, lossless)));
  EXPECT_FALSE(says_alpha(encoded(".webp", 3, lossless)));
  for (const char* kind : {".jpg", ".ppm", ".bmp"}) EXPECT_FALSE(says_alpha(encoded(kind, 3))) << kind;
}

TEST(Alpha, IsATransparentColourOfAPng) {
  constexpr std::size_t kBehindHeader = 33;
  std::string image = encoded(".png", 3);
  image.insert(kBehindHeader, std::string("\0\0\0\6tRNS\0\1\0\2\0\3\0\0\0\0", 18));
  EXPECT_TRUE(says_alpha(image));
}

// The 14 bytes at the start of a file of 1 x 1 pixel, and the first 40 of its header: the whole of the oldest kind of
// header. Newer kinds, of more `header_bytes`, go on with masks.
std::string bmp_start(char header_bytes, char bits, char compression) {
  std::string image("BM\0\0\0\0\0\0\0\0\0\0\0\0", 14);
  image += std::string("\0\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0", 20);
  image.append(20, '\0');
  image[14] = header_bytes;
  image[28] = bits;
  image[30] = compression;
  return image;
}

constexpr char kPlain = 0;       // BI_RGB
constexpr char kMasks = 3;       // BI_BITFIELDS
constexpr char kAlphaMasks = 6;  // BI_ALPHABITFIELDS
const std::string kColourMasks("\0\0\xff\0\0\xff\0\0\xff\0\0\0", 12);
const std::string kAlphaMask("\0\0\0\xff", 4);
const std::string kNoAlphaMask(4, '\0');
const std::string kPixel("\1\2\3\x80", 4);

TEST(Alpha, IsNotTheReservedByteOfABmpOf32BitsWithoutMasks) {
  EXPECT_FALSE(says_alpha(bmp_start(40, 32, kPlain) + kPixel));
  EXPECT_FALSE(says_alpha(bmp_start(40, 32, kPlain) + kPixel + kPixel + kPixel + kPixel)) << "pixels are no masks";
}

TEST(Alpha, IsNotInABmpThatHasOnlyMasksOfColours) {
  EXPECT_FALSE(says_alpha(bmp_start(40, 32, kMasks) + kColourMasks + kPixel)) << "a pixel is no mask";
  EXPECT_FALSE(says_alpha(bmp_start(52, 32, kMasks) + kColourMasks + kPixel)) << "a pixel is no mask";
}

// A whole file whose header has masks of colours and this one.
std::string bmp_with(char header_bytes, const std::string& alpha_mask) {
  std::string image = bmp_start(header_bytes, 32, kMasks) + kColourMasks;
  image += alpha_mask;
  image.append(static_cast<std::size_t>(header_bytes) - 56, '\0');
  return image + kPixel;
}

TEST(Alpha, IsAMaskInTheHeaderOfABmp) {
  for (const char header_bytes : {char{56}, char{108}, char{124}}) {
    EXPECT_TRUE(says_alpha(bmp_with(header_bytes, kAlphaMask))) << int{header_bytes};
    EXPECT_FALSE(says_alpha(bmp_with(header_bytes, kNoAlphaMask))) << int{header_bytes};
  }
}

TEST(Alpha, IsAMaskBehindTheOldestHeaderOfABmp) {
  const std::string start = bmp_start(40, 32, kAlphaMasks) + kColourMasks;
  EXPECT_TRUE(says_alpha(start + kAlphaMask + kPixel));
  EXPECT_FALSE(says_alpha(start + kNoAlphaMask + kPixel));
}

TEST(Alpha, IsAMaskOfABmpOf16BitsToo) {
  const std::string colour_masks("\0\x7c\0\0\xe0\3\0\0\x1f\0\0\0", 12);
  const std::string alpha_mask("\0\x80\0\0", 4);
  const std::string rest(124 - 56, '\0');
  EXPECT_TRUE(says_alpha(bmp_start(124, 16, kMasks) + colour_masks + alpha_mask + rest + "\1\2"));
  EXPECT_FALSE(says_alpha(bmp_start(124, 16, kMasks) + colour_masks + kNoAlphaMask + rest + "\1\2"));
}

TEST(Alpha, IsNotInABmpOf24BitsWhateverMasksItsHeaderHas) {
  const std::string rest(124 - 56, '\0');
  EXPECT_FALSE(says_alpha(bmp_start(124, 24, kPlain) + kColourMasks + kAlphaMask + rest + "\1\2\3"));
}

TEST(Alpha, IsInTheHeaderOfATiffOfEitherByteOrder) {
  const std::string grey_and_alpha(
      "MM\0*\0\0\0\x8"
      "\0\2"
      "\1\x6\0\3\0\0\0\1\0\1\0\0"
      "\1\x15\0\3\0\0\0\1\0\2\0\0",
      34);
  EXPECT_TRUE(says_alpha(grey_and_alpha));
  EXPECT_FALSE(says_alpha(grey_and_alpha.substr(0, 22))) << "it is cut off";
}

TEST(Alpha, IsNotInWhatIsCutOff) {
  for (const char* kind : {".png", ".webp", ".tiff", ".bmp"}) {
    const std::string image = encoded(kind, 3);
    for (std::size_t bytes = 0; bytes < image.size(); ++bytes) {
      EXPECT_FALSE(says_alpha(std::string_view(image).substr(0, bytes))) << kind << ' ' << bytes;
    }
  }
}

}  // namespace
}  // namespace loadline
