#include <immintrin.h>

#include "loaders/transforms/kernels_body.h"
#include "loaders/transforms/kernels_levels.h"
#include "loaders/transforms/kernels_x86.h"

namespace loadline {
namespace {

struct Avx2 {
  static constexpr bool kHasStreaming = true;

  struct Wide {
    __m256 scale[2];
    __m256 bias[2];
  };

  LOADLINE_INLINE Wide wide(const float* scale, const float* bias) {
    return {{_mm256_loadu_ps(scale), _mm256_loadu_ps(scale + 8)}, {_mm256_loadu_ps(bias), _mm256_loadu_ps(bias + 8)}};
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
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + 32));
    store<kStores>(low, out);
    store<kStores>(high, out + 32);
  }

  template <int kHalf>
  LOADLINE_INLINE __m256 half(const std::uint8_t* in, const Wide& wide) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(in + 8 * kHalf));
    const __m256 values = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
    return _mm256_add_ps(_mm256_mul_ps(values, wide.scale[kHalf]), wide.bias[kHalf]);
  }

  // To nearest bf16, ties to even, in the upper half of each value.
  LOADLINE_INLINE __m256i rounded(__m256 value) {
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
  }

  // The upper halves of sixteen values. The pack works within halves of the register; the permutation puts them in
  // order.
  LOADLINE_INLINE __m256i upper_halves(__m256i low, __m256i high) {
    const __m256i packed = _mm256_packus_epi32(_mm256_srli_epi32(low, 16), _mm256_srli_epi32(high, 16));
    return _mm256_permute4x64_epi64(packed, 0b11'01'10'00);
  }

  template <Stores kStores>
  LOADLINE_INLINE void convert(const std::uint8_t* in, const Wide& wide, float* out) {
    store<kStores>(_mm256_castps_si256(half<0>(in, wide)), out);
    store<kStores>(_mm256_castps_si256(half<1>(in, wide)), out + 8);
  }

  template <Stores kStores>
  LOADLINE_INLINE void convert(const std::uint8_t* in, const Wide& wide, std::uint16_t* out) {
    store<kStores>(upper_halves(rounded(half<0>(in, wide)), rounded(half<1>(in, wide))), out);
  }

  LOADLINE_INLINE void interleave(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                                  std::uint8_t* out) {
    interleave_by_shuffles<SixteenBytes<Avx2>>(r, g, b, out);
  }

  static constexpr std::size_t kManyPixels = 32;
  LOADLINE_INLINE void interleave_many(const std::uint8_t* r, const std::uint8_t* g, const std::uint8_t* b,
                                       std::uint8_t* out) {
    interleave_by_shuffles<ThirtyTwoBytes<Avx2>>(r, g, b, out);
  }

  using Weight = __m256i;
  static constexpr std::size_t kBlendPixels = 4;
  static constexpr std::size_t kBlendReadBytes = 16;

  LOADLINE_INLINE Weight weight(std::int16_t value) { return _mm256_set1_epi16(value); }

  LOADLINE_INLINE __m256i between(__m256i first, __m256i second, __m256i weight) {
    return _mm256_add_epi16(first, _mm256_mulhrs_epi16(_mm256_sub_epi16(second, first), weight));
  }

  // Two pixels of three bytes in each half, beginning at that byte, to words with a zero after each pixel.
  template <int kUpperHalfFrom>
  LOADLINE_INLINE __m256i widen(__m256i bytes) {
    constexpr char z = -1;
    constexpr char h = kUpperHalfFrom;
    const __m256i places = _mm256_setr_epi8(0, z, 1, z, 2, z, z, z, 3, z, 4, z, 5, z, z, z,  //
                                            h, z, h + 1, z, h + 2, z, z, z, h + 3, z, h + 4, z, h + 5, z, z, z);
    return _mm256_slli_epi16(_mm256_shuffle_epi8(bytes, places), 6);
  }

  LOADLINE_INLINE __m256i pixels(const std::uint8_t* in) {
    return widen<6>(_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in))));
  }

  // Bytes 0 to 7 in one half, 4 to 11 in the other.
  LOADLINE_INLINE __m256i pixels_exact(const std::uint8_t* in) {
    const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(in));
    const __m128i high = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(in + 4));
    return widen<2>(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
  }

  LOADLINE_INLINE void blend(const std::uint8_t* upper, const std::uint8_t* lower, Weight weight, std::int16_t* out) {
    store<Stores::kCached>(between(pixels(upper), pixels(lower), weight), out);
  }

  LOADLINE_INLINE void blend_exact(const std::uint8_t* upper, const std::uint8_t* lower, Weight weight,
                                   std::int16_t* out) {
    store<Stores::kCached>(between(pixels_exact(upper), pixels_exact(lower), weight), out);
  }

  // Pixel `first` and the one after it, in each half.
  LOADLINE_INLINE __m256i pairs(const std::int16_t* blended, std::uint32_t low, std::uint32_t high) {
    const __m128i one = _mm_loadu_si128(reinterpret_cast<const __m128i*>(blended + 4 * std::size_t{low}));
    const __m128i other = _mm_loadu_si128(reinterpret_cast<const __m128i*>(blended + 4 * std::size_t{high}));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(one), other, 1);
  }

  // Four pixels in order.
  LOADLINE_INLINE __m256i sample_four(const std::int16_t* blended, const std::uint32_t* first,
                                      const std::int16_t* weights) {
    const __m256i even = pairs(blended, first[0], first[2]);
    const __m256i odd = pairs(blended, first[1], first[3]);
    const __m256i weight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
    const __m256i value = between(_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd), weight);
    return _mm256_srli_epi16(_mm256_add_epi16(value, _mm256_set1_epi16(32)), 6);
  }

  LOADLINE_INLINE void sample_eight(const std::int16_t* blended, const std::uint32_t* first,
                                    const std::int16_t* weights, std::uint8_t* planes, std::size_t plane_stride) {
    // Each half has pixels 0, 1, 4, 5 or 2, 3, 6, 7; two of a plane side by side make a word.
    const __m256i bytes =
        _mm256_packus_epi16(sample_four(blended, first, weights), sample_four(blended, first + 4, weights + 16));
    const __m256i places = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,  //
                                            0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m256i words = _mm256_shuffle_epi8(bytes, places);
    const __m128i low = _mm256_castsi256_si128(words);
    const __m128i high = _mm256_extracti128_si256(words, 1);
    const __m128i red_green = _mm_unpacklo_epi16(low, high);
    const __m128i blue = _mm_unpackhi_epi16(low, high);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(planes), red_green);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(planes + plane_stride), _mm_unpackhi_epi64(red_green, red_green));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(planes + 2 * plane_stride), blue);
  }

  LOADLINE_INLINE void sample(const std::int16_t* blended, const std::uint32_t* first, const std::int16_t* weights,
                              std::uint8_t* planes, std::size_t plane_stride) {
    sample_eight(blended, first, weights, planes, plane_stride);
    sample_eight(blended, first + 8, weights + 32, planes + 8, plane_stride);
  }

  using Lanes = float __attribute__((vector_size(32)));
  using Places = std::int32_t __attribute__((vector_size(32)));

  template <Stores kStores>
  LOADLINE_INLINE void store_lanes(Lanes lanes, float* out) {
    store<kStores>(reinterpret_cast<__m256i>(lanes), out);
  }

  LOADLINE_INLINE __m256i rounded_unless_nan(const float* in) {
    const __m256 value = _mm256_loadu_ps(in);
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    const __m256i quiet = _mm256_or_si256(_mm256_castps_si256(value), _mm256_set1_epi32(0x400000));
    return _mm256_blendv_epi8(rounded(value), quiet, nan);
  }

  LOADLINE_INLINE void round(const float* in, std::uint16_t* out) {
    store<Stores::kCached>(upper_halves(rounded_unless_nan(in), rounded_unless_nan(in + 8)), out);
  }

  static void fence() { _mm_sfence(); }
};

}  // namespace

const Kernels kAvx2Kernels = kernels_of<Avx2>("avx2");

}  // namespace loadline
