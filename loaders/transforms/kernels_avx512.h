// The steps of the AVX-512 levels: a template of a Level, which lives in an unnamed namespace, so that each object
// keeps its own functions.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "loaders/transforms/kernels_body.h"
#include "loaders/transforms/kernels_x86.h"

namespace loadline {

template <typename Level>
struct Avx512Steps : RowsByShuffles<Level> {
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

  template <Stores kStores, typename T>
  LOADLINE_INLINE void store(__m256i values, T* out) {
    if constexpr (kStores == Stores::kStreaming) {
      _mm256_stream_si256(reinterpret_cast<__m256i*>(out), values);
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), values);
    }
  }

  template <Stores kStores>
  LOADLINE_INLINE void copy64(const std::uint8_t* in, std::uint8_t* out) {
    store<kStores>(_mm512_loadu_si512(in), out);
  }

  LOADLINE_INLINE __m512i bytes(const std::uint8_t* in) {
    return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in)));
  }

  LOADLINE_INLINE __m512 values(__m512i bytes, const Wide& wide) {
    return _mm512_add_ps(_mm512_mul_ps(_mm512_cvtepi32_ps(bytes), wide.scale), wide.bias);
  }

  // Sixteen bytes, each widened to 32 bits.
  template <Stores kStores>
  LOADLINE_INLINE void convert(__m512i bytes, const Wide& wide, float* out) {
    store<kStores>(_mm512_castps_si512(values(bytes, wide)), out);
  }

  // To the nearest bf16, ties to even, in the upper half of each value: by integers, not by AVX512_BF16's instruction:
  // not every AVX-512 CPU has it, and it takes the smallest values for 0.
  LOADLINE_INLINE __m512i rounded(__m512 value) {
    const __m512i bits = _mm512_castps_si512(value);
    const __mmask16 odd = _mm512_test_epi32_mask(bits, _mm512_set1_epi32(0x10000));
    const __m512i up = _mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff));
    return _mm512_mask_add_epi32(up, odd, up, _mm512_set1_epi32(1));
  }

  LOADLINE_INLINE __m256i upper_halves(__m512i values) {
    const __m512i odd = _mm512_set_epi16(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1,  //
                                         31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    return _mm512_castsi512_si256(_mm512_permutexvar_epi16(odd, values));
  }

  template <Stores kStores>
  LOADLINE_INLINE void convert(__m512i bytes, const Wide& wide, std::uint16_t* out) {
    store<kStores>(upper_halves(rounded(values(bytes, wide))), out);
  }

  template <Stores kStores, typename T>
  LOADLINE_INLINE void convert(const std::uint8_t* in, const Wide& wide, T* out) {
    convert<kStores>(bytes(in), wide, out);
  }

  LOADLINE_INLINE void interleave(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                                  std::uint8_t* out) {
    interleave_by_shuffles<SixteenBytes<Level>>(r, g, b, out);
  }

  // Half of the vector: storing a whole one takes four extractions, and longer than two of half.
  static constexpr std::size_t kManyPixels = 32;
  LOADLINE_INLINE void interleave_many(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                                       std::uint8_t* out) {
    interleave_by_shuffles<ThirtyTwoBytes<Level>>(r, g, b, out);
  }

  static constexpr std::size_t kSplitPixels = 32;
  using Split = SplitBytes<ThirtyTwoBytes<Level>>;

  LOADLINE_INLINE Split split(const std::uint8_t* in) { return split_by_shuffles<ThirtyTwoBytes<Level>>(in); }

  template <Stores kStores, int kChannel>
  LOADLINE_INLINE void store_split(const Split& split, std::uint8_t* out) {
    store<kStores>(split.planes[kChannel].bytes, out);
  }

  using Lanes = float __attribute__((vector_size(64)));

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

}  // namespace loadline
