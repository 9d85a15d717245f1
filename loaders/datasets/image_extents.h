// What the header of an image file may claim.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "loaders/sample_index.h"

namespace loadline {

// Images of one dataset take no more, so that products of their extents stay far below where they would wrap.
inline constexpr std::size_t kMostImageBytes = std::size_t{1} << 48;

// Whether u8 images of these extents, the number of samples first, are more than loadline can read. Any extents.
inline bool too_many_images(std::span<const std::uint64_t> extents) {
  double bytes = 1;  // does not wrap
  for (const std::uint64_t extent : extents) bytes *= static_cast<double>(extent);
  return bytes > static_cast<double>(kMostImageBytes) || extents[0] >= std::numeric_limits<SampleIndex>::max();
}

// Whether they hold no image.
inline bool no_images(std::span<const std::uint64_t> extents) {
  return std::ranges::find(extents, std::uint64_t{0}) != extents.end();
}

}  // namespace loadline
