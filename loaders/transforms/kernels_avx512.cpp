#include <immintrin.h>

#include "loaders/transforms/kernels_body.h"
#include "loaders/transforms/kernels_levels.h"
#include "loaders/transforms/kernels_x86.h"

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

  // To nearest bf16, ties to even, in the upper half of each value. Uses integers rather than AVX512_BF16's
  // instruction, which not every AVX-512 CPU has.
  LOADLINE_INLINE __m512i rounded(__m512 value) {
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    return _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
  }

  LOADLINE_INLINE __m256i upper_halves(__m512i values) { return _mm512_cvtepi32_epi16(_mm512_srli_epi32(values, 16)); }

  template <Stores kStores>
  LOADLINE_INLINE void convert(const std::uint8_t* in, const Wide& wide, std::uint16_t* out) {
    const __m256i packed = upper_halves(rounded(values(in, wide)));
    if constexpr (kStores == Stores::kStreaming) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(out), packed);
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), packed);
    }
  }

  LOADLINE_INLINE void interleave(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                                  std::uint8_t* out) {
    interleave_by_shuffles<SixteenBytes<Avx512>>(r, g, b, out);
  }

  // Half of the vector: storing a whole one takes four extractions, and longer than storing two halves.
  static constexpr std::size_t kManyPixels = 32;
  LOADLINE_INLINE void interleave_many(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                                       std::uint8_t* out) {
    interleave_by_shuffles<ThirtyTwoBytes<Avx512>>(r, g, b, out);
  }

  using Weight = __m512i;
  static constexpr std::size_t kBlendPixels = 8;
  static constexpr std::size_t kBlendReadBytes = 32;

  LOADLINE_INLINE Weight weight(std::int16_t value) { return _mm512_set1_epi16(value); }

  LOADLINE_INLINE __m512i between(__m512i first, __m512i second, __m512i weight) {
    return _mm512_add_epi16(first, _mm512_mulhrs_epi16(_mm512_sub_epi16(second, first), weight));
  }

  // Eight pixels as 24 words, plus eight unused ones.
  LOADLINE_INLINE __m512i words(__m256i bytes) { return _mm512_slli_epi16(_mm512_cvtepu8_epi16(bytes), 6); }

  // Blends first and then inserts a zero after each pixel: one permutation instead of one per row.
  LOADLINE_INLINE void blend(__m256i upper, __m256i lower, Weight weight, std::int16_t* out) {
    const __m512i places = _mm512_set_epi16(0, 23, 22, 21, 0, 20, 19, 18, 0, 17, 16, 15, 0, 14, 13, 12,  //
                                            0, 11, 10, 9, 0, 8, 7, 6, 0, 5, 4, 3, 0, 2, 1, 0);
    constexpr __mmask32 kPixels = 0x77777777;
    const __m512i blended = between(words(upper), words(lower), weight);
    _mm512_storeu_si512(out, _mm512_maskz_permutexvar_epi16(kPixels, places, blended));
  }

  LOADLINE_INLINE void blend(const std::uint8_t* upper, const std::uint8_t* lower, Weight weight, std::int16_t* out) {
    blend(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(upper)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lower)), weight, out);
  }

  LOADLINE_INLINE void blend_exact(const std::uint8_t* upper, const std::uint8_t* lower, Weight weight,
                                   std::int16_t* out) {
    blend(_mm256_maskz_loadu_epi8(0xffffff, upper), _mm256_maskz_loadu_epi8(0xffffff, lower), weight, out);
  }

  // Every second pixel of eight and the one after it, in each quarter.
  LOADLINE_INLINE __m512i pairs(const std::int16_t* blended, const std::uint32_t* first) {
    const auto pair = [ blended, first ](int i) __attribute__((always_inline)) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(blended + 4 * std::size_t{first[i]}));
    };
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(pair(0)), pair(2), 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(pair(4)), pair(6), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  }

  // Eight pixels in order.
  LOADLINE_INLINE __m512i sample_eight(const std::int16_t* blended, const std::uint32_t* first,
                                       const std::int16_t* weights) {
    const __m512i even = pairs(blended, first);
    const __m512i odd = pairs(blended, first + 1);
    const __m512i weight = _mm512_loadu_si512(weights);
    const __m512i value = between(_mm512_unpacklo_epi64(even, odd), _mm512_unpackhi_epi64(even, odd), weight);
    return _mm512_srli_epi16(_mm512_add_epi16(value, _mm512_set1_epi16(32)), 6);
  }

  LOADLINE_INLINE void sample(const std::int16_t* blended, const std::uint32_t* first, const std::int16_t* weights,
                              std::uint8_t* planes, std::size_t plane_stride) {
    // Quarter i has pixels 2i, 2i + 1, 8 + 2i and 9 + 2i; two of a plane side by side make a word: words 0 to 3 are the
    // planes of the first two pixels, 4 to 7 those of the others. Then each plane's words are put in a row.
    const __m512i bytes =
        _mm512_packus_epi16(sample_eight(blended, first, weights), sample_eight(blended, first + 8, weights + 32));
    const __m512i places = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15));
    const __m512i rows = _mm512_set_epi16(31, 23, 15, 7, 27, 19, 11, 3, 30, 22, 14, 6, 26, 18, 10, 2,  //
                                          29, 21, 13, 5, 25, 17, 9, 1, 28, 20, 12, 4, 24, 16, 8, 0);
    const __m512i values = _mm512_permutexvar_epi16(rows, _mm512_shuffle_epi8(bytes, places));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(planes), _mm512_castsi512_si128(values));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(planes + plane_stride), _mm512_extracti32x4_epi32(values, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(planes + 2 * plane_stride), _mm512_extracti32x4_epi32(values, 2));
  }

  using Lanes = float __attribute__((vector_size(64)));
  using Places = std::int32_t __attribute__((vector_size(64)));

  template <Stores kStores>
  LOADLINE_INLINE void store_lanes(Lanes lanes, float* out) {
    store<kStores>(reinterpret_cast<__m512i>(lanes), out);
  }

  LOADLINE_INLINE void round(const float* in, std::uint16_t* out) {
    const __m512 value = _mm512_loadu_ps(in);
    const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i kept = _mm512_mask_or_epi32(rounded(value), nan, bits, _mm512_set1_epi32(0x400000));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), upper_halves(kept));
  }

  static void fence() { _mm_sfence(); }
};

}  // namespace

const Kernels kAvx512Kernels = kernels_of<Avx512>("avx512");

}  // namespace loadline
