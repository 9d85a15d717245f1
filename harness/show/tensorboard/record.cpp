#include "harness/show/tensorboard/record.h"

#include <boost/crc.hpp>
#include <cstddef>

namespace loadline {
namespace {

// Least byte first, whatever the machine has.
std::string little_endian(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  return bytes;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return static_cast<std::uint32_t>(crc.checksum());
}

std::uint32_t masked(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

std::string record_of(std::string_view payload) {
  const std::string length = little_endian(payload.size(), 8);
  std::string record = length + little_endian(masked(crc32c(length)), 4);
  record += payload;
  return record + little_endian(masked(crc32c(payload)), 4);
}

}  // namespace loadline
