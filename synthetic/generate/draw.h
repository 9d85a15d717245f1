// How generated pictures and languages are drawn: with integers only, so that all machines draw the same bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "loaders/random.h"

namespace loadline {

// Uniform in [low, high].
constexpr int between(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint32_t>(high - low + 1)));
}

// In a made-up language each word or token has this many followers.
inline constexpr std::size_t kFollowers = 4;

// Which one follows: one half, a quarter, an eighth, an eighth.
constexpr std::size_t draw_follower(Random& random) {
  const std::uint32_t eighths = random.below(8);
  return eighths < 4 ? 0 : eighths < 6 ? 1 : eighths < 7 ? 2 : 3;
}

constexpr std::uint8_t to_byte(int value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0, 255));
}

// Pixel noise: a triangular distribution over [-15, 15], eight values per number drawn.
constexpr void draw_noise(Random& random, std::span<std::int16_t> out) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < out.size(); ++i, bits >>= 8) {
    if (i % 8 == 0) bits = random.next();
    out[i] = static_cast<std::int16_t>(static_cast<int>(bits & 15) + static_cast<int>(bits >> 4 & 15) - 15);
  }
}

}  // namespace loadline
