// Images with channels last, turned into planes.
#pragma once

#include <cstddef>
#include <span>

#include "loaders/datasets/dataset.h"
#include "loaders/tensor.h"

namespace loadline {

// Writes the bytes of one image, stored as [height, width, channels], to `out` in planes: all rows of channel 0, then
// of channel 1, ... `pixels` and `out` have shape.elements() bytes each and do not overlap. Any thread.
void to_planes(StoredSample pixels, const ImageShape& shape, std::span<std::byte> out);

}  // namespace loadline
