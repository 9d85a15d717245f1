// Paints colour pictures with something to learn: each class has its own smooth colour pattern and oriented ripple.
// Each sample shifts and mirrors the pattern, moves the ripple, adds smooth clutter, and varies brightness, contrast
// and every pixel a little.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace loadline {

class TexturePainter {
 public:
  static constexpr std::size_t kSide = 32;  // pixels
  static constexpr std::size_t kPixels = kSide * kSide;
  static constexpr std::size_t kChannels = 3;
  static constexpr std::size_t kBytes = kChannels * kPixels;

  // A smooth plane, larger than the picture by the largest shift.
  static constexpr std::size_t kMostShift = 8;  // pixels
  static constexpr std::size_t kFieldSide = kSide + kMostShift;
  using Field = std::array<std::int16_t, kFieldSide * kFieldSide>;
  using ColourField = std::array<Field, kChannels>;

  TexturePainter(std::uint64_t seed, std::size_t classes);

  // Paints a sample of class `label` as planes of red, green and blue: a pure function of the painter, `label` and
  // `key`. Safe to call concurrently.
  void paint(std::size_t label, std::uint64_t key, std::span<std::uint8_t, kBytes> out) const;

 private:
  // What the samples of one class have in common.
  struct Look {
    ColourField pattern;
    std::uint32_t ripple_x, ripple_y;        // turns of the ripple per pixel, in 1/256, modulo 256
    std::array<int, kChannels> ripple_tint;  // strength in each channel
  };

  std::vector<Look> looks_;
};

}  // namespace loadline
