// The checksum that HDF5 puts behind a chunk (its filter `fletcher32`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace loadline {

// J. Fletcher's checksum of 32 bits over words of two bytes, the first of them the high one, as HDF5 has it.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

// What stands before the checksum, which is the last four bytes; nullopt where it is another's.
std::optional<std::span<const std::byte>> without_fletcher32(std::span<const std::byte> bytes);

}  // namespace loadline
