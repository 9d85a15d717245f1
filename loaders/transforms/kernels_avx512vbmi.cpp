// AVX-512 of CPUs that can permute the bytes of a whole register (VBMI): what AVX-512 does, but for loops that take
// pixels apart.
#include "loaders/transforms/kernels_avx512.h"
#include "loaders/transforms/kernels_levels.h"
#include "loaders/transforms/kernels_resize.h"

namespace loadline {
namespace {

// The three channels of ten columns are 30 words; two words more are left over.
struct TenColumns {
  static constexpr std::size_t kColumns = 10;
  static constexpr std::size_t kShares[] = {10, 5, 2, 1};
  static constexpr std::size_t kRowBytes = 64;

  static constexpr std::size_t window_bytes(std::size_t /*share*/) { return 64; }
  static constexpr std::size_t word(std::size_t column) { return 3 * column; }
  static constexpr std::size_t place(std::size_t /*share*/, std::size_t /*column*/) { return 0; }
};

struct BytePlaces {
  alignas(64) std::uint8_t places[64];
};

consteval BytePlaces even_then_odd() {
  BytePlaces all{};
  for (int i = 0; i < 64; ++i) all.places[i] = static_cast<std::uint8_t>(i < 32 ? 2 * i : 2 * (i - 32) + 1);
  return all;
}

constexpr BytePlaces kEvenThenOdd = even_then_odd();

class ResizeByPermutations {
 public:
  static constexpr ResizeLoops table() { return {Planner::plan, sample_columns, blend_rows}; }

 private:
  using Planner = ColumnPlanner<TenColumns>;

  LOADLINE_INLINE __m512i weighted(__m512i first, __m512i next, __m512i first_weight, __m512i next_weight) {
    return _mm512_add_epi16(_mm512_mulhi_epu16(first, first_weight), _mm512_mulhi_epu16(next, next_weight));
  }

  // The upper bytes of the words of columns that share that window.
  template <std::size_t kShare>
  static constexpr __mmask64 window_mask(std::size_t window) {
    const __mmask64 columns = (__mmask64{1} << (6 * kShare)) - 1;
    return columns << (6 * kShare * window) & 0xaaaaaaaaaaaaaaaa;
  }

  // A group in registers.
  struct Columns {
    __m512i first;
    __m512i next;
    __m512i first_weight;
    __m512i next_weight;
  };

  template <std::size_t kShare>
  LOADLINE_INLINE __m512i sampled(const Columns& columns, const std::uint32_t* window, const std::uint8_t* row) {
    __m512i bytes = _mm512_loadu_si512(row + window[0]);
    __m512i first = _mm512_maskz_permutexvar_epi8(window_mask<kShare>(0), columns.first, bytes);
    __m512i next = _mm512_maskz_permutexvar_epi8(window_mask<kShare>(0), columns.next, bytes);
#pragma GCC unroll 10
    for (std::size_t i = 1; i < TenColumns::kColumns / kShare; ++i) {
      bytes = _mm512_loadu_si512(row + window[i]);
      first = _mm512_mask_permutexvar_epi8(first, window_mask<kShare>(i), columns.first, bytes);
      next = _mm512_mask_permutexvar_epi8(next, window_mask<kShare>(i), columns.next, bytes);
    }
    return weighted(first, next, columns.first_weight, columns.next_weight);
  }

  template <std::size_t kShare>
  LOADLINE_INLINE void sample(const ColumnPlan& plan, const std::uint8_t* const* rows, std::size_t row_count,
                              std::uint16_t* const* out) {
    for (std::size_t i = 0; i < plan.groups; ++i) {
      const ColumnGroup& group = plan.group()[i];
      // Once for all rows: stores might change them, as far as the compiler knows.
      const Columns columns{_mm512_load_si512(group.first), _mm512_load_si512(group.next),
                            _mm512_load_si512(group.first_weight), _mm512_load_si512(group.next_weight)};
      for (std::size_t row = 0; row < row_count; ++row) {
        // The next group covers the two words that are left over.
        _mm512_storeu_si512(out[row] + 3 * TenColumns::kColumns * i, sampled<kShare>(columns, group.window, rows[row]));
      }
    }
  }

