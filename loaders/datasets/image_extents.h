// What the header of an image file may claim.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "loaders/sample_index.h"
#include "loaders/tensor.h"

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

// An extent above this counts rows or columns, not channels.
inline constexpr std::uint64_t kMostChannels = 4;

// The shape of one image, and whether its channels come last.
struct ImageOrder {
  ImageShape shape;
  bool channels_last = false;
};

// Of images of these extents: [samples, height, width]; [samples, height, width, channels], where only the last of the
// four can count channels; otherwise [samples, channels, height, width]. One channel is the same first and last.
inline ImageOrder image_order(std::span<const std::uint64_t> extents) {
  if (extents.size() == 3) return {.shape = {.channels = 1, .height = extents[1], .width = extents[2]}};
  if (extents[1] <= kMostChannels || extents[3] > kMostChannels) {
    return {.shape = {.channels = extents[1], .height = extents[2], .width = extents[3]}};
  }
  return {.shape = {.channels = extents[3], .height = extents[1], .width = extents[2]},
          .channels_last = extents[3] > 1};
}

}  // namespace loadline
