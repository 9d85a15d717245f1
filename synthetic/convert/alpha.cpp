// Finds out from the header of an image whether it has an alpha channel: no decoder tells, because all decode to
// colour.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "synthetic/convert/writers.h"

namespace loadline {
namespace {

// The `width` bytes at `at` as a number; 0 behind the end, which means no alpha wherever it is read.
std::uint32_t header_number(StoredSample image, std::size_t at, std::size_t width, std::endian order) {
  if (image.size() < width || at > image.size() - width) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const std::byte byte = image[at + (order == std::endian::big ? i : width - 1 - i)];
    value = value << 8U | std::to_integer<std::uint32_t>(byte);
  }
  return value;
}

bool has_word(StoredSample image, std::size_t at, std::string_view word) {
  return image.size() >= at + word.size() &&
         std::ranges::equal(image.subspan(at, word.size()), std::as_bytes(std::span(word)));
}

// Colour types 4 and 6 have alpha; the others may have a transparent colour, in a chunk before the pixels.
bool png_has_alpha(StoredSample image) {
  constexpr std::size_t kFirstChunk = 8;
  constexpr std::size_t kColourType = 25;
  constexpr std::size_t kAroundChunk = 12;  // its length, its name and its checksum
  const std::uint32_t type = header_number(image, kColourType, 1, std::endian::big);
  if (type == 4 || type == 6) return true;
  std::size_t at = kFirstChunk;
  while (at + kAroundChunk <= image.size() && !has_word(image, at + 4, "IDAT")) {
    if (has_word(image, at + 4, "tRNS")) return true;
    at += kAroundChunk + header_number(image, at, 4, std::endian::big);
  }
  return false;
}

// A flag of the extended format, or a bit behind the width and the height of the lossless one.
bool webp_has_alpha(StoredSample image) {
  constexpr std::uint32_t kAlpha = 0x10;
  if (has_word(image, 12, "VP8X")) return (header_number(image, 20, 1, std::endian::little) & kAlpha) != 0;
  return has_word(image, 12, "VP8L") && (header_number(image, 24, 1, std::endian::little) & kAlpha) != 0;
}

// How many values a pixel of this photometric interpretation has without alpha: of CMYK 4, of RGB and YCbCr 3.
std::uint32_t tiff_colours(std::uint32_t interpretation) {
  switch (interpretation) {
    case 2:
    case 6: return 3;
    case 5: return 4;
    default: return 1;
  }
}

// Pixels with more values than colours. Not all writers add the tag ExtraSamples, which says what these are.
bool tiff_has_alpha(StoredSample image, std::endian order) {
  constexpr std::uint32_t kInterpretation = 262;
  constexpr std::uint32_t kSamplesPerPixel = 277;
  constexpr std::size_t kEntryBytes = 12;
  const std::size_t directory = header_number(image, 4, 4, order);
  const std::size_t entries = header_number(image, directory, 2, order);
  std::uint32_t colours = 1;
  std::uint32_t values = 1;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + i * kEntryBytes;
    const std::uint32_t tag = header_number(image, entry, 2, order);
    const std::uint32_t value = header_number(image, entry + 8, 2, order);
    if (tag == kInterpretation) colours = tiff_colours(value);
    if (tag == kSamplesPerPixel) values = value;
  }
  return values > colours;
}

// Pixels of 16 or 32 bits have alpha if there is a mask for it, in the header or behind the oldest one. Without it, the
// fourth byte of a pixel is reserved, and behind the masks of colours alone follow the pixels.
bool bmp_has_alpha(StoredSample image) {
  constexpr std::uint32_t kHeaderWithMask = 56;
  constexpr std::uint32_t kOldestHeader = 40;
  constexpr std::uint32_t kAlphaMaskFollows = 6;  // the compression BI_ALPHABITFIELDS
  const std::uint32_t header = header_number(image, 14, 4, std::endian::little);
  const std::uint32_t bits = header_number(image, 28, 2, std::endian::little);
  const std::uint32_t compression = header_number(image, 30, 4, std::endian::little);
  const bool has_mask = header >= kHeaderWithMask || (header == kOldestHeader && compression == kAlphaMaskFollows);
  return has_mask && (bits == 16 || bits == 32) && header_number(image, 66, 4, std::endian::little) != 0;
}

}  // namespace

bool has_alpha(StoredSample encoded) {
  if (has_word(encoded, 0, "\x89PNG")) return png_has_alpha(encoded);
  if (has_word(encoded, 0, "RIFF") && has_word(encoded, 8, "WEBP")) return webp_has_alpha(encoded);
  if (has_word(encoded, 0, {"II*\0", 4})) return tiff_has_alpha(encoded, std::endian::little);
  if (has_word(encoded, 0, {"MM\0*", 4})) return tiff_has_alpha(encoded, std::endian::big);
  return has_word(encoded, 0, "BM") && bmp_has_alpha(encoded);
}

}  // namespace loadline
