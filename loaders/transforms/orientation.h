// The orientation that cameras write with a photograph, and how to turn the photograph upright.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loaders/transforms/pixels.h"

namespace loadline {

// The operation that makes the stored image upright, numbered as in EXIF.
enum class Orientation : std::uint8_t {
  kUpright = 1,
  kMirror = 2,         // left to right
  kTurnAround = 3,     // turned by 180 degrees
  kFlip = 4,           // top to bottom
  kTranspose = 5,      // rows become columns
  kTurnRight = 6,      // by 90 degrees clockwise
  kAntiTranspose = 7,  // rows become columns, both from the far end
  kTurnLeft = 8,       // by 90 degrees counter-clockwise
};

// Whether width and height are swapped.
constexpr bool swaps_axes(Orientation orientation) {
  return orientation >= Orientation::kTranspose;
}

// The orientation in the payload of a JPEG's APP1 segment. Upright if that is not EXIF, has no orientation, or is
// damaged: a picture without orientation is still a picture.
Orientation exif_orientation(std::span<const std::byte> app1);

// The size of the upright image from that of the stored one, or the other way round.
constexpr ImageSize turned(const ImageSize& size, Orientation orientation) {
  return swaps_axes(orientation) ? ImageSize{.height = size.width, .width = size.height} : size;
}

// Where a window of the upright image is in the stored one, whose size is `stored`.
Window stored_window(const Window& upright, const ImageSize& stored, Orientation orientation);

// Where a window of the stored image, whose size is `size`, is in the upright one.
Window upright_window(const Window& stored, const ImageSize& size, Orientation orientation);

// The upright image: `stored` itself, or a copy in `scratch`, which grows as needed.
RgbView upright(const RgbView& stored, Orientation orientation, std::vector<std::uint8_t>& scratch);

}  // namespace loadline
