#include "harness/show/tensorboard/record.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

// The bytes are written out by hand, from a program that shares no code with this one.
TEST(TfRecord, HasLengthAndBytesEachWithItsChecksum) {
  EXPECT_EQ(record_of("abc"), std::string("\x03\0\0\0\0\0\0\0"
                                          "\xb0\x99\x49\x0e"
                                          "abc"
                                          "\x6e\x57\xf1\x21",
                                          19));
}

}  // namespace
}  // namespace loadline
