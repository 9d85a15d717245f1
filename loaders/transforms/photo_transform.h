// From an encoded photograph to its place in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loaders/sample_index.h"
#include "loaders/tensor.h"
#include "loaders/transforms/crop.h"
#include "loaders/transforms/jpeg.h"
#include "loaders/transforms/kernels.h"
#include "loaders/transforms/opencv.h"
#include "loaders/transforms/resize.h"

namespace loadline {

enum class PhotoCrop : std::uint8_t {
  kRandomResized,  // a random part, as torchvision's RandomResizedCrop
  kCentre,         // the middle of the image resized to a shorter side, as torchvision's Resize and CenterCrop
  kNone,           // all of the image, whatever becomes of its proportions
};

enum class PhotoDecoder : std::uint8_t {
  kJpeg,    // only the part that is wanted, by libjpeg-turbo; OpenCV decodes what is no JPEG
  kOpenCv,  // all of the image, by OpenCV, in every format
};

constexpr std::string_view name(PhotoCrop crop) {
  switch (crop) {
    case PhotoCrop::kRandomResized: return "random-resized";
    case PhotoCrop::kCentre: return "centre";
    case PhotoCrop::kNone: return "none";
  }
  return "";
}

constexpr std::string_view name(PhotoDecoder decoder) {
  return decoder == PhotoDecoder::kJpeg ? "jpeg" : "opencv";
}

struct PhotoOptions {
  ImageSize size{.height = 224, .width = 224};  // of the output
  PhotoCrop crop = PhotoCrop::kRandomResized;
  RandomCropRange random_crop;
  std::size_t shorter_side = 256;  // pixels, before a centre crop; no less than either side of `size`
  bool flip = false;               // mirror left to right, with probability one half
  DType dtype = DType::kF32;
  Layout layout = Layout::kNCHW;
  std::vector<double> mean;    // of red, green, blue, of values in [0, 1]; empty: 0. Float types only
  std::vector<double> stddev;  // of red, green, blue, above 0; empty: 1. Float types only
  std::uint64_t seed = 1;      // of crop and flip
  PhotoDecoder decoder = PhotoDecoder::kJpeg;
  bool turn_upright = false;      // apply EXIF's orientation; torchvision does not
  bool allow_scaled_dct = false;  // decode at 1/2, 1/4 or 1/8 where that is still no smaller than the output
};

// Square output, and before a centre crop what ImageNet's usual evaluation leaves around it: 256 pixels for 224.
constexpr void set_image_size(PhotoOptions& options, std::size_t pixels) {
  options.size = {.height = pixels, .width = pixels};
  options.shorter_side = pixels * 256 / 224;
}

// What one thread needs while it transforms, to be kept: its memory grows to what the largest image takes.
class PhotoWorker {
 private:
  friend class PhotoTransform;

  JpegDecoder jpeg_;
  OpenCvDecoder opencv_;
  ResizeScratch resize_;
  std::vector<std::uint8_t> turned_;
};

// Decoding, crop, resize, flip, conversion, normalisation and layout. Immutable: any thread may call apply() with a
// worker of its own.
//
// The output is that of decoding the whole image, cutting the crop out of it and resizing that with OpenCV's
// INTER_LINEAR, within 1 of 255 (before normalisation); the float values are those of ImageTransform. Decoded at a
// fraction of its size an image is averaged over more of its pixels than INTER_LINEAR looks at: that differs as much as
// the image has detail finer than the output can show. Crop and flip are a pure function of (seed, epoch, sample
// index) and the size of the image.
//
// The bytes say what an image is, not its name. Damage in what is decoded is an Error; what comes after the last row
// of the crop is not looked at, but for whether the file has an end.
class PhotoTransform {
 public:
  // Throws usage Error naming what does not fit: no pixels, areas beyond [0, 1], normalisation of u8, ...
  PhotoTransform(const PhotoOptions& options, const Kernels& kernels);

  ImageShape shape() const { return resize_.shape(); }
  DType dtype() const { return options_.dtype; }
  Layout layout() const { return options_.layout; }
  std::size_t sample_bytes() const { return resize_.sample_bytes(); }
  const Kernels& kernels() const { return resize_.kernels(); }
  // The stores that such a request results in: streaming ones need a level that has them and rows in whole cache lines.
  Stores effective(Stores stores) const { return resize_.effective(stores); }

  // Writes sample_bytes() bytes to `out` from the encoded bytes of the sample with this index, or throws Error saying
  // what is wrong with them, and leaves `out` as it was. After streaming stores kernels().fence() stands before any
  // other thread may read them.
  void apply(PhotoWorker& worker, std::span<const std::byte> encoded, std::uint64_t epoch, SampleIndex index,
             std::byte* out, Stores stores = Stores::kCached) const;

 private:
  struct Augmentation {
    Window window;  // of the upright image, becomes the output
    bool flip = false;
  };

  Augmentation augmentation(const ImageSize& upright, std::uint64_t epoch, SampleIndex index) const;
  std::size_t margin() const;  // pixels around the window that its resize looks at
  JpegScale scale_for(const Window& window) const;

  PhotoOptions options_;
  BilinearResize resize_;
};

}  // namespace loadline
