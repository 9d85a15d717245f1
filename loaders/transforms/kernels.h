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
};

// Bilinear resize of RGB pixels, one output row at a time: first blends two source rows into one, then blends two
// neighbours in it for each output pixel. Intermediate values are 64 times a byte, weights are fractions of 2^15.
// Both products are rounded, (difference * weight + 2^14) >> 15, and so is the last sum, (value + 32) >> 6. Integers
// only, so that every level gives the same bits; no value is off by more than 1/32 before the last rounding.
struct ResizeLoops {
  // out[4 * i + c] = upper + (lower - upper) * weight for `pixels` pixels of three bytes; out[4 * i + 3] is 0. Reads
  // nothing beyond the last pixel.
  void (*blend_rows)(const std::uint8_t* upper, const std::uint8_t* lower, std::size_t pixels, std::int16_t weight,
                     std::int16_t* out);

  // planes[c * plane_stride + i] = value + (next - value) * weights[4 * i], where `value` is pixel first[i] of the
  // blended row and `next` is the pixel after it. `weights` repeats each pixel's weight four times. `count` is a
  // multiple of kResizeStep, and pixel first[i] + 1 is readable even if its weight is 0.
  void (*sample_columns)(const std::int16_t* blended, const std::uint32_t* first, const std::int16_t* weights,
                         std::size_t count, std::uint8_t* planes, std::size_t plane_stride);
};

inline constexpr std::size_t kResizeStep = 16;

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

struct Kernels : KernelLoops {  // the loops with cached stores
  std::string_view name;        // "scalar", "avx2" or "avx512": what the result reports
  KernelLoops streaming;        // falls back to cached stores if `out` is not aligned to 64 bytes
  bool has_streaming;           // whether `streaming` differs from the cached ones
  void (*fence)();              // call after streaming stores, before telling another thread
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
