#include "loaders/system/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

TEST(HugeMemory, IsZeroed) {
  const HugeMemory memory(3 * kHugePage + 5);
  EXPECT_EQ(memory.bytes().size(), 3 * kHugePage + 5);
  EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST(HugeMemory, IsAlignedToAHugePage) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, kHugePage, kHugePage + 1}) {
    const HugeMemory memory(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % kHugePage, 0U) << size;
  }
}

TEST(HugeMemory, CanBeWrittenFromTheFirstByteToTheLast) {
  HugeMemory memory(kHugePage + 1);
  std::ranges::fill(memory.bytes(), std::byte{7});
  EXPECT_EQ(memory.bytes().front(), std::byte{7});
  EXPECT_EQ(memory.bytes().back(), std::byte{7});
}

TEST(HugeMemory, MayBeEmpty) {
  const HugeMemory memory(0);
  EXPECT_TRUE(memory.bytes().empty());
}

TEST(HugeMemory, MovesWithItsContent) {
  HugeMemory first(100);
  first.bytes()[99] = std::byte{42};
  const std::byte* where = first.bytes().data();
  const HugeMemory second = std::move(first);
  EXPECT_EQ(second.bytes().data(), where);
  EXPECT_EQ(second.bytes()[99], std::byte{42});
}

TEST(HugeMemory, NamesASizeThatIsRefused) {
  EXPECT_EQ(test::thrown_by([] { HugeMemory memory(std::size_t{1} << 60); }),
            test::failed("cannot allocate 1152921504606846976 bytes of memory: Cannot allocate memory"));
  EXPECT_EQ(test::thrown_by([] { HugeMemory memory(std::numeric_limits<std::size_t>::max()); }),
            test::failed("cannot allocate 18446744073709551615 bytes of memory: Cannot allocate memory"));
}

}  // namespace
}  // namespace loadline
