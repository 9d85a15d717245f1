// Pictures with known pixels, and JPEG files made of them: no image file lies in the tree.
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

// Smooth shapes, edges and grain in every channel, as a photograph has them.
Picture photo(const ImageSize& size, std::size_t channels = 3, std::uint64_t seed = 1);

// Every pixel the same.
Picture plain(const ImageSize& size, const Bytes& pixel);

// That part of it.
Picture part_of(const Picture& picture, const Region& region);

// What a view shows.
Picture picture_of(const RgbView& view);

RgbView view_of(const Picture& picture);

// The largest difference of any two bytes, and the mean of all. Both are huge where the sizes differ.
struct Difference {
  double largest = 1e9;
  double mean = 1e9;
};
Difference difference(const Picture& one, const Picture& other);

struct JpegKind {
  std::string name;
  int across = 1;  // columns and rows of pixels to a sample of chroma
  int down = 1;
  bool progressive = false;
  bool arithmetic = false;
  bool apart = false;    // each component in a scan of its own
  bool ycck = false;     // of pictures of four channels; else CMYK
  int restart_rows = 0;  // rows of blocks to a restart marker; 0: none
  int quality = 90;
  Bytes app1;  // payload of such a segment, if not empty
};

// A picture of 1, 3 or 4 channels: grey, colour, or CMYK as it is stored. Of 2: none that anybody can read.
Bytes jpeg_of(const Picture& picture, const JpegKind& kind = {});

// All that differ in how they are decoded.
std::vector<JpegKind> jpeg_kinds();

// The payload of an EXIF segment that says so, in either byte order.
Bytes exif(Orientation orientation, bool big_endian = false);

// Where the first segment with this marker has its length, in a JPEG made here.
std::size_t segment(const Bytes& jpeg, std::uint8_t marker);

inline std::span<const std::byte> as_encoded(const Bytes& bytes) {
  return std::as_bytes(std::span(bytes));
}

}  // namespace loadline::test
