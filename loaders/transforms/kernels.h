// The inner loops of the transforms, one set per CPU level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "loaders/tensor.h"

namespace loadline {

// out = in * scale + bias, in single precision, rounded after each operation (never fused), so that every level gives
// the same bits. bf16 is that value rounded to nearest, ties to even.
struct Affine {
  float scale = 1;
  float bias = 0;
};

// Pointers must not overlap and need no alignment; `count` may be any number.
struct KernelLoops {
  void (*copy)(const std::uint8_t* in, std::size_t count, std::uint8_t* out);
  void (*to_f32)(const std::uint8_t* in, std::size_t count, Affine affine, float* out);
  void (*to_bf16)(const std::uint8_t* in, std::size_t count, Affine affine, std::uint16_t* out);

  // Turns three planes, `plane_stride` bytes apart, into `count` interleaved pixels; affine[c] is for plane c.
  void (*interleave_u8)(const std::uint8_t* in, std::size_t plane_stride, std::size_t count, std::uint8_t* out);
  void (*interleave_f32)(const std::uint8_t* in, std::size_t plane_stride, std::size_t count, const Affine* affine,
                         float* out);
  void (*interleave_bf16)(const std::uint8_t* in, std::size_t plane_stride, std::size_t count, const Affine* affine,
                          std::uint16_t* out);

  // The other way: `count` interleaved pixels to three planes, `plane_stride` values apart; affine[c] is for plane c.
  void (*split_u8)(const std::uint8_t* in, std::size_t count, std::uint8_t* out, std::size_t plane_stride);
  void (*split_f32)(const std::uint8_t* in, std::size_t count, const Affine* affine, float* out,
                    std::size_t plane_stride);
  void (*split_bf16)(const std::uint8_t* in, std::size_t count, const Affine* affine, std::uint16_t* out,
                     std::size_t plane_stride);

  // `count` interleaved pixels that stay so; affine[c] is for channel c.
  void (*pixels_f32)(const std::uint8_t* in, std::size_t count, const Affine* affine, float* out);
  void (*pixels_bf16)(const std::uint8_t* in, std::size_t count, const Affine* affine, std::uint16_t* out);
};

// Where a value of the output lies in a row or column of the source.
struct Tap {
  std::uint32_t first = 0;        // pixel of the source
  std::uint16_t next_weight = 0;  // of the one after it, in parts of 2^16; 0 where there is none
};

// What a level has made of the columns' taps. The layout is private to the level.
struct alignas(64) PlanLine {
  std::byte bytes[64];
};

// Enough of them at every level.
constexpr std::size_t plan_lines(std::size_t columns) {
  return 1 + 5 * ((columns + 7) / 8);
}

// Bilinear resize of RGB pixels: each row of the source is sampled at the columns of the output, and then each row of
// the output is blended from two of those. In between, values are words, 256 times a byte. Both steps add up first *
// (2^16 - weight) >> 16, where the factor is at most 2^16 - 1, and next * weight >> 16; the byte is (sum + 130) >> 8:
// 128 to round it, and 2 because the four products lose up to one each. Integers only, so that every level gives the
// same bits; no value is off by more than 1/64 of a byte's step before the last rounding.
struct ResizeLoops {
  // Prepares rows of `pixels` pixels for sampling at these `count` taps, which ascend or descend.
  void (*plan_columns)(const Tap* taps, std::size_t count, std::size_t pixels, PlanLine* plan);

  // out[r][3 * i + c] = channel c of row r at tap i. Nothing is read beyond a row's last pixel; up to kSampledSlack
  // values behind those of a row may be overwritten.
  void (*sample_columns)(const PlanLine* plan, const std::uint8_t* const* rows, std::size_t row_count,
                         std::uint16_t* const* out);

  // `count` values; `next_weight` as in a Tap. May read up to kSampledSlack values behind those of a row.
  void (*blend_rows)(const std::uint16_t* first, const std::uint16_t* next, std::uint16_t next_weight,
                     std::size_t count, std::uint8_t* out);
};

inline constexpr std::size_t kSampledSlack = 64;

// Turns a volume by right angles, and rounds it.
struct VolumeLoops {
  // Transposes a tile of 16 x 16 values: out[j * out_stride + i] = in[i * in_stride + j]. Strides count values and
  // may be negative; with streaming stores `out` and all its rows are aligned to 64 bytes.
  void (*transpose)(const float* in, std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride);
  // out[i] = in[count - 1 - i].
  void (*reverse)(const float* in, std::size_t count, float* out);
  // To bf16: nearest, ties to even; NaN stays NaN.
  void (*round)(const float* in, std::size_t count, std::uint16_t* out);
};

inline constexpr std::size_t kTile = 16;

// Moves the rows of a plane sideways by `right` columns and, if `mirror`, turns them left to right afterwards:
// out[r][c] = in[r][c + right], or in[r][width - 1 - c + right] mirrored, and 0 where that is outside the row. Rows
// follow each other without a gap. At least one column; |right| <= width. Nothing outside the rows is read or written.
using MoveRows = void(const std::uint8_t* in, std::size_t rows, std::size_t width, std::ptrdiff_t right, bool mirror,
                      std::uint8_t* out);

// The rows of an image, in both orders of storage.
struct RowLoops {
  MoveRows* move;         // of one plane: a column is a byte
  MoveRows* move_pixels;  // of three interleaved channels: a column is three bytes, whose order is kept
};

struct Kernels : KernelLoops {  // these are the cached ones
  std::string_view name;        // "scalar", "avx2", "avx512" or "avx512vbmi": what the result reports
  KernelLoops streaming;        // fall back to cached ones where `out` is not aligned to 64 bytes
  bool has_streaming;           // whether `streaming` differs from the cached ones
  void (*fence)();              // call after streaming stores, before telling another thread
  RowLoops rows;
  ResizeLoops resize;
  VolumeLoops volume;            // the loops with cached stores
  VolumeLoops streaming_volume;  // likewise

  const VolumeLoops& volume_loops(Stores stores) const {
    return stores == Stores::kStreaming ? streaming_volume : volume;
  }
  const KernelLoops& loops(Stores stores) const { return stores == Stores::kStreaming ? streaming : *this; }
};

// All sets that were built in and that this CPU can run, from slowest to fastest: scalar comes first.
std::span<const Kernels* const> supported_kernels();

// The set of this name, or the fastest for "auto". Throws usage Error listing the supported names.
const Kernels& kernels_named(std::string_view name);

}  // namespace loadline
