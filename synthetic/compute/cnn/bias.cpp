#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "synthetic/compute/cnn/onednn.h"

namespace loadline::onednn {
namespace {

float to_float(float value) {
  return value;
}
float to_float(std::uint16_t bf16) {
  return std::bit_cast<float>(std::uint32_t{bf16} << 16);
}
template <typename T>
T rounded(float value) {
  if constexpr (std::is_same_v<T, float>) return value;
  // To nearest, ties to even. No value here is so large that rounding carries it past infinity.
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<T>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// Adds one value per channel to [batch, channels, ...], whose channels are in blocks, last or first.
template <typename T>
void add_bias_to(const memory& values, const float* bias) {
  const memory::desc format = values.get_desc();
  const auto& blocking = format.data.format_desc.blocking;
  const Dims dims = format.dims();
  const bool blocked = blocking.inner_nblks == 1;
  const auto block = static_cast<std::ptrdiff_t>(blocked ? blocking.inner_blks[0] : 1);
  const std::ptrdiff_t blocks = (dims[1] + block - 1) / block;
  const std::ptrdiff_t places = std::accumulate(dims.begin() + 2, dims.end(), memory::dim{1}, std::multiplies<>());
  const bool last = !blocked && blocking.strides[1] == 1 && places > 1;
  T* const data = static_cast<T*>(values.get_data_handle());
  // How many values are added at each place: a block of channels, all of them, or one.
  const std::ptrdiff_t wide = last || places == 1 ? dims[1] : block;
  const std::ptrdiff_t groups = last || places == 1 ? 1 : blocks;
#pragma omp parallel for collapse(2)
  for (std::ptrdiff_t n = 0; n < dims[0]; ++n) {
    for (std::ptrdiff_t group = 0; group < groups; ++group) {
      T* const from = data + n * blocking.strides[0] + (groups > 1 ? group * blocking.strides[1] : 0);
      const std::ptrdiff_t in_use = std::min(wide, dims[1] - group * wide);
      for (std::ptrdiff_t place = 0; place < places; ++place) {
        T* const at = from + place * wide;
        for (std::ptrdiff_t c = 0; c < in_use; ++c) at[c] = rounded<T>(to_float(at[c]) + bias[group * wide + c]);
      }
    }
  }
}

}  // namespace

void add_bias(const memory& values, const memory& bias) {
  const auto* own = static_cast<const float*>(bias.get_data_handle());
  values.get_desc().data_type() == Type::bf16 ? add_bias_to<std::uint16_t>(values, own)
                                              : add_bias_to<float>(values, own);
}

}  // namespace loadline::onednn
