// Decoded images and parts of them, on their way into a batch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace loadline {

struct ImageSize {
  std::size_t height = 0;  // pixels
  std::size_t width = 0;   // pixels

  std::size_t pixels() const { return height * width; }
  bool operator==(const ImageSize&) const = default;
};

// A rectangle of whole pixels.
struct Region {
  std::size_t top = 0;     // rows above it
  std::size_t left = 0;    // columns before it
  std::size_t height = 0;  // pixels, at least 1
  std::size_t width = 0;   // pixels, at least 1

  bool operator==(const Region&) const = default;
};

// A rectangle that may begin and end within a pixel. Pixel i spans i to i + 1; its centre is at i + 0.5.
struct Window {
  double top = 0;
  double left = 0;
  double height = 0;  // above 0
  double width = 0;   // above 0
};

constexpr Region whole(const ImageSize& size) {
  return {.height = size.height, .width = size.width};
}

constexpr bool contains(const ImageSize& size, const Region& region) {
  return region.height > 0 && region.width > 0 && region.height <= size.height && region.width <= size.width &&
         region.top <= size.height - region.height && region.left <= size.width - region.width;
}

// Rows of red, green and blue bytes in borrowed memory; nothing is readable beyond the last pixel of a row.
struct RgbView {
  const std::uint8_t* pixels = nullptr;
  ImageSize size;
  std::size_t row_bytes = 0;  // from the start of a row to that of the next

  // The first byte of row `y`.
  const std::uint8_t* row(std::size_t y) const { return pixels + y * row_bytes; }
};

// The same with 16-bit values.
struct DeepRgbView {
  const std::uint16_t* pixels = nullptr;
  ImageSize size;
  std::size_t row_values = 0;  // from the start of a row to that of the next

  const std::uint16_t* row(std::size_t y) const { return pixels + y * row_values; }
};

}  // namespace loadline
