// The checksum that HDF5's filter `fletcher32` appends to a chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace loadline {

// J. Fletcher's 32-bit checksum over words of two bytes, high byte first, as in HDF5.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

// The bytes before the checksum, which is the last four bytes; nullopt if the checksum does not match.
std::optional<std::span<const std::byte>> without_fletcher32(std::span<const std::byte> bytes);

}  // namespace loadline
