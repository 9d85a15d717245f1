// Takes the stored bytes of an image to their place in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loaders/sample_index.h"
#include "loaders/tensor.h"
#include "loaders/transforms/kernels.h"

namespace loadline {

struct TransformOptions {
  DType dtype = DType::kF32;
  Layout layout = Layout::kNCHW;
  std::vector<double> mean;      // per channel, for values in [0, 1]; empty: 0. Float types only
  std::vector<double> stddev;    // per channel, above 0; empty: 1. Float types only
  std::size_t crop_padding = 0;  // pixels of zero padded on each side before a random crop to the stored size
  bool flip = false;             // mirror left to right, with probability one half
  std::uint64_t seed = 1;        // for crop and flip
};

// Crop, flip, conversion, normalisation and layout in one pass over the sample. Immutable: any thread may call apply().
//
// Stored bytes are u8, in planes or with channels last. Float values are (byte / 255 - mean) / stddev, computed as byte
// * scale + bias in single precision; u8 values are the bytes. Padding is byte 0 before normalisation. Crop offset and
// flip are a pure function of (seed, epoch, sample index). The output does not depend on the order of storage.
class ImageTransform {
 public:
  // Throws usage Error naming what does not fit: normalisation of u8, a mean for another number of channels, ...
  ImageTransform(const ImageShape& stored, const TransformOptions& options, const Kernels& kernels,
                 Layout stored_layout = Layout::kNCHW);

  const ImageShape& shape() const { return shape_; }  // of the output, the same as stored
  // The order of stored bytes; kNCHW for one channel, which is the same in both.
  Layout stored_layout() const { return stored_layout_; }
  DType dtype() const { return options_.dtype; }
  Layout layout() const { return options_.layout; }
  std::size_t sample_bytes() const { return shape_.elements() * size_bytes(options_.dtype); }
  const Kernels& kernels() const { return kernels_; }
  // The stores that are used when `stores` is requested: streaming ones need a kernel level that has them, and
  // samples in whole cache lines.
  Stores effective(Stores stores) const;

  // Writes sample_bytes() bytes to `out` from the stored bytes of the sample with this index. After streaming stores,
  // call kernels().fence() before another thread reads them.
  void apply(const std::byte* stored, std::uint64_t epoch, SampleIndex index, std::byte* out,
             Stores stores = Stores::kCached) const;

 private:
  struct Augmentation {
    std::ptrdiff_t down = 0;   // first stored row of the crop; negative in the padding
    std::ptrdiff_t right = 0;  // first stored column
    bool flip = false;
  };

  // Rows of an image, in all its channels.
  struct Band {
    std::size_t first = 0;
    std::size_t rows = 0;
  };

  // Whether three channels of a pixel are neighbours in storage.
  bool stored_as_pixels() const { return stored_layout_ == Layout::kNHWC; }
  Augmentation augmentation(std::uint64_t epoch, SampleIndex index) const;
  // Writes a band of the augmented image in the stored order: its part of each plane, back to back, or its pixels.
  void augment(const std::uint8_t* image, const Augmentation& how, const Band& band, std::uint8_t* out) const;
  // Writes a band of one augmented plane or, by `move`, of pixels. `row_bytes`: of each of its rows.
  void augment_rows(const std::uint8_t* in, const Augmentation& how, const Band& band, MoveRows* move,
                    std::size_t row_bytes, std::uint8_t* out) const;
  // Converts a band whose stored bytes begin at `in`, with its parts of planes `plane_stride` bytes apart.
  void convert(const std::uint8_t* in, std::size_t plane_stride, const Band& band, std::byte* out, Stores stores) const;
  void convert_planes(const std::uint8_t* in, std::size_t plane_stride, const Band& band, std::byte* out,
                      Stores stores) const;
  void convert_pixels(const std::uint8_t* in, const Band& band, std::byte* out, Stores stores) const;

  ImageShape shape_;
  Layout stored_layout_;
  TransformOptions options_;
  const Kernels& kernels_;
  std::vector<Affine> affine_;
};

}  // namespace loadline
