#include "harness/show/tensorboard/record.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "loaders/storage/crc32c.h"

namespace loadline {
namespace {

// Least significant byte first, on every machine.
std::string little_endian(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

std::uint32_t checksum_of(std::string_view bytes) {
  return masked(crc32c(std::as_bytes(std::span(bytes))));
}

}  // namespace

std::string record_of(std::string_view payload) {
  const std::string length = little_endian(payload.size(), 8);
  std::string record = length + little_endian(checksum_of(length), 4);
  record += payload;
  return record + little_endian(checksum_of(payload), 4);
}

}  // namespace loadline
