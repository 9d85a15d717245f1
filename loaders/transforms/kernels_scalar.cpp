// The level that every CPU has, without streaming stores: plain loops, vectorised by the compiler for its baseline
// (SSE2, NEON).
#include "loaders/transforms/kernels_body.h"
#include "loaders/transforms/kernels_levels.h"
#include "loaders/transforms/kernels_resize.h"

namespace loadline {
namespace {

// A plan is the number of taps, and behind it the taps.
struct ScalarResize {
  static constexpr ResizeLoops table() { return {plan_columns, sample_columns, blend_rows}; }

 private:
  static void plan_columns(const Tap* taps, std::size_t count, std::size_t /*pixels*/, PlanLine* plan) {
    __builtin_memcpy(plan, &count, sizeof count);
    __builtin_memcpy(plan + 1, taps, count * sizeof *taps);
  }

  LOADLINE_INLINE std::uint32_t weighted(std::uint32_t first, std::uint32_t next, std::uint16_t next_weight) {
    return (first * first_weight(next_weight) >> 16U) + (next * next_weight >> 16U);
  }

  static void sample_columns(const PlanLine* plan, const std::uint8_t* const* rows, std::size_t row_count,
                             std::uint16_t* const* out) {
    std::size_t count = 0;
    __builtin_memcpy(&count, plan, sizeof count);
    const auto* taps = reinterpret_cast<const Tap*>(plan + 1);
    for (std::size_t row = 0; row < row_count; ++row) {
      for (std::size_t i = 0; i < count; ++i) {
        const Tap tap = taps[i];
        const std::uint8_t* first = rows[row] + 3 * std::size_t{tap.first};
        const std::uint8_t* next = tap.next_weight == 0 ? first : first + 3;
        for (std::size_t c = 0; c < 3; ++c) {
          out[row][3 * i + c] = static_cast<std::uint16_t>(weighted(256U * first[c], 256U * next[c], tap.next_weight));
        }
      }
    }
  }

  static void blend_rows(const std::uint16_t* first, const std::uint16_t* next, std::uint16_t next_weight,
                         std::size_t count, std::uint8_t* out) {
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = static_cast<std::uint8_t>((weighted(first[i], next[i], next_weight) + kRoundByte) >> 8U);
    }
  }
};

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

  static constexpr std::size_t kSplitPixels = 16;
  using Split = const std::uint8_t*;

  LOADLINE_INLINE Split split(const std::uint8_t* in) { return in; }

  template <Stores kStores, int kChannel>
  LOADLINE_INLINE void store_split(Split pixels, std::uint8_t* out) {
    for (int i = 0; i < 16; ++i) out[i] = pixels[3 * i + kChannel];
  }

  using Resize = ScalarResize;

  using Lanes = float __attribute__((vector_size(16)));

  template <Stores kStores>
  LOADLINE_INLINE void store_lanes(Lanes lanes, float* out) {
    __builtin_memcpy(out, &lanes, sizeof lanes);
  }

  LOADLINE_INLINE void round(const float* in, std::uint16_t* out) {
    Volumes<Scalar, Stores::kCached>::round_plainly(in, 16, out);
  }

  using Block = std::uint8_t __attribute__((vector_size(8)));

  LOADLINE_INLINE Block reversed(Block block) {
    return reinterpret_cast<Block>(__builtin_bswap64(reinterpret_cast<std::uint64_t>(block)));
  }

  LOADLINE_INLINE void swap_ends(std::uint8_t* pixels) {
    for (int i = 0; i < 48; i += 3) {
      const std::uint8_t first = pixels[i];
      pixels[i] = pixels[i + 2];
      pixels[i + 2] = first;
    }
  }

  static void fence() {}
};

}  // namespace

const Kernels kScalarKernels = kernels_of<Scalar>("scalar");

}  // namespace loadline
