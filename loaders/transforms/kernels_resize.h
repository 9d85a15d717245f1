// What the levels' resize loops share: their arithmetic, and the plan of those that shuffle the bytes of a row. As in
// kernels_body.h, nothing here calls the standard library, and a Shape lives in an unnamed namespace or is a template
// of something that does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loaders/transforms/kernels.h"
#include "loaders/transforms/kernels_body.h"

namespace loadline {

inline constexpr std::uint16_t kRoundByte = 130;  // half of 256, and what four products lose on average

// Of a pixel, where the next one has that weight.
LOADLINE_INLINE constexpr std::uint16_t first_weight(std::uint16_t next_weight) {
  return static_cast<std::uint16_t>(next_weight == 0 ? 0xffff : 0x10000 - next_weight);
}

// Columns side by side whose values fill 32 words, or nearly so. Each is shuffled out of a window of the row, which is
// loaded whole; neighbours share a window as far as it reaches.
struct alignas(64) ColumnGroup {
  std::uint8_t first[64];  // for each byte of the words, the byte of its window, or 0x80 for 0
  std::uint8_t next[64];   // of the next pixel
  std::uint16_t first_weight[32];
  std::uint16_t next_weight[32];
  std::uint32_t window[16];  // where each begins: byte of the row
};

// Groups follow each other behind it.
struct alignas(64) ColumnPlan {
  std::size_t row_bytes;
  std::size_t groups;
  std::size_t columns_a_window;

  LOADLINE_INLINE ColumnPlan& in(PlanLine* lines) { return *reinterpret_cast<ColumnPlan*>(lines); }
  LOADLINE_INLINE const ColumnPlan& in(const PlanLine* lines) { return *reinterpret_cast<const ColumnPlan*>(lines); }

  [[gnu::always_inline]] ColumnGroup* group() { return reinterpret_cast<ColumnGroup*>(this + 1); }
  [[gnu::always_inline]] const ColumnGroup* group() const { return reinterpret_cast<const ColumnGroup*>(this + 1); }
};
static_assert(sizeof(ColumnPlan) == sizeof(PlanLine) && sizeof(ColumnGroup) == 5 * sizeof(PlanLine));

// Plans columns for a Shape, which has
//   std::size_t kColumns;   of a group, at least eight: the lines of plan_lines() are enough then
//   std::size_t kShares[];   how many of them may share a window, the most first; the last is one, which always fits
//   std::size_t kRowBytes;   of a window that the most share; shorter rows are padded to it before they are sampled
//   std::size_t window_bytes(std::size_t share);
//   std::size_t word(std::size_t column);   of its first channel in the group
//   std::size_t place(std::size_t share, std::size_t column);   of its window among what is shuffled: bytes before it
template <typename Shape>
class ColumnPlanner {
 public:
  static void plan(const Tap* taps, std::size_t count, std::size_t pixels, PlanLine* lines) {
    ColumnPlan& plan = ColumnPlan::in(lines);
    plan.row_bytes = 3 * pixels;
    plan.groups = (count + Shape::kColumns - 1) / Shape::kColumns;
    const ColumnPlanner planner(taps, count, plan.row_bytes);
    plan.columns_a_window = 1;
    for (const std::size_t share : Shape::kShares) {
      if (!planner.fits(share)) continue;
      plan.columns_a_window = share;
      break;
    }
    for (std::size_t i = 0; i < plan.groups; ++i) {
      planner.fill(i * Shape::kColumns, plan.columns_a_window, plan.group()[i]);
    }
  }

 private:
  struct Bytes {
    std::size_t begin;
    std::size_t end;
  };

  ColumnPlanner(const Tap* taps, std::size_t count, std::size_t row_bytes)
      : taps_(taps), count_(count), readable_(row_bytes < Shape::kRowBytes ? Shape::kRowBytes : row_bytes) {}

  // The last one stands for those beyond it.
  const Tap& tap(std::size_t column) const { return taps_[column < count_ ? column : count_ - 1]; }

  // What these columns look at: taps ascend or descend, so that the outer ones bound it.
  Bytes bytes_of(std::size_t begin, std::size_t share) const {
    const Tap& one = tap(begin);
    const Tap& other = tap(begin + share - 1);
    const Tap& low = one.first < other.first ? one : other;
    const Tap& high = one.first < other.first ? other : one;
    const bool next = one.first == other.first ? (one.next_weight | other.next_weight) != 0 : high.next_weight != 0;
    return {3 * std::size_t{low.first}, 3 * (std::size_t{high.first} + (next ? 2 : 1))};
  }

  // As far to the right as a window can begin.
  std::size_t window_at(std::size_t begin, std::size_t share) const {
    const std::size_t last = readable_ - Shape::window_bytes(share);
    return begin < last ? begin : last;
  }

  bool fits(std::size_t share) const {
    for (std::size_t i = 0; i < count_; i += share) {
      const Bytes bytes = bytes_of(i, share);
      if (bytes.end - window_at(bytes.begin, share) > Shape::window_bytes(share)) return false;
    }
    return true;
  }

  void fill(std::size_t begin, std::size_t share, ColumnGroup& group) const {
    __builtin_memset(&group, 0, sizeof group);
    __builtin_memset(group.first, 0x80, sizeof group.first);
    __builtin_memset(group.next, 0x80, sizeof group.next);
    for (std::size_t i = 0; i < Shape::kColumns; ++i) {
      const std::size_t shared = i / share * share;
      const std::size_t window = window_at(bytes_of(begin + shared, share).begin, share);
      group.window[i / share] = static_cast<std::uint32_t>(window);
      const Tap& own = tap(begin + i);
      const std::size_t byte = Shape::place(share, i) + 3 * std::size_t{own.first} - window;
      const std::size_t to_next = own.next_weight == 0 ? 0 : 3;
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t word = Shape::word(i) + c;
        // The upper byte of the word: 256 times its value.
        group.first[2 * word + 1] = static_cast<std::uint8_t>(byte + c);
        group.next[2 * word + 1] = static_cast<std::uint8_t>(byte + c + to_next);
        group.first_weight[word] = first_weight(own.next_weight);
        group.next_weight[word] = own.next_weight;
      }
    }
  }

  const Tap* taps_;
  std::size_t count_;
  std::size_t readable_;  // bytes of a row
};

// Calls sample(rows, row_count, out) with rows that are readable for kRowBytes: short ones one after the other, copied.
template <std::size_t kRowBytes, typename Sample>
void sample_padded(const ColumnPlan& plan, const std::uint8_t* const* rows, std::size_t row_count,
                   std::uint16_t* const* out, const Sample& sample) {
  if (plan.row_bytes >= kRowBytes) return sample(rows, row_count, out);
  for (std::size_t i = 0; i < row_count; ++i) {
    std::uint8_t padded[kRowBytes] = {};
    __builtin_memcpy(padded, rows[i], plan.row_bytes);
    const std::uint8_t* const row = padded;
    sample(&row, 1, out + i);
  }
}

}  // namespace loadline
