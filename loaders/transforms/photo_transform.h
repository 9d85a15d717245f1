// Takes an encoded photograph to its place in a batch.
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
  kRandomResized,  // a random part, like torchvision's RandomResizedCrop
  kCentre,         // the middle of the image after a resize to a shorter side, like torchvision's Resize and
                   // CenterCrop
  kNone,           // the whole image, even if that distorts it
};

enum class PhotoDecoder : std::uint8_t {
  kJpeg,    // only the needed part, by libjpeg-turbo; OpenCV decodes other formats
  kOpenCv,  // the whole image, by OpenCV, in every format
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
  std::size_t shorter_side = 256;  // pixels, before a centre crop; at least either side of `size`
  bool flip = false;               // mirror left to right, with probability one half
  DType dtype = DType::kF32;
  Layout layout = Layout::kNCHW;
  std::vector<double> mean;    // red, green, blue, for values in [0, 1]; empty: 0. Float types only
  std::vector<double> stddev;  // red, green, blue, above 0; empty: 1. Float types only
  std::uint64_t seed = 1;      // for crop and flip
  PhotoDecoder decoder = PhotoDecoder::kJpeg;
  bool turn_upright = false;      // apply the EXIF orientation; torchvision does not
  bool allow_scaled_dct = false;  // decode at 1/2, 1/4 or 1/8 if that is still no smaller than the output
};

// Sets a square output and the shorter side that ImageNet's usual evaluation has for it: 256 pixels for 224.
constexpr void set_image_size(PhotoOptions& options, std::size_t pixels) {
  options.size = {.height = pixels, .width = pixels};
  options.shorter_side = pixels * 256 / 224;
}

// One thread's state while it transforms. Keep it: its memory grows to that of the largest image.
class PhotoWorker {
 private:
  friend class PhotoTransform;

  JpegDecoder jpeg_;
  OpenCvDecoder opencv_;
  ResizeScratch resize_;
  std::vector<std::uint8_t> turned_;
};

// Decoding, crop, resize, flip, conversion, normalisation and layout. Immutable: any thread may call apply() with its
// own worker.
//
// The output equals decoding the whole image, cropping it and resizing the crop with OpenCV's INTER_LINEAR, within 1
// of 255 (before normalisation); float values are those of ImageTransform. With allow_scaled_dct, pixels average more
// of the image than INTER_LINEAR reads, so the output differs where the image has finer detail than the output can
// show. Crop and flip are a pure function of (seed, epoch, sample index) and the size of the image.
//
// The bytes decide what format an image has, not its name. Damage in decoded data is an Error; data after the last
// row of the crop is not read, except to check that the file has an end.
class PhotoTransform {
 public:
  // Throws usage Error naming what does not fit: no pixels, areas beyond [0, 1], normalisation of u8, ...
  PhotoTransform(const PhotoOptions& options, const Kernels& kernels);

  ImageShape shape() const { return resize_.shape(); }
  DType dtype() const { return options_.dtype; }
  Layout layout() const { return options_.layout; }
  std::size_t sample_bytes() const { return resize_.sample_bytes(); }
  const Kernels& kernels() const { return resize_.kernels(); }
  // The stores that are used when `stores` is requested: streaming ones need a kernel level that has them, and rows
  // in whole cache lines.
  Stores effective(Stores stores) const { return resize_.effective(stores); }

  // Writes sample_bytes() bytes to `out` from the encoded bytes of the sample with this index, or throws Error saying
  // what is wrong with them and leaves `out` unchanged. After streaming stores, call kernels().fence() before another
  // thread reads them.
  void apply(PhotoWorker& worker, std::span<const std::byte> encoded, std::uint64_t epoch, SampleIndex index,
             std::byte* out, Stores stores = Stores::kCached) const;

 private:
  struct Augmentation {
    Window window;  // the part of the upright image that becomes the output
    bool flip = false;
  };

  Augmentation augmentation(const ImageSize& upright, std::uint64_t epoch, SampleIndex index) const;
  std::size_t margin() const;  // pixels around the window that its resize reads
  JpegScale scale_for(const Window& window) const;

  PhotoOptions options_;
  BilinearResize resize_;
};

}  // namespace loadline