  static void sample_columns(const PlanLine* lines, const std::uint8_t* const* rows, std::size_t row_count,
                             std::uint16_t* const* out) {
    const ColumnPlan& plan = ColumnPlan::in(lines);
    sample_padded<TenColumns::kRowBytes>(plan, rows, row_count, out, [&plan](auto padded, std::size_t count, auto to) {
      switch (plan.columns_a_window) {
        case 10: return sample<10>(plan, padded, count, to);
        case 5: return sample<5>(plan, padded, count, to);
        case 2: return sample<2>(plan, padded, count, to);
        default: return sample<1>(plan, padded, count, to);
      }
    });
  }

  static void blend_rows(const std::uint16_t* first, const std::uint16_t* next, std::uint16_t next_weight,
                         std::size_t count, std::uint8_t* out) {
    const __m512i weights[2] = {_mm512_set1_epi16(static_cast<std::int16_t>(first_weight(next_weight))),
                                _mm512_set1_epi16(static_cast<std::int16_t>(next_weight))};
    std::size_t i = 0;
    for (; i + 64 <= count; i += 64) _mm512_storeu_si512(out + i, blend(first + i, next + i, weights));
    if (i == count) return;
    const __mmask64 rest = (__mmask64{1} << (count - i)) - 1;
    _mm512_mask_storeu_epi8(out + i, rest, blend(first + i, next + i, weights));
  }

  // 64 values to bytes: the upper ones of two registers side by side, then in order.
  LOADLINE_INLINE __m512i blend(const std::uint16_t* first, const std::uint16_t* next, const __m512i (&weights)[2]) {
    const __m512i low = blended(first, next, weights);
    const __m512i high = blended(first + 32, next + 32, weights);
    const __m512i both = _mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaa, _mm512_srli_epi16(low, 8), high);
    return _mm512_permutexvar_epi8(_mm512_load_si512(kEvenThenOdd.places), both);
  }

  LOADLINE_INLINE __m512i blended(const std::uint16_t* first, const std::uint16_t* next, const __m512i (&weights)[2]) {
    return _mm512_add_epi16(weighted(_mm512_loadu_si512(first), _mm512_loadu_si512(next), weights[0], weights[1]),
                            _mm512_set1_epi16(kRoundByte));
  }
};

// Where channel 0 of sixteen interleaved pixels is: at the lowest byte of 32 bits, at bytes, and at the sixteen bytes
// behind those.
consteval BytePlaces channel_places(int first, int step) {
  BytePlaces all{};
  for (int i = 0; i < 16; ++i) all.places[first + step * i] = static_cast<std::uint8_t>(3 * i);
  return all;
}

constexpr BytePlaces kChannelAsBytes = channel_places(0, 1);
constexpr BytePlaces kChannelAsLaterBytes = channel_places(16, 1);

struct Avx512Vbmi : Avx512Steps<Avx512Vbmi> {
  using Resize = ResizeByPermutations;

  static constexpr std::size_t kSplitPixels = 32;
  struct Split {
    __m512i low;  // sixteen pixels in 48 bytes
    __m512i high;
  };

  LOADLINE_INLINE Split split(const std::uint8_t* in) {
    return {_mm512_loadu_si512(in), _mm512_maskz_loadu_epi8(0xffffffffffff, in + 48)};
  }

  LOADLINE_INLINE __m512i places(const BytePlaces& of_first_channel, int channel) {
    return _mm512_add_epi8(_mm512_load_si512(of_first_channel.places), _mm512_set1_epi8(static_cast<char>(channel)));
  }

  template <Stores kStores, int kChannel>
  LOADLINE_INLINE void store_split(const Split& split, std::uint8_t* out) {
    const __m512i low = _mm512_permutexvar_epi8(places(kChannelAsBytes, kChannel), split.low);
    const __m512i both =
        _mm512_mask_permutexvar_epi8(low, 0xffff0000, places(kChannelAsLaterBytes, kChannel), split.high);
    store<kStores>(_mm512_castsi512_si256(both), out);
  }
};

}  // namespace

const Kernels kAvx512VbmiKernels = kernels_of<Avx512Vbmi>("avx512vbmi");

}  // namespace loadline
