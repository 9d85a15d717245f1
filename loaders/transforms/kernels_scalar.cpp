// The level every CPU has, without streaming stores: plain loops, vectorised by the compiler for the baseline it builds
// for (SSE2, NEON).
#include "loaders/transforms/kernels_body.h"
#include "loaders/transforms/kernels_levels.h"

namespace loadline {
namespace {

struct Scalar {
  static constexpr bool kHasStreaming = false;

  struct Wide {
    float scale[16];
    float bias[16];
  };

  LOADLINE_INLINE Wide wide(const float* scale, const float* bias) {
    Wide result;
    __builtin_memcpy(result.scale, scale, sizeof result.scale);
    __builtin_memcpy(result.bias, bias, sizeof result.bias);
    return result;
  }

  template <Stores kStores>
  LOADLINE_INLINE void copy64(const std::uint8_t* in, std::uint8_t* out) {
    __builtin_memcpy(out, in, 64);
  }

  template <Stores kStores>
  LOADLINE_INLINE void convert(const std::uint8_t* in, const Wide& wide, float* out) {
    for (int i = 0; i < 16; ++i) out[i] = static_cast<float>(in[i]) * wide.scale[i] + wide.bias[i];
  }

  template <Stores kStores>
  LOADLINE_INLINE void convert(const std::uint8_t* in, const Wide& wide, std::uint16_t* out) {
    float values[16];
    convert<kStores>(in, wide, values);
    for (int i = 0; i < 16; ++i) {
      std::uint32_t bits = 0;
      __builtin_memcpy(&bits, &values[i], sizeof bits);
      out[i] = static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U);
    }
  }

  LOADLINE_INLINE void interleave(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                                  std::uint8_t* out) {
    for (int i = 0; i < 16; ++i) {
      out[3 * i] = r[i];
      out[3 * i + 1] = g[i];
      out[3 * i + 2] = b[i];
    }
  }

  static void fence() {}
};

}  // namespace

const Kernels kScalarKernels = kernels_of<Scalar>("scalar");

}  // namespace loadline
