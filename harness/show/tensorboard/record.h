// The records that TFRecord files are made of: each its length, the bytes, and a checksum of either. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loadline {

// CRC-32C (Castagnoli) of RFC 3720, appendix B.4.
std::uint32_t crc32c(std::string_view bytes);

// As these files have it, since the checksum of bytes that hold checksums says less.
std::uint32_t masked(std::uint32_t crc);

// One record, as it stands in the file.
std::string record_of(std::string_view payload);

}  // namespace loadline
