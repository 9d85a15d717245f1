// The conversion constants that all transforms share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "loaders/tensor.h"
#include "loaders/transforms/kernels.h"

namespace loadline {

// (byte / 255 - mean) / stddev as byte * scale + bias, for each channel. `mean` and `stddev` may be empty: 0 and 1.
// Throws usage Error if they do not fit the channels or the dtype, or if single precision cannot hold them.
std::vector<Affine> affine_of(DType dtype, std::size_t channels, std::span<const double> mean,
                              std::span<const double> stddev);

}  // namespace loadline
