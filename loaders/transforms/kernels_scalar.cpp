// The level that every CPU has, without streaming stores: plain loops, vectorised by the compiler for its baseline
// (SSE2, NEON).
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

  static constexpr std::size_t kManyPixels = 16;
  LOADLINE_INLINE void interleave_many(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                                       std::uint8_t* out) {
    interleave(r, g, b, out);
  }

  using Weight = std::int16_t;
  static constexpr std::size_t kBlendPixels = 1;
  static constexpr std::size_t kBlendReadBytes = 3;

  LOADLINE_INLINE Weight weight(std::int16_t value) { return value; }

  LOADLINE_INLINE int between(int first, int second, int weight) {
    return first + (((second - first) * weight + 0x4000) >> 15);
  }

  LOADLINE_INLINE void blend(const std::uint8_t* upper, const std::uint8_t* lower, Weight weight, std::int16_t* out) {
    for (int c = 0; c < 3; ++c) out[c] = static_cast<std::int16_t>(between(64 * upper[c], 64 * lower[c], weight));
    out[3] = 0;
  }

  LOADLINE_INLINE void blend_exact(const std::uint8_t* upper, const std::uint8_t* lower, Weight weight,
                                   std::int16_t* out) {
    blend(upper, lower, weight, out);
  }

  LOADLINE_INLINE void sample(const std::int16_t* blended, const std::uint32_t* first, const std::int16_t* weights,
                              std::uint8_t* planes, std::size_t plane_stride) {
    for (std::size_t i = 0; i < kResizeStep; ++i) {
      const std::int16_t* pixel = blended + 4 * std::size_t{first[i]};
      for (std::size_t c = 0; c < 3; ++c) {
        const int value = between(pixel[c], pixel[4 + c], weights[4 * i]);
        planes[c * plane_stride + i] = static_cast<std::uint8_t>((value + 32) >> 6);
      }
    }
  }

  using Lanes = float __attribute__((vector_size(16)));
  using Places = std::int32_t __attribute__((vector_size(16)));

  template <Stores kStores>
  LOADLINE_INLINE void store_lanes(Lanes lanes, float* out) {
    __builtin_memcpy(out, &lanes, sizeof lanes);
  }

  LOADLINE_INLINE void round(const float* in, std::uint16_t* out) {
    Volumes<Scalar, Stores::kCached>::round_plainly(in, 16, out);
  }

  static void fence() {}
};

}  // namespace

const Kernels kScalarKernels = kernels_of<Scalar>("scalar");

}  // namespace loadline
