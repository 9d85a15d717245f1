// Pictures with known pixels, and JPEG files made from them, so that the tree needs no image files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loaders/transforms/orientation.h"
#include "loaders/transforms/pixels.h"

namespace loadline::test {

using Bytes = std::vector<std::uint8_t>;

struct Picture {
  ImageSize size;
  std::size_t channels = 3;  // interleaved
  Bytes pixels;

  std::size_t row_bytes() const { return size.width * channels; }
  bool operator==(const Picture&) const = default;
};

// Returns smooth shapes, edges and grain in every channel, as in a photograph.
Picture photo(const ImageSize& size, std::size_t channels = 3, std::uint64_t seed = 1);

// Returns a picture whose pixels are all equal.
Picture plain(const ImageSize& size, const Bytes& pixel);

// Returns that part of the picture.
Picture part_of(const Picture& picture, const Region& region);

// Returns what a view shows.
Picture picture_of(const RgbView& view);

RgbView view_of(const Picture& picture);

// The largest and the mean difference of corresponding bytes. Both are huge if the sizes differ.
struct Difference {
  double largest = 1e9;
  double mean = 1e9;
};
Difference difference(const Picture& one, const Picture& other);

struct JpegKind {
  std::string name;
  int across = 1;  // columns and rows of pixels per sample of chroma
  int down = 1;
  bool progressive = false;
  bool arithmetic = false;
  bool apart = false;    // each component in a scan of its own
  bool ycck = false;     // for pictures of four channels; else CMYK
  int restart_rows = 0;  // rows of blocks per restart marker; 0: no markers
  int quality = 90;
  Bytes app1;  // payload of an APP1 segment, if not empty
};

// Encodes a picture of 1, 3 or 4 channels: grey, colour, or CMYK as it is stored. No decoder accepts one of 2 channels.
Bytes jpeg_of(const Picture& picture, const JpegKind& kind = {});

// Returns all kinds that differ in how they are decoded.
std::vector<JpegKind> jpeg_kinds();

// Returns the payload of an EXIF segment with this orientation, in either byte order.
Bytes exif(Orientation orientation, bool big_endian = false);

// Returns the offset of the length of the first segment with this marker, in a JPEG made here.
std::size_t segment(const Bytes& jpeg, std::uint8_t marker);

inline std::span<const std::byte> as_encoded(const Bytes& bytes) {
  return std::as_bytes(std::span(bytes));
}

}  // namespace loadline::test
