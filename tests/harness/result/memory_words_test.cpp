#include "harness/result/memory_words.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(MemoryWords, NameTheSumItsLargestPartAndTheLimit) {
  MemoryUse use{.needed_bytes = 3 << 20, .largest_bytes = 2 << 20, .largest = "the slots of a"};
  EXPECT_EQ(memory_words(use), "the run needs 3.0 MiB of memory, 2.0 MiB of it for the slots of a");
  use.available_bytes = 1 << 20;
  use.limit = "MemAvailable";
  EXPECT_EQ(memory_words(use),
            "the run needs 3.0 MiB of memory, 2.0 MiB of it for the slots of a, and MemAvailable leaves 1.0 MiB");
}

TEST(MemoryWords, CallMemoryShortFromFourFifthsOn) {
  EXPECT_FALSE(is_short({.needed_bytes = 800}));
  EXPECT_FALSE(is_short({.needed_bytes = 799, .available_bytes = 1000}));
  EXPECT_TRUE(is_short({.needed_bytes = 800, .available_bytes = 1000}));
}

}  // namespace
}  // namespace loadline
