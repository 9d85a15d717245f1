// Paints digits that look hand-written: white strokes on black, each with its own wobble, size, slant, place, pen and
// noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace loadline {

inline constexpr std::size_t kDigitSide = 28;  // pixels
inline constexpr std::size_t kDigitBytes = kDigitSide * kDigitSide;

// Paints `digit` (0 to 9): a pure function of `digit` and `key`. Safe to call concurrently.
void paint_digit(std::size_t digit, std::uint64_t key, std::span<std::uint8_t, kDigitBytes> out);

}  // namespace loadline
