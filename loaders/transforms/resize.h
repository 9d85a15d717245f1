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

// Immutable: any thread may call apply() with a scratch of its own.
//
// Each pixel of the output is interpolated between the four of the source around its centre, and nothing else: no
// filter against aliasing, as OpenCV's INTER_LINEAR. It is a byte before it is converted, as an 8-bit image is in any
// other pipeline; rounded from a value within 1/64 of the exact one, so that it differs by at most 1 of 255 from any
// other that is as careful, OpenCV's among them (tests hold it to that). All kernels give the same bytes. Float values
// are then those of ImageTransform: (byte / 255 - mean) / stddev.
class BilinearResize {
 public:
  // `affine` is for each of the three channels. Throws usage Error for an output without pixels.
  BilinearResize(ImageSize out, DType dtype, Layout layout, std::vector<Affine> affine, const Kernels& kernels);

  ImageShape shape() const { return {3, out_.height, out_.width}; }
  std::size_t sample_bytes() const { return shape().elements() * size_bytes(dtype_); }
  const Kernels& kernels() const { return kernels_; }
  // The stores that such a request results in: streaming ones need a level that has them and rows in whole cache lines.
  Stores effective(Stores stores) const;

  // Writes sample_bytes() bytes to `out`. Pixels of `in` outside of the window take part where the window's edge pixels
  // have them as neighbours; beyond `in`, its outermost pixels go on. After streaming stores kernels().fence() stands
  // before any other thread may read them.
  void apply(const RgbView& in, const Window& window, bool flip, ResizeScratch& scratch, std::byte* out,
             Stores stores = Stores::kCached) const;
  // The same of 16 bits, none of which is lost: the interpolated value is not rounded, and comes out as (value / 65535
  // - mean) / stddev. For f32 alone.
  void apply(const DeepRgbView& in, const Window& window, bool flip, std::byte* out) const;
  // From all of it.
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
