#include <immintrin.h>

#include "loaders/transforms/kernels_body.h"
#include "loaders/transforms/kernels_levels.h"

namespace loadline {
namespace {

struct Avx512 {
  static constexpr bool kHasStreaming = true;

  struct Wide {
    __m512 scale;
    __m512 bias;
  };

  LOADLINE_INLINE Wide wide(const float* scale, const float* bias) {
    return {_mm512_loadu_ps(scale), _mm512_loadu_ps(bias)};
  }

  template <Stores kStores, typename T>
  LOADLINE_INLINE void store(__m512i values, T* out) {
    if constexpr (kStores == Stores::kStreaming) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(out), values);
    } else {
      _mm512_storeu_si512(out, values);
    }
  }

  template <Stores kStores>
  LOADLINE_INLINE void copy64(const std::uint8_t* in, std::uint8_t* out) {
    store<kStores>(_mm512_loadu_si512(in), out);
  }

  LOADLINE_INLINE __m512 values(const std::uint8_t* in, const Wide& wide) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    const __m512 values = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
    return _mm512_add_ps(_mm512_mul_ps(values, wide.scale), wide.bias);
  }

  template <Stores kStores>
  LOADLINE_INLINE void convert(const std::uint8_t* in, const Wide& wide, float* out) {
    store<kStores>(_mm512_castps_si512(values(in, wide)), out);
  }

  // By integer rounding, not by AVX512_BF16's instruction: not every AVX-512 CPU has it.
  template <Stores kStores>
  LOADLINE_INLINE void convert(const std::uint8_t* in, const Wide& wide, std::uint16_t* out) {
    const __m512i bits = _mm512_castps_si512(values(in, wide));
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const __m256i packed = _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
    if constexpr (kStores == Stores::kStreaming) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(out), packed);
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), packed);
    }
  }

  LOADLINE_INLINE void interleave(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                                  std::uint8_t* out) {
    interleave_by_shuffles(r, g, b, out);
  }

  static void fence() { _mm_sfence(); }
};

}  // namespace

const Kernels kAvx512Kernels = kernels_of<Avx512>("avx512");

}  // namespace loadline
