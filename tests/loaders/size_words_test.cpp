#include "loaders/size_words.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(SizeWords, HaveAUnitThatFits) {
  EXPECT_EQ(size_words(0), "0 bytes");
  EXPECT_EQ(size_words(1023), "1023 bytes");
  EXPECT_EQ(size_words(1536), "1.5 KiB");
  EXPECT_EQ(size_words((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(size_words(std::uint64_t{24} << 30), "24.0 GiB");
  EXPECT_EQ(size_words(~std::uint64_t{0}), "16.0 EiB");
}

}  // namespace
}  // namespace loadline
