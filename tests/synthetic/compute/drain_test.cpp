#include "synthetic/compute/drain.h"

#include <gtest/gtest.h>

#include <vector>

#include "loaders/batch_pool.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

TEST(TouchLines, ReadsOnlyTheFirstByteOfEveryLineOnce) {
  for (const std::size_t size :
       {0U, 1U, 63U, 64U, 65U, 128U, 191U, 192U, 193U, 255U, 256U, 257U, 320U, 511U, 512U, 1000U, 3072U}) {
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
