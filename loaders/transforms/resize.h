// Takes pixels of any size to their place in a batch: bilinear resize, flip, conversion, normalisation and layout,
// one output row at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loaders/tensor.h"
#include "loaders/transforms/kernels.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

// One thread's buffers for resizing: they grow to the largest image. Keep and reuse them.
class ResizeScratch {
 private:
  friend class BilinearResize;

  std::vector<std::uint32_t> first_;   // source pixel for each output column
  std::vector<std::int16_t> weights_;  // weight weight of the pixel after it, four times
  std::vector<std::int16_t> blended_;  // one row, blended for the current output row
  std::vector<std::uint8_t> planes_;   // one row of the output
};

// Immutable: any thread may call apply() with its own scratch.
//
// Each output pixel is interpolated from only the four source pixels around its centre, without an anti-aliasing
// filter, like OpenCV's INTER_LINEAR. It is a byte before conversion, like an 8-bit image in any other pipeline, and
// is rounded from a value within 1/32 of the exact one. So it differs by at most 1 of 255 from any equally careful
// implementation, including OpenCV's (tests check that). All kernels give the same bytes. Float values are those of
// ImageTransform: (byte / 255 - mean) / stddev.
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
  void convert_row(const std::uint8_t* planes, std::size_t row, std::byte* out, const KernelLoops& loops) const;

  ImageSize out_;
  DType dtype_;
  Layout layout_;
  std::vector<Affine> affine_;
  const Kernels& kernels_;
  std::size_t padded_width_;  // of the output, in whole steps of the kernels
};

}  // namespace loadline
