#include "loaders/storage/crc32c.h"

#include <array>
#include <cstring>

namespace loadline {
namespace {

constexpr std::uint32_t kCastagnoli = 0x82f63b78;  // its polynomial, lowest bit first

// tables[k][b]: what byte b does to the checksum when k more bytes follow it.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kCastagnoli : 0);
    tables[0][b] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t b = 0; b < 256; ++b) {
      const std::uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8U) ^ tables[0][before & 0xffU];
    }
  }
  return tables;
}

constexpr CrcTables kCrcTables = make_crc_tables();

std::uint64_t eight_bytes(const std::byte* at) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define LOADLINE_HAVE_CRC_INSTRUCTION
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(std::span<const std::byte> bytes) {
  std::uint64_t crc = 0xffffffff;
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) crc = __builtin_ia32_crc32di(crc, eight_bytes(at));
  auto rest = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++at) rest = __builtin_ia32_crc32qi(rest, std::to_integer<unsigned char>(*at));
  return ~rest;
}
#endif

}  // namespace

std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes) {
  const auto& tables = kCrcTables;
  std::uint32_t crc = 0xffffffff;
  std::size_t at = 0;
  for (; bytes.size() - at >= 8; at += 8) {
    const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(bytes[at + i]); };
    crc = tables[7][(crc ^ byte(0)) & 0xffU] ^ tables[6][(crc >> 8U ^ byte(1)) & 0xffU] ^
          tables[5][(crc >> 16U ^ byte(2)) & 0xffU] ^ tables[4][crc >> 24U ^ byte(3)] ^ tables[3][byte(4)] ^
          tables[2][byte(5)] ^ tables[1][byte(6)] ^ tables[0][byte(7)];
  }
  for (; at < bytes.size(); ++at) {
    crc = (crc >> 8U) ^ tables[0][(crc ^ std::to_integer<std::uint32_t>(bytes[at])) & 0xffU];
  }
  return ~crc;
}

std::uint32_t crc32c(std::span<const std::byte> bytes) {
#ifdef LOADLINE_HAVE_CRC_INSTRUCTION
  static const bool kHas = __builtin_cpu_supports("sse4.2") != 0;
  if (kHas) return crc32c_by_instruction(bytes);
#endif
  return crc32c_by_tables(bytes);
}

}  // namespace loadline
