// Decodes part of a JPEG image, doing no more work than that part needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "loaders/transforms/orientation.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

struct JpegHeader {
  ImageSize size;                                   // as stored, whatever the orientation
  Orientation orientation = Orientation::kUpright;  // as EXIF says; the caller applies it
};

// Whether the bytes begin like JPEG, whatever the file's name.
bool looks_like_jpeg(std::span<const std::byte> encoded);

// The scales at which an image can be decoded. libjpeg's other scales are slower than decoding in full.
enum class JpegScale : std::uint8_t { kFull = 1, kHalf = 2, kQuarter = 4, kEighth = 8 };

constexpr std::size_t divisor(JpegScale scale) {
  return static_cast<std::size_t>(scale);
}

// The size of an image decoded at that scale, rounded up: the last row and column may represent fewer pixels.
constexpr ImageSize scaled(const ImageSize& size, JpegScale scale) {
  return {.height = (size.height + divisor(scale) - 1) / divisor(scale),
          .width = (size.width + divisor(scale) - 1) / divisor(scale)};
}

// One thread's decoder. Keep it: it reuses its memory for one image after another.
//
// Pixels are those of libjpeg with its defaults, the accurate inverse DCT and smooth chroma interpolation, and thus
// those of OpenCV, PIL and torchvision; tests check that bit by bit, at every position of a region. Grey becomes
// three equal channels. CMYK samples are taken as inverted (255 is no ink), as everybody writes them, and each
// channel is ink * black / 255, rounded, as in PIL. 12-bit and lossless images are refused. A progressive image whose
// scans stop short of full precision is returned as it is, not smoothed.
//
// Error messages begin with what is wrong; the caller adds which sample it is. Data after the last row of the region
// is not read: damage there goes unnoticed.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(JpegDecoder&&) noexcept;
  JpegDecoder& operator=(JpegDecoder&&) noexcept;

  // Begins an image and drops any before it. `encoded` must live until it has been decoded. Throws Error if it is
  // empty, not JPEG, truncated, of an unsupported kind, larger than kMostPixels, or claims more pixels than its bytes
  // can hold.
  JpegHeader open(std::span<const std::byte> encoded);

  // Decodes a region of the opened image, given in pixels of the scaled image, and closes the image: each decode()
  // needs its own open(). The result lives until the next call. Throws Error if the data that it reads is damaged;
  // never returns pixels that were not decoded.
  RgbView decode(const Region& region, JpegScale scale = JpegScale::kFull);

  static constexpr std::size_t kMostPixels = std::size_t{1} << 28U;

 private:
  class Library;  // libjpeg's state

  std::unique_ptr<Library> library_;
  std::vector<std::uint8_t> rows_;
};

}  // namespace loadline
