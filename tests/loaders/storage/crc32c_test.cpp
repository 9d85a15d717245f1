#include "loaders/storage/crc32c.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace loadline {
namespace {

// Checks that both implementations agree.
std::uint32_t crc32c_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32c(bytes), crc32c_by_tables(bytes));
  return crc32c(bytes);
}

std::string counted_up() {
  std::string bytes;
  for (char c = 0; c < 32; ++c) bytes += c;
  return bytes;
}

// The values come from RFC 3720, appendix B.4, which writes the least significant byte first, and from the check value
// in catalogues of CRCs.
TEST(Crc32c, MatchesTheStandard) {
  EXPECT_EQ(crc32c_of(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c_of(std::string(32, '\xff')), 0x62a8ab43U);
  const std::string up = counted_up();
  EXPECT_EQ(crc32c_of(up), 0x46dd794eU);
  EXPECT_EQ(crc32c_of(std::string(up.rbegin(), up.rend())), 0x113fdb5cU);
  constexpr char kReadCommand[] =
      "\x01\xc0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x14\x00\x00\x00\x00\x00\x04\x00"
      "\x00\x00\x00\x14\x00\x00\x00\x18\x28\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00";
  EXPECT_EQ(crc32c_of({kReadCommand, 48}), 0xd9963a56U);
  EXPECT_EQ(crc32c_of("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c_of(""), 0U);
}

TEST(Crc32c, IsMaskedByARotationAndASum) {
  EXPECT_EQ(masked(0), 0xa282ead8U);
  EXPECT_EQ(masked(0x00008000), 0xa282ead9U);
  EXPECT_EQ(masked(0xe3069283), 0xc78ab0e5U);
}

}  // namespace
}  // namespace loadline
