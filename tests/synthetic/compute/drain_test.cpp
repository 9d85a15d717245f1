#include "synthetic/compute/drain.h"

#include <gtest/gtest.h>

#include <vector>

#include "loaders/batch_pool.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

TEST(TouchLines, ReadsOnlyTheFirstByteOfEveryLineOnce) {
  for (const std::size_t size : {0, 1, 63, 64, 65, 128, 191, 192, 193, 255, 256, 257, 320, 511, 512, 1000, 3072}) {
    std::vector<std::byte> bytes(size, std::byte{0});
    unsigned expected = 0;
    for (std::size_t at = 0; at < size; ++at) {
      const bool first_of_line = at % 64 == 0;
      bytes[at] = first_of_line ? static_cast<std::byte>(1 + at / 64 % 255) : std::byte{255};
      if (first_of_line) expected += static_cast<unsigned>(bytes[at]);
    }
    EXPECT_EQ(touch_lines(bytes), expected) << size << " bytes";
  }
}

TEST(TouchLines, AddsBytesAsUnsigned) {
  const std::vector<std::byte> bytes(64 * 9, std::byte{255});
  EXPECT_EQ(touch_lines(bytes), 9U * 255U);
}

TEST(Drain, DropsItsBatchAtOnce) {
  test::FakeClock clock;
  BatchPool pool(1, 4, 100);
  const auto drain = make_drain({}, {.clock = clock, .stop = {}});
  for (std::size_t count = 0; count <= 4; ++count) {
    Batch batch = pool.acquire();
    batch->count = count;
    drain->consume(std::move(batch));
    EXPECT_NE(pool.try_acquire(), nullptr) << "of " << count << " samples";
  }
  EXPECT_EQ(drain->batches_to_steady_state(), 1U);
  EXPECT_EQ(clock.sleeps(), 0);
}

}  // namespace
}  // namespace loadline
