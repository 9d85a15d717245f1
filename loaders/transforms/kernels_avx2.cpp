#include <immintrin.h>

#include "loaders/transforms/kernels_body.h"
#include "loaders/transforms/kernels_levels.h"
#include "loaders/transforms/kernels_resize_avx2.h"
#include "loaders/transforms/kernels_x86.h"

namespace loadline {
namespace {

struct Avx2 : RowsByShuffles<Avx2> {
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

  static constexpr std::size_t kSplitPixels = 32;
  using Split = SplitBytes<ThirtyTwoBytes<Avx2>>;

  LOADLINE_INLINE Split split(const std::uint8_t* in) { return split_by_shuffles<ThirtyTwoBytes<Avx2>>(in); }

  template <Stores kStores, int kChannel>
  LOADLINE_INLINE void store_split(const Split& split, std::uint8_t* out) {
    store<kStores>(split.planes[kChannel].bytes, out);
  }

  using Resize = ResizeByShuffles<Avx2>;

  using Lanes = float __attribute__((vector_size(32)));

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
