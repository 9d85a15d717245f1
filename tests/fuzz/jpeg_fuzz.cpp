// Any bytes as a JPEG: an Error refuses them, or a used decoder and a new one decode them to the same pixels. Nothing
// else may happen.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/transforms/photo_transform.h"

namespace loadline {
namespace {

// Larger images take longer and show nothing new.
constexpr std::size_t kMostPixels = std::size_t{1} << 20U;

using Pixels = std::vector<std::uint8_t>;

// Decodes a part of the image at some scale, both chosen by the bytes; returns nothing if they are refused.
std::optional<Pixels> decode(JpegDecoder& decoder, std::span<const std::byte> encoded, Random random) {
  try {
    const JpegHeader header = decoder.open(encoded);
    if (header.size.pixels() > kMostPixels) return std::nullopt;
    const auto scale = static_cast<JpegScale>(1U << random.below(4));
    const ImageSize size = scaled(header.size, scale);
    Region region = whole(size);
    region.top = random.below(static_cast<std::uint32_t>(size.height));
    region.left = random.below(static_cast<std::uint32_t>(size.width));
    region.height = 1 + random.below(static_cast<std::uint32_t>(size.height - region.top));
    region.width = 1 + random.below(static_cast<std::uint32_t>(size.width - region.left));
    const RgbView view = decoder.decode(region, scale);
    Pixels pixels;
    for (std::size_t y = 0; y < view.size.height; ++y) {
      pixels.insert(pixels.end(), view.row(y), view.row(y) + 3 * view.size.width);
    }
    return pixels;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<Pixels> transform(PhotoWorker& worker, std::span<const std::byte> encoded, Random random) {
  const PhotoTransform photo({.size = {.height = 9, .width = 17},
                              .crop = static_cast<PhotoCrop>(random.below(3)),
                              .shorter_side = 20,
                              .flip = true,
                              .dtype = DType::kU8,
                              .turn_upright = random.below(2) == 1,
                              .allow_scaled_dct = random.below(2) == 1},
                             kernels_named("auto"));
  Pixels out(photo.sample_bytes());
  try {
    photo.apply(worker, encoded, 0, 0, reinterpret_cast<std::byte*>(out.data()));
  } catch (const Error&) {
    return std::nullopt;
  }
  return out;
}

bool is_small(std::span<const std::byte> encoded) {
  try {
    JpegDecoder decoder;
    return decoder.open(encoded).size.pixels() <= kMostPixels;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace
}  // namespace loadline

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// NOLINTNEXTLINE(readability-identifier-naming)
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadline;
  static JpegDecoder used_decoder;
  static PhotoWorker used_worker;
  const auto encoded = std::as_bytes(std::span(data, size));
  // OpenCV would judge bytes that are not a JPEG.
  if (!looks_like_jpeg(encoded) || !is_small(encoded)) return -1;
  const Random choice(key_of(size, data[size / 2], data[size - 1]));
  JpegDecoder new_decoder;
  if (decode(used_decoder, encoded, choice) != decode(new_decoder, encoded, choice)) std::abort();
  PhotoWorker new_worker;
  if (transform(used_worker, encoded, choice) != transform(new_worker, encoded, choice)) std::abort();
  return 0;
}
