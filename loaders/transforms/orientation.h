// Which way up a photograph is, as cameras write it beside the pixels, and how to turn it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loaders/transforms/pixels.h"

namespace loadline {

// What makes the stored image upright, numbered as in EXIF.
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

// Whether width and height change places.
constexpr bool swaps_axes(Orientation orientation) {
  return orientation >= Orientation::kTranspose;
}

// Of the payload of a JPEG's APP1 segment; upright where it is no EXIF, names none, or is damaged: a picture without
// orientation is still a picture.
Orientation exif_orientation(std::span<const std::byte> app1);

// The size of the upright image, of that of the stored one; or the other way round.
constexpr ImageSize turned(const ImageSize& size, Orientation orientation) {
  return swaps_axes(orientation) ? ImageSize{.height = size.width, .width = size.height} : size;
}

// Where a window of the upright image lies in the stored one, which has this size.
Window stored_window(const Window& upright, const ImageSize& stored, Orientation orientation);

// Where a window of the stored image, which has this size, lies in the upright one.
Window upright_window(const Window& stored, const ImageSize& size, Orientation orientation);

// The upright image of a stored one: itself, or a copy in `scratch`, which grows as it must.
RgbView upright(const RgbView& stored, Orientation orientation, std::vector<std::uint8_t>& scratch);

}  // namespace loadline
