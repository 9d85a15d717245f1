// Decoding by OpenCV: what is no JPEG, and JPEG where the two are to be compared.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "loaders/transforms/pixels.h"

namespace loadline {

// One thread's decoder, to be kept: it decodes into the same memory again.
//
// Images are what OpenCV makes of them as 8-bit colour: grey becomes three equal channels, 16 bits are cut to their
// upper 8, alpha is dropped. Of a damaged JPEG it shows what it can, with grey or repeated rows for the rest.
class OpenCvDecoder {
 public:
  OpenCvDecoder();
  ~OpenCvDecoder();
  OpenCvDecoder(OpenCvDecoder&&) noexcept;
  OpenCvDecoder& operator=(OpenCvDecoder&&) noexcept;

  // Decodes all of the image, upright if it is to be turned as EXIF says, and returns its size. Throws Error where
  // OpenCV cannot.
  ImageSize open(std::span<const std::byte> encoded, bool turn);

  // A region of the opened image. Lives until the next call.
  RgbView decode(const Region& region);

 private:
  struct Images;

  std::unique_ptr<Images> images_;
};

}  // namespace loadline
