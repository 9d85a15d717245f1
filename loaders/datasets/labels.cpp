#include "loaders/datasets/labels.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace loadline {

std::int32_t Labels::wide(const std::byte* at) const {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, layout_.bytes);  // little-endian, as this machine is
  const unsigned unused = static_cast<unsigned>(64 - 8 * layout_.bytes);
  const bool negative = layout_.is_signed && static_cast<std::int64_t>(bits << unused) < 0;
  return negative || bits > std::numeric_limits<std::int32_t>::max() ? -1 : static_cast<std::int32_t>(bits);
}

std::int32_t Labels::class_of(std::size_t index) const {
  return static_cast<std::int32_t>(std::ranges::upper_bound(begins_, index) - begins_.begin()) - 1;
}

std::size_t class_count(std::span<const std::int32_t> labels) {
  return static_cast<std::size_t>(*std::ranges::max_element(labels)) + 1;
}

}  // namespace loadline
