// OpenCV behind C functions. OpenCV's codecs bring some 130 libraries, which take ten times as long to start as the
// rest of the program. So they have their own module, loadline_opencv.so, which is loaded for the first image that
// needs it. A program may also be linked with the module's code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loaders/tensor.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

struct OpenCvImage;  // defined by the module: the image decoded last, and reused memory

// No function throws. Texts live until the next call on the same thread.
struct OpenCvFunctions {
  static constexpr unsigned kVersion = 2;

  unsigned version;  // kVersion of the code that filled this in
  // Null if memory is refused.
  OpenCvImage* (*make)();
  void (*destroy)(OpenCvImage* image);
  // Decodes a whole image to colour, upright as EXIF says if `turn` is true: to 8 bits, or to 16 if `deep` is true
  // and the image has them, which `deep` then reports. Null, or the reason for failure.
  const char* (*decode)(OpenCvImage* image, const std::byte* encoded, std::size_t bytes, bool turn, bool* deep,
                        ImageSize* size);
  // A region within the image, red first. Null, or the reason for failure. The view lives until the next call.
  const char* (*view)(OpenCvImage* image, const Region* region, RgbView* view);
  // The same for an image that was decoded to 16 bits.
  const char* (*deep_view)(OpenCvImage* image, const Region* region, DeepRgbView* view);
  // A region within the image, at another size, as a JPEG. Null, or the reason for failure. The bytes live until the
  // next call.
  const char* (*resized_jpeg)(OpenCvImage* image, const Region* region, const ImageSize* size, int quality,
                              const std::byte** encoded, std::size_t* bytes);
  // Encodes an image of 1 or 3 channels in planes, red first, as PNG. Null, or the reason for failure. The bytes live
  // until the next call.
  const char* (*png)(OpenCvImage* image, const std::byte* planes, const ImageShape* shape, const std::byte** encoded,
                     std::size_t* bytes);
};

// The module's only symbol.
#if defined(__GNUC__)
#define LOADLINE_MODULE_EXPORT __attribute__((visibility("default")))
#endif
extern "C" LOADLINE_MODULE_EXPORT const OpenCvFunctions* loadline_opencv_functions();

}  // namespace loadline
