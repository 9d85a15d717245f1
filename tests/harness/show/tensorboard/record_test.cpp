#include "harness/show/tensorboard/record.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

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
