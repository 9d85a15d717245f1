// Decodes part of a JPEG image, and no more than that part takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "loaders/transforms/orientation.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

// How to interpret the samples of a JPEG.
enum class JpegColour : std::uint8_t { kGrey, kYCbCr, kRgb, kCmyk, kYcck };

struct JpegHeader {
  ImageSize size;  // as stored, whatever the orientation
  JpegColour colour = JpegColour::kGrey;
  bool progressive = false;
  Orientation orientation = Orientation::kUpright;  // as EXIF says; the caller applies it
};

// Whether the bytes begin as JPEG does, whatever their file is called.
bool looks_like_jpeg(std::span<const std::byte> encoded);

// The fraction of its size that an image can be decoded at. The others that libjpeg knows are slower than all of it.
enum class JpegScale : std::uint8_t { kFull = 1, kHalf = 2, kQuarter = 4, kEighth = 8 };

constexpr std::size_t divisor(JpegScale scale) {
  return static_cast<std::size_t>(scale);
}

// The size of an image decoded at that scale: rounded up, so that the last row and column may stand for less.
constexpr ImageSize scaled(const ImageSize& size, JpegScale scale) {
  return {.height = (size.height + divisor(scale) - 1) / divisor(scale),
          .width = (size.width + divisor(scale) - 1) / divisor(scale)};
}

// One thread's decoder, to be kept: its memory serves one image after the other.
//
// Pixels are those that libjpeg gives with its defaults, the accurate inverse DCT and smooth interpolation of chroma,
// and thus those of OpenCV, PIL and torchvision; tests hold it to that bit by bit, at every position of a region. Grey
// becomes three equal channels. Of CMYK, samples are taken as everybody writes them, inverted (255 is no ink), and each
// channel is ink * black / 255, rounded, as PIL does. Images of 12 bits, and lossless ones, are refused. A progressive
// image whose scans stop short of full precision is given as it is, not smoothed.
//
// Errors are for the caller to say which sample they are of: the messages begin with what is wrong. What comes after
// the last row of the region is not looked at: damage there stays unseen.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;
  JpegDecoder& operator=(JpegDecoder&&) noexcept;

  // Begins an image, in place of any before it. `encoded` must live until it has been decoded. Throws Error where it is
  // empty, no JPEG, cut off, of a kind that cannot be decoded, of more than kMostPixels, or of more
  // than its bytes can hold.
  JpegHeader open(std::span<const std::byte> encoded);

  // Decodes a region of the opened image, in pixels of the scaled image, and ends it: each decoding needs an open() of
  // its own. The result lives until the next call. Throws Error where the data it takes is damaged; never gives pixels
  // that were not decoded.
  RgbView decode(const Region& region, JpegScale scale = JpegScale::kFull);

  static constexpr std::size_t kMostPixels = std::size_t{1} << 28U;

 private:
  class Library;  // what libjpeg holds

  std::unique_ptr<Library> library_;
  std::vector<std::uint8_t> rows_;
};

}  // namespace loadline
