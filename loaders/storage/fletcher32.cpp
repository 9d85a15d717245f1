#include "loaders/storage/fletcher32.h"

#include <algorithm>

namespace loadline {
namespace {

constexpr std::size_t kChecksumBytes = 4;

std::uint32_t folded(std::uint32_t sum) {
  return (sum & 0xffffU) + (sum >> 16U);
}

// The checksum as written by library versions before 1.6.3: the bytes of each half are swapped.
std::uint32_t turned(std::uint32_t checksum) {
  return (checksum & 0x00ff00ffU) << 8U | (checksum >> 8U & 0x00ff00ffU);
}

}  // namespace

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::size_t kWordsUnfolded = 360;  // sums of this many stay below 2^32
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[i]); };
  std::uint32_t sum = 0;
  std::uint32_t sum_of_sums = 0;
  const std::size_t words = bytes.size() / 2;
  for (std::size_t word = 0; word < words;) {
    for (const std::size_t end = std::min(words, word + kWordsUnfolded); word < end; ++word) {
      sum += at(2 * word) << 8U | at(2 * word + 1);
      sum_of_sums += sum;
    }
    sum = folded(sum);
    sum_of_sums = folded(sum_of_sums);
  }
  if (bytes.size() % 2 != 0) {
    sum += at(bytes.size() - 1) << 8U;
    sum_of_sums += sum;
    sum = folded(sum);
    sum_of_sums = folded(sum_of_sums);
  }
  return folded(sum_of_sums) << 16U | folded(sum);
}

std::optional<std::span<const std::byte>> without_fletcher32(std::span<const std::byte> bytes) {
  if (bytes.size() < kChecksumBytes) return std::nullopt;
  const auto content = bytes.first(bytes.size() - kChecksumBytes);
  std::uint32_t stored = 0;  // little-endian
  for (std::size_t i = kChecksumBytes; i-- > 0;) {
    stored = stored << 8U | std::to_integer<std::uint32_t>(bytes[content.size() + i]);
  }
  const std::uint32_t computed = fletcher32(content);
  if (stored != computed && stored != turned(computed)) return std::nullopt;
  return content;
}

}  // namespace loadline
