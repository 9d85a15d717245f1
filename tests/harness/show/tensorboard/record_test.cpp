#include "harness/show/tensorboard/record.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

std::string counted_up() {
  std::string bytes;
  for (char c = 0; c < 32; ++c) bytes += c;
  return bytes;
}

// RFC 3720, appendix B.4, which writes the least byte first; and the check value of the catalogues of such checksums.
TEST(Crc32c, IsThatOfTheStandard) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  const std::string up = counted_up();
  EXPECT_EQ(crc32c(up), 0x46dd794eU);
  EXPECT_EQ(crc32c(std::string(up.rbegin(), up.rend())), 0x113fdb5cU);
  constexpr char kReadCommand[] =
      "\x01\xc0\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x14\x00\x00\x00\x00\x00\x04\x00"
      "\x00\x00\x00\x14\x00\x00\x00\x18\x28\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00";
  EXPECT_EQ(crc32c({kReadCommand, 48}), 0xd9963a56U);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32c, IsMaskedByARotationAndASum) {
  EXPECT_EQ(masked(0), 0xa282ead8U);
  EXPECT_EQ(masked(0x00008000), 0xa282ead9U);
  EXPECT_EQ(masked(0xe3069283), 0xc78ab0e5U);
}

// The bytes by hand, of a program that has nothing in common with this one.
TEST(TfRecord, IsLengthAndBytesEachWithItsChecksum) {
  EXPECT_EQ(record_of("abc"), std::string("\x03\0\0\0\0\0\0\0"
                                          "\xb0\x99\x49\x0e"
                                          "abc"
                                          "\x6e\x57\xf1\x21",
                                          19));
}

}  // namespace
}  // namespace loadline
