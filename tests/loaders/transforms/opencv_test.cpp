#include "loaders/transforms/opencv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::HasSubstr;

std::vector<unsigned char> image_of(const char* extension) {
  std::vector<unsigned char> bytes;
  cv::imencode(extension, cv::Mat(5, 7, CV_8UC3, cv::Scalar(10, 20, 30)), bytes);
  return bytes;
}

ImageSize open(const std::vector<unsigned char>& bytes) {
  OpenCvDecoder decoder;
  return decoder.open(std::as_bytes(std::span(bytes)), true);
}

test::Thrown refusal(const std::vector<unsigned char>& bytes) {
  return test::thrown_by([&] { open(bytes); });
}

// Overwrites the width and height in a header: 4 bytes each, in either byte order.
void claim(std::vector<unsigned char>& bytes, std::size_t at, const std::string& width_and_height) {
  std::copy(width_and_height.begin(), width_and_height.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

TEST(OpenCvDecoder, DecodesWhatItsHeaderClaims) {
  const ImageSize size = open(image_of(".png"));
  EXPECT_EQ(size.height, 5U);
  EXPECT_EQ(size.width, 7U);
}

TEST(OpenCvDecoder, RefusesADamagedPngBeforeLibpngPrintsWhy) {
  const auto sound = image_of(".png");
  auto damaged = sound;
  damaged[24] ^= 1;  // the bits of a value, in the header
  auto data_damaged = sound;
  data_damaged[sound.size() - 14] ^= 1;  // the checksum of the data, before the last chunk
  testing::internal::CaptureStderr();
  EXPECT_EQ(refusal(damaged).message, "cannot decode PNG: the checksum of its chunk at byte 8 is wrong (corrupt)");
  EXPECT_THAT(refusal(data_damaged).message, HasSubstr("is wrong (corrupt)"));
  for (const std::size_t bytes : {6UL, 8UL, 30UL, sound.size() - 1}) {
    auto cut = sound;
    cut.resize(bytes);
    EXPECT_EQ(refusal(cut).message, "cannot decode PNG: it is cut short") << bytes;
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(OpenCvDecoder, RefusesAPngThatClaimsMorePixelsThanItsBytesCanHold) {
  auto png = image_of(".png");
  claim(png, 16, std::string("\0\0\x40\0\0\0\x40\0", 8));
  EXPECT_THAT(refusal(png).message,
              HasSubstr("cannot decode PNG: its header claims 16384 x 16384 pixels, more than its "));
  claim(png, 16, std::string("\x7f\xff\xff\xff\x7f\xff\xff\xff", 8));
  EXPECT_THAT(refusal(png).message, HasSubstr("cannot decode PNG: its header claims 2147483647 x 2147483647 pixels"));
}

TEST(OpenCvDecoder, RefusesOtherHeadersThatClaimTooMuchInPlainWords) {
  auto bmp = image_of(".bmp");
  claim(bmp, 18, std::string("\xff\xff\xff\x7f\xff\xff\xff\x7f", 8));
  EXPECT_THAT(refusal(bmp).message, testing::StartsWith("cannot decode image: "));
  EXPECT_THAT(refusal(bmp).message, testing::Not(HasSubstr("CV_")));
}

}  // namespace
}  // namespace loadline
