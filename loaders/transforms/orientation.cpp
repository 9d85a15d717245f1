#include "loaders/transforms/orientation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace loadline {
namespace {

constexpr std::array<std::byte, 6> kSignature{std::byte{'E'}, std::byte{'x'}, std::byte{'i'},
                                              std::byte{'f'}, std::byte{0},   std::byte{0}};
constexpr std::size_t kColours = 3;
constexpr std::size_t kEntryBytes = 12;
constexpr std::uint32_t kOrientationTag = 0x0112;
constexpr std::uint32_t kShort = 3;  // the type of a 16-bit number

// Upright pixel (y, x) is stored pixel (y, x), or (x, y) if axes are swapped; each index may count from the far end.
bool reverses_rows(Orientation orientation) {
  return orientation == Orientation::kTurnAround || orientation == Orientation::kFlip ||
         orientation == Orientation::kTurnRight || orientation == Orientation::kAntiTranspose;
}

bool reverses_columns(Orientation orientation) {
  return orientation == Orientation::kMirror || orientation == Orientation::kTurnAround ||
         orientation == Orientation::kAntiTranspose || orientation == Orientation::kTurnLeft;
}

Window swapped(const Window& window, Orientation orientation) {
  if (!swaps_axes(orientation)) return window;
  return {.top = window.left, .left = window.top, .height = window.width, .width = window.height};
}

// Within the stored image: its own inverse.
Window reversed(Window window, const ImageSize& size, Orientation orientation) {
  if (reverses_rows(orientation)) window.top = static_cast<double>(size.height) - window.top - window.height;
  if (reverses_columns(orientation)) window.left = static_cast<double>(size.width) - window.left - window.width;
  return window;
}

// TIFF in its declared byte order. Every read is checked.
class Tiff {
 public:
  explicit Tiff(std::span<const std::byte> bytes) : bytes_(bytes) {
    if (bytes.size() >= 2 && bytes[0] == bytes[1]) {
      valid_ = bytes[0] == std::byte{'I'} || bytes[0] == std::byte{'M'};
      big_endian_ = bytes[0] == std::byte{'M'};
    }
  }

  bool valid() const { return valid_; }

  std::optional<std::uint32_t> number(std::size_t at, std::size_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t next = big_endian_ ? at + i : at + count - 1 - i;
      value = value << 8U | std::to_integer<std::uint32_t>(bytes_[next]);
    }
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  bool valid_ = false;
  bool big_endian_ = false;
};

std::optional<std::uint32_t> orientation_entry(const Tiff& tiff) {
  if (!tiff.valid() || tiff.number(2, 2) != 42U) return std::nullopt;
  const auto directory = tiff.number(4, 4);
  if (!directory) return std::nullopt;
  const auto entries = tiff.number(*directory, 2);
  if (!entries) return std::nullopt;
  for (std::size_t i = 0; i < *entries; ++i) {
    const std::size_t entry = *directory + 2 + i * kEntryBytes;
    const auto tag = tiff.number(entry, 2);
    if (!tag) return std::nullopt;
    if (tag == kOrientationTag && tiff.number(entry + 2, 2) == kShort) return tiff.number(entry + 8, 2);
  }
  return std::nullopt;
}

}  // namespace

Orientation exif_orientation(std::span<const std::byte> app1) {
  if (app1.size() < kSignature.size() || !std::equal(kSignature.begin(), kSignature.end(), app1.begin())) {
    return Orientation::kUpright;
  }
  const auto value = orientation_entry(Tiff(app1.subspan(kSignature.size())));
  return value && *value >= 1 && *value <= 8 ? static_cast<Orientation>(*value) : Orientation::kUpright;
}

Window stored_window(const Window& upright, const ImageSize& stored, Orientation orientation) {
  return reversed(swapped(upright, orientation), stored, orientation);
}

Window upright_window(const Window& stored, const ImageSize& size, Orientation orientation) {
  return swapped(reversed(stored, size, orientation), orientation);
}

RgbView upright(const RgbView& stored, Orientation orientation, std::vector<std::uint8_t>& scratch) {
  if (orientation == Orientation::kUpright) return stored;
  const ImageSize size = turned(stored.size, orientation);
  if (scratch.size() < size.pixels() * kColours) scratch.resize(size.pixels() * kColours);
  std::uint8_t* out = scratch.data();
  for (std::size_t y = 0; y < size.height; ++y) {
    for (std::size_t x = 0; x < size.width; ++x, out += kColours) {
      const auto [a, b] = swaps_axes(orientation) ? std::pair(x, y) : std::pair(y, x);
      const std::size_t row = reverses_rows(orientation) ? stored.size.height - 1 - a : a;
      const std::size_t column = reverses_columns(orientation) ? stored.size.width - 1 - b : b;
      std::copy_n(stored.row(row) + column * kColours, kColours, out);
    }
  }
  return {.pixels = scratch.data(), .size = size, .row_bytes = size.width * kColours};
}

}  // namespace loadline
