// Decoding by OpenCV: what is no JPEG, and JPEG where the two are to be compared.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "loaders/tensor.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

struct OpenCvImage;

// One thread's decoder, to be kept: it decodes into the same memory again. OpenCV itself is loaded when the first image
// of the process is opened (opencv_module.h): from the program, if it was linked with it, or from loadline_opencv.so,
// which lies beside the program or library, in ../lib/loadline as seen from there, or where `cmake --install` puts it.
//
// Images are what OpenCV makes of them as colour: grey becomes three equal channels, alpha is dropped, and 16 bits are
// cut to their upper 8 unless all of them are asked for. Of a damaged JPEG it shows what it can, with grey or repeated
// rows for the rest.
class OpenCvDecoder {
 public:
  // Loads OpenCV now, which takes about 0.1 s once in a process. Throws Error where it cannot be loaded. Any thread.
  static void load();

  // Decodes all of the image, upright if it is to be turned as EXIF says, and returns its size. Throws Error where
  // OpenCV cannot, or cannot be loaded.
  ImageSize open(std::span<const std::byte> encoded, bool turn);
  // The same, with all bits of an image that has 16.
  ImageSize open_deep(std::span<const std::byte> encoded, bool turn);
  // Whether the opened image has 16 bits: decode_deep() is for it then, and nothing else.
  bool is_deep() const { return deep_; }

  // A region of the opened image. Lives until the next call.
  RgbView decode(const Region& region);
  DeepRgbView decode_deep(const Region& region);

  // A region of the opened image, resized, as a JPEG of that quality, 1 to 100. Lives until the next call. Throws Error
  // where OpenCV cannot.
  std::span<const std::byte> resized_jpeg(const Region& region, const ImageSize& size, int quality);

  // A plain image of 1 or 3 channels as PNG. Lives until the next call; an image opened before stays open. Throws Error
  // where OpenCV cannot.
  std::span<const std::byte> png(std::span<const std::byte> planes, const ImageShape& shape);

 private:
  ImageSize open_as_asked(std::span<const std::byte> encoded, bool turn);

  struct Destroy {
    void operator()(OpenCvImage* image) const;
  };

  std::unique_ptr<OpenCvImage, Destroy> image_;  // null until the first one is opened
  ImageSize size_;
  bool deep_ = false;
};

}  // namespace loadline
