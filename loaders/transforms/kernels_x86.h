// Interleaved pixels from planes and back, for the levels that shuffle bytes. Vectors are templates of a Level, which
// lives in an unnamed namespace, so that each object keeps its own functions.
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
  LOADLINE_INLINE SixteenBytes load(const std::uint8_t* in, std::size_t /*stride*/) { return load(in); }
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
  LOADLINE_INLINE ThirtyTwoBytes load(const std::uint8_t* in, std::size_t stride) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + stride));
    return {_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1)};
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

// Where a byte of interleaved pixels comes from: places[part][channel][i] is the pixel whose `channel` is byte 16 *
// part + i of 48, or above 127 where that byte is of another channel, for which a byte shuffle gives 0.
struct InterleavePlaces {
  alignas(16) std::uint8_t places[3][3][16];
};

consteval InterleavePlaces interleave_places() {
  InterleavePlaces all{};
  for (int byte = 0; byte < 48; ++byte) {
    for (int channel = 0; channel < 3; ++channel) {
      all.places[byte / 16][channel][byte % 16] = static_cast<std::uint8_t>(byte % 3 == channel ? byte / 3 : 0x80);
    }
  }
  return all;
}

// The other way: places[channel][part][i] is where the `channel` of pixel i is in 16 bytes from byte 16 * part on of
// 48, or above 127 where it is elsewhere.
struct SplitPlaces {
  alignas(16) std::uint8_t places[3][3][16];
};

consteval SplitPlaces split_places() {
  SplitPlaces all{};
  for (int pixel = 0; pixel < 16; ++pixel) {
    for (int channel = 0; channel < 3; ++channel) {
      const int byte = 3 * pixel + channel;
      for (int part = 0; part < 3; ++part) {
        all.places[channel][part][pixel] = static_cast<std::uint8_t>(byte / 16 == part ? byte % 16 : 0x80);
      }
    }
  }
  return all;
}

// Pixels of three planes are three vectors of interleaved bytes in each 16 bytes of a vector, every one from a shuffle
// of each plane. Bytes has
//   Bytes::load(const std::uint8_t*);   Bytes::kPixels of them
//   Bytes::load(const std::uint8_t*, std::size_t stride);   each 16 bytes, `stride` apart
//   Bytes shuffled(const std::uint8_t* places) const;   within each 16 bytes, by the same 16 places; above 127: 0
//   Bytes operator|(const Bytes&) const;
//   void store(std::uint8_t* out, std::size_t stride) const;   each 16 bytes, `stride` apart
template <typename Bytes>
LOADLINE_INLINE void interleave_by_shuffles(const std::uint8_t* red, const std::uint8_t* green,
                                            const std::uint8_t* blue, std::uint8_t* out) {
  static constexpr InterleavePlaces kPlaces = interleave_places();
  const Bytes r = Bytes::load(red);
  const Bytes g = Bytes::load(green);
  const Bytes b = Bytes::load(blue);
  for (int part = 0; part < 3; ++part) {
    const auto& places = kPlaces.places[part];
    (r.shuffled(places[0]) | g.shuffled(places[1]) | b.shuffled(places[2])).store(out + 16 * part, 48);
  }
}

// Three planes in registers.
template <typename Bytes>
struct SplitBytes {
  Bytes planes[3];
};

template <typename Bytes>
LOADLINE_INLINE SplitBytes<Bytes> split_by_shuffles(const std::uint8_t* in) {
  static constexpr SplitPlaces kPlaces = split_places();
  const Bytes parts[3] = {Bytes::load(in, 48), Bytes::load(in + 16, 48), Bytes::load(in + 32, 48)};
  SplitBytes<Bytes> split;
  for (int channel = 0; channel < 3; ++channel) {
    const auto& places = kPlaces.places[channel];
    split.planes[channel] = parts[0].shuffled(places[0]) | parts[1].shuffled(places[1]) | parts[2].shuffled(places[2]);
  }
  return split;
}

// Pixels whose first and last byte change places: places[part][from][i] is where byte 16 * part + i of 48 comes from in
// 16 bytes from byte 16 * from on, or above 127 where it comes from elsewhere.
struct SwapPlaces {
  alignas(16) std::uint8_t places[3][3][16];
};

consteval SwapPlaces swap_places() {
  SwapPlaces all{};
  for (int byte = 0; byte < 48; ++byte) {
    const int source = byte + 2 - 2 * (byte % 3);
    for (int from = 0; from < 3; ++from) {
      all.places[byte / 16][from][byte % 16] = static_cast<std::uint8_t>(source / 16 == from ? source % 16 : 0x80);
    }
  }
  return all;
}

template <typename Level>
struct RowsByShuffles {
  using Block = std::uint8_t __attribute__((vector_size(32)));

  LOADLINE_INLINE Block reversed(Block block) {
    const __m256i backwards =
        _mm256_broadcastsi128_si256(_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    const __m256i halves = _mm256_shuffle_epi8(reinterpret_cast<__m256i>(block), backwards);
    return reinterpret_cast<Block>(_mm256_permute4x64_epi64(halves, 0b01'00'11'10));
  }

  LOADLINE_INLINE void swap_ends(std::uint8_t* pixels) {
    static constexpr SwapPlaces kPlaces = swap_places();
    using Bytes = SixteenBytes<Level>;
    const Bytes first = Bytes::load(pixels);
    const Bytes second = Bytes::load(pixels + 16);
    const Bytes third = Bytes::load(pixels + 32);
    for (int part = 0; part < 3; ++part) {
      const auto& places = kPlaces.places[part];
      (first.shuffled(places[0]) | second.shuffled(places[1]) | third.shuffled(places[2]))
          .store(pixels + 16 * part, 48);
    }
  }
};

}  // namespace loadline
