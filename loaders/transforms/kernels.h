// The inner loops of the transforms, one set for each level of CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "loaders/tensor.h"

namespace loadline {

// out = in * scale + bias, in single precision, one rounding an operation (never fused), so that every level gives the
// same bits. bf16 is that value rounded to nearest, ties to even.
struct Affine {
  float scale = 1;
  float bias = 0;
};

// No pointer may overlap another; none needs alignment; `count` may be anything.
struct KernelLoops {
  void (*copy)(const std::uint8_t* in, std::size_t count, std::uint8_t* out);
  void (*to_f32)(const std::uint8_t* in, std::size_t count, Affine affine, float* out);
  void (*to_bf16)(const std::uint8_t* in, std::size_t count, Affine affine, std::uint16_t* out);

  // Three planes, `plane_stride` bytes apart, to `count` interleaved pixels; affine[c] is for plane c.
  void (*interleave_u8)(const std::uint8_t* in, std::size_t plane_stride, std::size_t count, std::uint8_t* out);
  void (*interleave_f32)(const std::uint8_t* in, std::size_t plane_stride, std::size_t count, const Affine* affine,
                         float* out);
  void (*interleave_bf16)(const std::uint8_t* in, std::size_t plane_stride, std::size_t count, const Affine* affine,
                          std::uint16_t* out);
};

// Bilinear resize of RGB pixels, a row of the output at a time: first two rows of the source become one, then each
// pixel of the output is taken from two neighbours in it. In between, values are 64 times a byte, and weights fractions
// of 2^15: both products are rounded, (difference * weight + 2^14) >> 15, the last sum too, (value + 32) >> 6. Integers
// only, so that every level gives the same bits; no value is off by more than 1/32 before the last rounding.
struct ResizeLoops {
  // out[4 * i + c] = upper + (lower - upper) * weight for `pixels` pixels of three bytes; out[4 * i + 3] is 0. Nothing
  // is read beyond the last pixel.
  void (*blend_rows)(const std::uint8_t* upper, const std::uint8_t* lower, std::size_t pixels, std::int16_t weight,
                     std::int16_t* out);

  // planes[c * plane_stride + i] = value at pixel first[i] of the blended row, + (that of the next - it) * weights[4 *
  // i]. A pixel's weight stands there four times. `count` is a multiple of kResizeStep, and pixel first[i] + 1 is
  // readable even where its weight is 0.
  void (*sample_columns)(const std::int16_t* blended, const std::uint32_t* first, const std::int16_t* weights,
                         std::size_t count, std::uint8_t* planes, std::size_t plane_stride);
};

inline constexpr std::size_t kResizeStep = 16;

// Turning a volume by right angles, and rounding it.
struct VolumeLoops {
  // A tile of 16 x 16 values on end: out[j * out_stride + i] = in[i * in_stride + j]. Strides count values and may be
  // negative; `out` and all its rows are aligned to 64 bytes where stores are streaming.
  void (*transpose)(const float* in, std::ptrdiff_t in_stride, float* out, std::ptrdiff_t out_stride);
  // out[i] = in[count - 1 - i].
  void (*reverse)(const float* in, std::size_t count, float* out);
  // To bf16: nearest, ties to even; not a number stays one.
  void (*round)(const float* in, std::size_t count, std::uint16_t* out);
};

inline constexpr std::size_t kTile = 16;

struct Kernels : KernelLoops {  // these are the cached ones
  std::string_view name;        // "scalar", "avx2" or "avx512": what the result reports
  KernelLoops streaming;        // fall back to cached ones where `out` is not aligned to 64 bytes
  bool has_streaming;           // whether `streaming` differs from the cached ones
  void (*fence)();              // after streaming stores, before another thread is told of them
  ResizeLoops resize;
  VolumeLoops volume;            // these are the cached ones
  VolumeLoops streaming_volume;  // likewise

  const VolumeLoops& volume_loops(Stores stores) const {
    return stores == Stores::kStreaming ? streaming_volume : volume;
  }
  const KernelLoops& loops(Stores stores) const { return stores == Stores::kStreaming ? streaming : *this; }
};

// All sets this program was built with that this CPU can run, from the slowest to the fastest: scalar comes first.
std::span<const Kernels* const> supported_kernels();

// By name, or the fastest for "auto". Throws usage Error naming those supported.
const Kernels& kernels_named(std::string_view name);

}  // namespace loadline
