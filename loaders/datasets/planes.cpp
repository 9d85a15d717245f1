#include "loaders/datasets/planes.h"

#include <cstdint>

#include "loaders/transforms/kernels.h"

namespace loadline {

void to_planes(StoredSample pixels, const ImageShape& shape, std::span<std::byte> out) {
  const std::size_t channels = shape.channels;
  const std::size_t count = shape.pixels();
  if (channels == 3) {  // the usual number, for which there are kernels
    return kernels_named("auto").split_u8(reinterpret_cast<const std::uint8_t*>(pixels.data()), count,
                                          reinterpret_cast<std::uint8_t*>(out.data()), count);
  }
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t p = 0; p < count; ++p) out[c * count + p] = pixels[p * channels + c];
  }
}

}  // namespace loadline
