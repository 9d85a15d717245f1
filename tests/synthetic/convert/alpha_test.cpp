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

TEST(Alpha, IsAMaskInTheHeaderOfABmp) {
  std::string image = encoded(".bmp", 4);
  image[14] = 108;                                     // bytes of a header with masks
  image.replace(66, 4, std::string("\0\0\0\xff", 4));  // the mask of alpha
  EXPECT_TRUE(says_alpha(image));
  image.replace(66, 4, std::string(4, '\0'));
  EXPECT_FALSE(says_alpha(image));
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
