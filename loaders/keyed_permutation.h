// A permutation that is computed place by place from a key and takes no memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace loadline {

// A permutation of [0, size). A pure function of size and key, hence the same on every machine.
//
// A generalised Feistel network on pairs (left, right). The left half has about the square root of `size` values, the
// right half as many as are needed. Each of eight rounds adds to one half a random function of the other, modulo the
// half's range. Values beyond `size`, at most one in its square root, go through the network again until they are
// below it ("cycle walking"). Both ideas are from J. Black and P. Rogaway, "Ciphers with arbitrary finite domains",
// CT-RSA 2002. The random function multiplies twice and folds the product, as the Philox generator does (J. K. Salmon
// et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011). R. Mitchell et al., "Bandwidth-optimal random
// shuffling for GPUs", ACM TOPC 2022, shuffle by such a network and compare it with other methods. This is not a
// cipher: an adversary can tell it from a random permutation.
class KeyedPermutation {
 public:
  // `size` is at least 1 and below 2^32 - 1.
  KeyedPermutation(std::uint32_t size, std::uint64_t key);

  std::uint32_t size() const { return size_; }
  // The value at a place below size().
  std::uint32_t operator()(std::uint32_t place) const;
  // Replaces each place by its value. Several times as fast as one call per place.
  void apply(std::span<std::uint32_t> places) const;
  // The place of a value below size().
  std::uint32_t place_of(std::uint32_t value) const;

 private:
  static constexpr std::size_t kRounds = 8;
  static constexpr std::size_t kBlock = 64;  // pairs that go through the rounds together

  std::uint32_t once(std::uint32_t place) const;
  void once(std::span<std::uint32_t> places) const;
  std::uint32_t undo_once(std::uint32_t value) const;
  std::uint32_t quotient(std::uint32_t value) const;  // by left_

  std::uint32_t size_;
  std::uint32_t left_;   // range of the left half
  std::uint32_t right_;  // range of the right half
  std::uint64_t reciprocal_;
  std::array<std::uint64_t, kRounds> keys_;
};

}  // namespace loadline
