// Random numbers that are the same on every machine, compiler and thread, from one 64-bit mixer.
#pragma once

#include <cstdint>

namespace loadline {

// Finalizer of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// Combines several keys into one: the order of the arguments matters, and equal arguments do not cancel.
constexpr std::uint64_t key_of(std::uint64_t first) {
  return mix64(first + 0x9e3779b97f4a7c15ULL);
}
template <typename... Rest>
constexpr std::uint64_t key_of(std::uint64_t first, std::uint64_t second, Rest... rest) {
  return key_of(key_of(first) ^ second, static_cast<std::uint64_t>(rest)...);
}

// A stream of random numbers: the SplitMix64 sequence from `seed`. A value: copy it to fork the stream.
class Random {
 public:
  constexpr explicit Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() { return mix64(state_ += 0x9e3779b97f4a7c15ULL); }

  // Uniform in [0, bound), bound >= 1 (Lemire: "Fast random integer generation in an interval", TOMACS 2019).
  constexpr std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) product = (next() >> 32) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // Uniform in [0, 1), in steps of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace loadline
