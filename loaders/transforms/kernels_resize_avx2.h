// Resizing by AVX2's shuffles, which stay within sixteen bytes. For levels that have no wider ones, too: templates of a
// Level, which lives in an unnamed namespace, so that each object keeps its own functions.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "loaders/transforms/kernels_body.h"
#include "loaders/transforms/kernels_resize.h"

namespace loadline {

// Four sixteenths of 32 words, each of two columns and two words that nothing uses.
template <typename Level>
struct PairsOfColumns {
  static constexpr std::size_t kColumns = 8;
  static constexpr std::size_t kShares[] = {2, 1};
  static constexpr std::size_t kRowBytes = 16;

  static constexpr std::size_t window_bytes(std::size_t share) { return 8 * share; }
  static constexpr std::size_t word(std::size_t column) { return column / 2 * 8 + column % 2 * 3; }
  static constexpr std::size_t place(std::size_t share, std::size_t column) { return share == 2 ? 0 : column % 2 * 8; }
};

template <typename Level>
class ResizeByShuffles {
 public:
  static constexpr ResizeLoops table() { return {Planner::plan, sample_columns, blend_rows}; }

 private:
  using Shape = PairsOfColumns<Level>;
  using Planner = ColumnPlanner<Shape>;

  LOADLINE_INLINE __m256i load(const void* in) { return _mm256_loadu_si256(static_cast<const __m256i*>(in)); }

  LOADLINE_INLINE __m256i weighted(__m256i first, __m256i next, __m256i first_weight, __m256i next_weight) {
    return _mm256_add_epi16(_mm256_mulhi_epu16(first, first_weight), _mm256_mulhi_epu16(next, next_weight));
  }

  // Two columns: sixteen bytes that both look at, or eight of each.
  template <std::size_t kShare>
  LOADLINE_INLINE __m128i pair(const std::uint8_t* row, const std::uint32_t* window) {
    if constexpr (kShare == 2) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + window[0]));
    const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + window[0]));
    const __m128i high = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + window[1]));
    return _mm_unpacklo_epi64(low, high);
  }

  // Four columns in registers, the first or the second half of a group.
  struct Columns {
    __m256i first;
    __m256i next;
    __m256i first_weight;
    __m256i next_weight;
  };

  LOADLINE_INLINE Columns columns_of(const ColumnGroup& group, int half) {
    return {load(group.first + 32 * half), load(group.next + 32 * half), load(group.first_weight + 16 * half),
            load(group.next_weight + 16 * half)};
  }

  template <std::size_t kShare>
  LOADLINE_INLINE void sample_half(const Columns& columns, const std::uint32_t* window, const std::uint8_t* row,
                                   std::uint16_t* out) {
    const __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(pair<kShare>(row, window)),
                                                  pair<kShare>(row, window + 2 / kShare), 1);
    const __m256i values = weighted(_mm256_shuffle_epi8(bytes, columns.first), _mm256_shuffle_epi8(bytes, columns.next),
                                    columns.first_weight, columns.next_weight);
    // The next six words cover the two that are left over.
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(values));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + 6), _mm256_extracti128_si256(values, 1));
  }

  template <std::size_t kShare>
  LOADLINE_INLINE void sample(const ColumnPlan& plan, const std::uint8_t* const* rows, std::size_t row_count,
                              std::uint16_t* const* out) {
    for (std::size_t i = 0; i < plan.groups; ++i) {
      const ColumnGroup& group = plan.group()[i];
      for (int half = 0; half < 2; ++half) {
        // Once for all rows: stores might change them, as far as the compiler knows.
        const Columns columns = columns_of(group, half);
        const std::uint32_t* window = group.window + half * static_cast<int>(4 / kShare);
        for (std::size_t row = 0; row < row_count; ++row) {
          sample_half<kShare>(columns, window, rows[row], out[row] + 24 * i + 12 * static_cast<std::size_t>(half));
        }
      }
    }
  }

  static void sample_columns(const PlanLine* lines, const std::uint8_t* const* rows, std::size_t row_count,
                             std::uint16_t* const* out) {
    const ColumnPlan& plan = ColumnPlan::in(lines);
    sample_padded<Shape::kRowBytes>(plan, rows, row_count, out, [&plan](auto padded, std::size_t count, auto to) {
      if (plan.columns_a_window == 2) return sample<2>(plan, padded, count, to);
      sample<1>(plan, padded, count, to);
    });
  }

  static void blend_rows(const std::uint16_t* first, const std::uint16_t* next, std::uint16_t next_weight,
                         std::size_t count, std::uint8_t* out) {
    const __m256i weights[2] = {_mm256_set1_epi16(static_cast<std::int16_t>(first_weight(next_weight))),
                                _mm256_set1_epi16(static_cast<std::int16_t>(next_weight))};
    std::size_t i = 0;
    for (; i + 32 <= count; i += 32) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), blend(first + i, next + i, weights));
    }
    if (i == count) return;
    std::uint8_t last[32];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(last), blend(first + i, next + i, weights));
    __builtin_memcpy(out + i, last, count - i);
  }

  // 32 values to bytes.
  LOADLINE_INLINE __m256i blend(const std::uint16_t* first, const std::uint16_t* next, const __m256i (&weights)[2]) {
    const __m256i low = blended(load(first), load(next), weights);
    const __m256i high = blended(load(first + 16), load(next + 16), weights);
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(low, high), 0b11'01'10'00);
  }

  LOADLINE_INLINE __m256i blended(__m256i first, __m256i next, const __m256i (&weights)[2]) {
    const __m256i value = weighted(first, next, weights[0], weights[1]);
    return _mm256_srli_epi16(_mm256_add_epi16(value, _mm256_set1_epi16(kRoundByte)), 8);
  }
};

}  // namespace loadline
