// Byte vectors for interleave_by_shuffles(), for the levels that have them. They are templates on Level, which lives
// in an unnamed namespace, so that each object file keeps its own functions.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "loaders/transforms/kernels_body.h"

namespace loadline {

template <typename Level>
struct SixteenBytes {
  static constexpr std::size_t kPixels = 16;
  LOADLINE_INLINE SixteenBytes load(const std::uint8_t* in) {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(in))};
  }
  [[gnu::always_inline]] SixteenBytes shuffled(const std::uint8_t* places) const {
    return {_mm_shuffle_epi8(bytes, _mm_load_si128(reinterpret_cast<const __m128i*>(places)))};
  }
  [[gnu::always_inline]] SixteenBytes operator|(const SixteenBytes& other) const {
    return {_mm_or_si128(bytes, other.bytes)};
  }
  [[gnu::always_inline]] void store(std::uint8_t* out, std::size_t /*stride*/) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
  }
  __m128i bytes;
};

template <typename Level>
struct ThirtyTwoBytes {
  static constexpr std::size_t kPixels = 32;
  LOADLINE_INLINE ThirtyTwoBytes load(const std::uint8_t* in) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in))};
  }
  [[gnu::always_inline]] ThirtyTwoBytes shuffled(const std::uint8_t* places) const {
    const __m128i once = _mm_load_si128(reinterpret_cast<const __m128i*>(places));
    return {_mm256_shuffle_epi8(bytes, _mm256_broadcastsi128_si256(once))};
  }
  [[gnu::always_inline]] ThirtyTwoBytes operator|(const ThirtyTwoBytes& other) const {
    return {_mm256_or_si256(bytes, other.bytes)};
  }
  [[gnu::always_inline]] void store(std::uint8_t* out, std::size_t stride) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(bytes));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + stride), _mm256_extracti128_si256(bytes, 1));
  }
  __m256i bytes;
};

}  // namespace loadline
