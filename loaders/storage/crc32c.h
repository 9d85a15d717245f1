// CRC-32C (Castagnoli) of RFC 3720, appendix B.4, as used in TFRecord files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace loadline {

// Uses the CPU's own instruction if it has one.
std::uint32_t crc32c(std::span<const std::byte> bytes);
// The same by tables, on any CPU.
std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes);

// The form stored in TFRecord files: a plain checksum says less about bytes that themselves hold checksums.
constexpr std::uint32_t masked(std::uint32_t crc) {
  return ((crc >> 15U) | (crc << 17U)) + 0xa282ead8U;
}

}  // namespace loadline
