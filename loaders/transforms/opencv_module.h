// What loadline asks of OpenCV, behind functions of C. OpenCV's codecs bring some 130 libraries, whose start takes ten
// times as long as the rest of the program's: so they are in a module of their own, loadline_opencv.so, which is loaded
// when the first image comes that needs it. A program may as well be linked with the module's code.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loaders/tensor.h"
#include "loaders/transforms/pixels.h"

namespace loadline {

struct OpenCvImage;  // the module's: the image decoded last, and memory that is used again

// No function throws or lets an exception through. Texts live until the next call of the same thread.
struct OpenCvFunctions {
  static constexpr unsigned kVersion = 2;

  unsigned version;  // kVersion of the code that filled this in
  // Null where there is no memory for it.
  OpenCvImage* (*make)();
  void (*destroy)(OpenCvImage* image);
  // Decodes all of an image to colour, upright if it is to be turned as EXIF says: to 8 bits, or, if `deep` is true and
  // it has them, to 16, which `deep` then says. Null, or why it cannot.
  const char* (*decode)(OpenCvImage* image, const std::byte* encoded, std::size_t bytes, bool turn, bool* deep,
                        ImageSize* size);
  // A region that lies within the image, red first. Null, or why it cannot. The view lives until the next call.
  const char* (*view)(OpenCvImage* image, const Region* region, RgbView* view);
  // The same of an image that was decoded to 16 bits.
  const char* (*deep_view)(OpenCvImage* image, const Region* region, DeepRgbView* view);
  // A region that lies within the image, at another size, as a JPEG. Null, or why it cannot. The bytes live until the
  // next call.
  const char* (*resized_jpeg)(OpenCvImage* image, const Region* region, const ImageSize* size, int quality,
                              const std::byte** encoded, std::size_t* bytes);
  // An image of 1 or 3 channels in planes, red first, as PNG. Null, or why it cannot. The bytes live until the next
  // call.
  const char* (*png)(OpenCvImage* image, const std::byte* planes, const ImageShape* shape, const std::byte** encoded,
                     std::size_t* bytes);
};

// The module's one symbol.
#if defined(__GNUC__)
#define LOADLINE_MODULE_EXPORT __attribute__((visibility("default")))
#endif
extern "C" LOADLINE_MODULE_EXPORT const OpenCvFunctions* loadline_opencv_functions();

}  // namespace loadline
