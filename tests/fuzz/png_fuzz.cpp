// Any bytes as a PNG: an Error refuses them, or a used decoder and a new one decode them to the same pixels. Nothing
// else may happen. The first byte says whether to repair the checksums of the chunks first, so that the decoder looks
// at what follows them.
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/transforms/photo_transform.h"

namespace loadline {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint8_t kSignature[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::size_t kHeaderBytes = sizeof kSignature + 8 + 13;
// Larger images take longer and show nothing new.
constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 20U;

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U | std::uint32_t{bytes[2]} << 8U | bytes[3];
}

void repair_checksums(Bytes& png) {
  std::size_t at = sizeof kSignature;
  while (at + 12 <= png.size()) {
    const std::uint32_t length = big_endian(&png[at]);
    if (length > png.size() - at - 12) return;
    const auto sum = static_cast<std::uint32_t>(::crc32(0, &png[at + 4], length + 4));
    std::uint8_t* place = &png[at + 8 + length];
    for (unsigned i = 0; i < 4; ++i) place[i] = static_cast<std::uint8_t>(sum >> (24U - 8 * i));
    at += 12 + length;
  }
}

std::optional<Bytes> transform(PhotoWorker& worker, std::span<const std::byte> encoded, Random random) {
  const PhotoTransform photo({.size = {.height = 9, .width = 17},
                              .crop = static_cast<PhotoCrop>(random.below(3)),
                              .shorter_side = 20,
                              .flip = true,
                              .dtype = random.below(2) == 1 ? DType::kU8 : DType::kF32,
                              .turn_upright = random.below(2) == 1},
                             kernels_named("auto"));
  Bytes out(photo.sample_bytes());
  try {
    photo.apply(worker, encoded, 0, 0, reinterpret_cast<std::byte*>(out.data()));
  } catch (const Error&) {
    return std::nullopt;
  }
  return out;
}

}  // namespace
}  // namespace loadline

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// NOLINTNEXTLINE(readability-identifier-naming)
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadline;
  static PhotoWorker used_worker;
  // Another decoder would judge bytes that are not a PNG.
  if (size < 1 + kHeaderBytes || std::memcmp(data + 1, kSignature, sizeof kSignature) != 0) return -1;
  Bytes png(data + 1, data + size);
  if (data[0] % 2 == 1) repair_checksums(png);
  const std::uint8_t* extents = &png[sizeof kSignature + 8];
  if (std::uint64_t{big_endian(extents)} * big_endian(extents + 4) > kMostPixels) return -1;
  const auto encoded = std::as_bytes(std::span(png));
  const Random choice(key_of(size, data[size / 2], data[size - 1]));
  PhotoWorker new_worker;
  const auto decoded = transform(used_worker, encoded, choice);
  if (decoded != transform(new_worker, encoded, choice)) std::abort();
  return decoded ? 0 : -1;
}
