// From pixels of any size to their place in a batch: bilinear resize, flip, conversion, normalisation and layout, a few
// rows of the output at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loaders/tensor.h"
#include "loaders/transforms/kernels.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

// Values of a sampled row, in one line of the cache: loads as wide as that would take two otherwise.
struct alignas(64) SampledLine {
  std::uint16_t values[32];
};

// One thread's buffers for resizing: they grow to the largest image. Keep and reuse them.
class ResizeScratch {
 private:
  friend class BilinearResize;

  std::vector<Tap> columns_;
  std::vector<PlanLine> plan_;
  std::vector<SampledLine> sampled_;  // rows of the source at the columns of the output
  std::vector<std::uint8_t> pixels_;  // one row of the output
};

// Immutable: any thread may call apply() with its own scratch.
//
// Each pixel of the output is interpolated between the four of the source around its centre, and nothing else: no
// filter against aliasing, as OpenCV's INTER_LINEAR. It is a byte before it is converted, as an 8-bit image is in any
// other pipeline; rounded from a value within 1/64 of the exact one, so that it differs by at most 1 from OpenCV
// (tests hold it to that) and from other implementations of that accuracy. All kernels give the same bytes. Float
// values are then those of ImageTransform: (byte / 255 - mean) / stddev.
class BilinearResize {
 public:
  // `affine` has one entry for each of the three channels. Throws usage Error for an output without pixels.
  BilinearResize(ImageSize out, DType dtype, Layout layout, std::vector<Affine> affine, const Kernels& kernels);

  ImageShape shape() const { return {3, out_.height, out_.width}; }
  std::size_t sample_bytes() const { return shape().elements() * size_bytes(dtype_); }
  const Kernels& kernels() const { return kernels_; }
  // The stores that are used when `stores` is requested: streaming ones need a kernel level that has them, and rows
  // in whole cache lines.
  Stores effective(Stores stores) const;

  // Writes sample_bytes() bytes to `out`. Pixels of `in` outside the window contribute if they are neighbours of the
  // window's edge pixels; beyond `in`, its outermost pixels repeat. After streaming stores, call kernels().fence()
  // before another thread reads them.
  void apply(const RgbView& in, const Window& window, bool flip, ResizeScratch& scratch, std::byte* out,
             Stores stores = Stores::kCached) const;
  // The same for 16-bit pixels without loss: the interpolated value is not rounded, and becomes (value / 65535
  // - mean) / stddev. Only for f32.
  void apply(const DeepRgbView& in, const Window& window, bool flip, std::byte* out) const;
  // The same with all of `in` as the window.
  void apply(const RgbView& in, bool flip, ResizeScratch& scratch, std::byte* out,
             Stores stores = Stores::kCached) const;

 private:
  void prepare(const RgbView& in, const Window& window, bool flip, ResizeScratch& scratch) const;
  void convert_row(const std::uint8_t* pixels, std::size_t row, std::byte* out, const KernelLoops& loops) const;

  ImageSize out_;
  DType dtype_;
  Layout layout_;
  std::vector<Affine> affine_;
  const Kernels& kernels_;
};

}  // namespace loadline
