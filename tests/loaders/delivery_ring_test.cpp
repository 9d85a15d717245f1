#include "loaders/delivery_ring.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <latch>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace loadline {
namespace {

using namespace std::chrono_literals;

// Takes all slots of a pool, so that tests can publish them by hand.
class Deliveries : public testing::Test {
 protected:
  Deliveries() {
    while (Batch batch = pool_.try_acquire()) slots_.push_back(pool_.release(std::move(batch)));
  }

  BatchPool pool_{4, 1, 1};
  std::vector<Slot*> slots_;
};

using DeliveryRingOfFour = Deliveries;

TEST_F(DeliveryRingOfFour, GivesPositionsInOrderHoweverTheyWerePublished) {
  DeliveryRing ring(pool_, 0ns);
  ring.publish(2, slots_[2]);
  ring.publish(0, slots_[0]);
  ring.publish(1, slots_[1]);
  EXPECT_EQ(ring.take(), slots_[0]);
  EXPECT_EQ(ring.take(), slots_[1]);
  EXPECT_EQ(ring.take(), slots_[2]);
}

TEST_F(DeliveryRingOfFour, WrapsAround) {
  DeliveryRing ring(pool_, 0ns);
  for (std::uint64_t position = 0; position < 100; ++position) {
    ring.publish(position, slots_[position % 3]);
    EXPECT_EQ(ring.take(), slots_[position % 3]);
  }
}

TEST_F(DeliveryRingOfFour, GivesWhatWasPublishedBeforeItClosed) {
  DeliveryRing ring(pool_, 0ns);
  ring.publish(0, slots_[0]);
  ring.publish(2, slots_[2]);
  ring.close();
  ring.close();
  EXPECT_EQ(ring.take(), slots_[0]);
  EXPECT_EQ(ring.take(), nullptr);  // position 1 never came
  EXPECT_EQ(ring.take(), nullptr);
}

TEST_F(DeliveryRingOfFour, WakesTheConsumerForItsPosition) {
  for (const auto patience : {0ns, 1'000'000'000ns}) {
    DeliveryRing ring(pool_, patience);
    std::latch waits(1);
    Slot* got = nullptr;
    {
      const std::jthread consumer([&] {
        waits.count_down();
        got = ring.take();
      });
      waits.wait();
      ring.publish(1, slots_[1]);
      ring.publish(0, slots_[0]);
    }
    EXPECT_EQ(got, slots_[0]);
    EXPECT_EQ(ring.take(), slots_[1]);
  }
}

TEST_F(DeliveryRingOfFour, WakesTheConsumerWhenItCloses) {
  for (const auto patience : {0ns, 1'000'000'000ns}) {
    DeliveryRing ring(pool_, patience);
    std::latch waits(1);
    Slot* got = slots_[0];
    {
      const std::jthread consumer([&] {
        waits.count_down();
        got = ring.take();
      });
      waits.wait();
      ring.close();
    }
    EXPECT_EQ(got, nullptr);
  }
}

TEST_F(DeliveryRingOfFour, WaitsForAPositionNoLongerThanTheLimit) {
  for (const auto patience : {0ns, 1'000'000ns}) {
    DeliveryRing ring(pool_, patience);
    EXPECT_FALSE(ring.wait(1us));
    ring.publish(1, slots_[1]);
    EXPECT_FALSE(ring.wait(1us));
    ring.publish(0, slots_[0]);
    EXPECT_TRUE(ring.wait(0ns));
    EXPECT_EQ(ring.take(), slots_[0]);
    EXPECT_TRUE(ring.wait(0ns));
    EXPECT_EQ(ring.take(), slots_[1]);
    EXPECT_FALSE(ring.wait(1us));
    ring.close();
    EXPECT_TRUE(ring.wait(0ns));
  }
}

// The machine may be busy, so one of many waits has to end in time.
TEST_F(DeliveryRingOfFour, SpinsAndSleepsForTheLimitTogether) {
  DeliveryRing ring(pool_, 5ms);
  bool in_time = false;
  for (int i = 0; i < 100 && !in_time; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(ring.wait(5ms));
    in_time = std::chrono::steady_clock::now() - begin < 10ms;
  }
  EXPECT_TRUE(in_time);
}

TEST_F(DeliveryRingOfFour, WakesAConsumerThatWaitsForALimitedTime) {
  DeliveryRing ring(pool_, 0ns);
  std::latch waits(1);
  bool came = false;
  {
    const std::jthread consumer([&] {
      waits.count_down();
      came = ring.wait(1h);
    });
    waits.wait();
    ring.publish(0, slots_[0]);
  }
  EXPECT_TRUE(came);
}

TEST(DeliveryRing, DeliversFromManyThreadsInOrder) {
  for (const auto patience : {0ns, 1000ns}) {
    BatchPool pool(5, 1, 1);
    DeliveryRing ring(pool, patience);
    std::mutex mutex;
    std::uint64_t drawn = 0;
    constexpr std::uint64_t kBatches = 3000;
    std::vector<std::jthread> workers;
    for (int i = 0; i < 3; ++i) {
      workers.emplace_back([&] {
        while (Batch batch = pool.acquire()) {
          {
            const std::lock_guard lock(mutex);
            if (drawn == kBatches) return;
            batch->sequence = drawn++;
          }
          const std::uint64_t position = batch->sequence;
          ring.publish(position, pool.release(std::move(batch)));
        }
      });
    }
    for (std::uint64_t i = 0; i < kBatches; ++i) {
      const Batch batch = pool.adopt(ring.take());
      ASSERT_EQ(batch->sequence, i);
    }
  }
}

}  // namespace
}  // namespace loadline
