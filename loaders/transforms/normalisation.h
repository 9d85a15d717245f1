// What every transform to a dtype agrees on: the constants of its conversion.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "loaders/tensor.h"
#include "loaders/transforms/kernels.h"

namespace loadline {

// (byte / 255 - mean) / stddev as byte * scale + bias, for each channel. `mean` and `stddev` may be empty: 0 and 1.
// Throws usage Error where they do not fit the channels or the dtype, or are no numbers that single precision can hold.
std::vector<Affine> affine_of(DType dtype, std::size_t channels, std::span<const double> mean,
                              std::span<const double> stddev);

}  // namespace loadline
