// The inner loops of the image transform, one set for each level of CPU.
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

struct Kernels : KernelLoops {  // these are the cached ones
  std::string_view name;        // "scalar", "avx2" or "avx512": what the result reports
  KernelLoops streaming;        // fall back to cached ones where `out` is not aligned to 64 bytes
  bool has_streaming;           // whether `streaming` differs from the cached ones
  void (*fence)();              // after streaming stores, before another thread is told of them

  const KernelLoops& loops(Stores stores) const { return stores == Stores::kStreaming ? streaming : *this; }
};

// All sets this program was built with that this CPU can run, from the slowest to the fastest: scalar comes first.
std::span<const Kernels* const> supported_kernels();

// By name, or the fastest for "auto". Throws usage Error naming those supported.
const Kernels& kernels_named(std::string_view name);

}  // namespace loadline
