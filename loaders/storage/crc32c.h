// CRC-32C (Castagnoli) of RFC 3720, appendix B.4, as the records of TFRecord files have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace loadline {

// By the CPU's own instruction where it has one.
std::uint32_t crc32c(std::span<const std::byte> bytes);
// By tables, on any CPU: the same.
std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes);

// As TFRecord files have it, since the checksum of bytes that hold checksums says less.
constexpr std::uint32_t masked(std::uint32_t crc) {
  return ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U;
}

}  // namespace loadline
