// Decodes by OpenCV: formats other than JPEG, and JPEG too for comparison.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "loaders/tensor.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

struct OpenCvImage;

// One thread's decoder. Keep it: it reuses its memory. OpenCV itself is loaded when the process opens its first image
// (opencv_module.h): from the program, if it was linked with it, or from loadline_opencv.so, in the directory of the
// program or library, in ../lib/loadline from there, or where `cmake --install` puts it.
//
// Images are decoded to colour as OpenCV does it: grey becomes three equal channels, alpha is dropped, and 16 bits
// are cut to their upper 8 unless open_deep() is used. A damaged JPEG is decoded as far as possible, with grey or
// repeated rows for the rest. A PNG that is cut short or has a wrong checksum is refused before OpenCV sees it. Of
// other damage, the libraries inside OpenCV print to stderr, which no interface of theirs prevents.
class OpenCvDecoder {
 public:
  // Loads OpenCV now, which takes about 0.1 s once per process. Throws Error if it cannot be loaded. Any thread.
  static void load();

  // Decodes the whole image and returns its size. `turn`: make it upright as EXIF says. Throws Error if OpenCV cannot
  // decode it or cannot be loaded.
  ImageSize open(std::span<const std::byte> encoded, bool turn);
  // The same, but keeps all bits of a 16-bit image.
  ImageSize open_deep(std::span<const std::byte> encoded, bool turn);
  // Whether the opened image has 16 bits: only decode_deep() may be used then.
  bool is_deep() const { return deep_; }

  // A region of the opened image. Lives until the next call.
  RgbView decode(const Region& region);
  DeepRgbView decode_deep(const Region& region);

  // A region of the opened image, resized, as a JPEG of that quality, 1 to 100. Lives until the next call. Throws
  // Error if OpenCV cannot encode it.
  std::span<const std::byte> resized_jpeg(const Region& region, const ImageSize& size, int quality);

  // A plain image of 1 or 3 channels as PNG. Lives until the next call; an image opened before stays open. Throws
  // Error if OpenCV cannot encode it.
  std::span<const std::byte> png(std::span<const std::byte> planes, const ImageShape& shape);

 private:
  ImageSize open_as_asked(std::span<const std::byte> encoded, bool turn);

  struct Destroy {
    void operator()(OpenCvImage* image) const;
  };

  std::unique_ptr<OpenCvImage, Destroy> image_;  // null until the first image is opened
  ImageSize size_;
  bool deep_ = false;
};

}  // namespace loadline
