#include "loaders/batch_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <latch>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using testing::ElementsAre;

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(Slot, ShowsTheBytesOfItsSamples) {
  BatchPool pool(1, 4, 3);
  const Batch batch = pool.acquire();
  batch->count = 2;
  EXPECT_EQ(batch->bytes().size(), 6U);
  EXPECT_EQ(batch->bytes().data(), batch->data.data());
}

TEST(BatchPool, HasRoomForEverySampleOfABatch) {
  BatchPool pool(3, 5, 7);
  EXPECT_EQ(pool.size(), 3U);
  const Batch batch = pool.acquire();
  EXPECT_EQ(batch->data.size(), 35U);
  EXPECT_EQ(batch->labels.size(), 5U);
  EXPECT_EQ(batch->indices.size(), 5U);
  EXPECT_EQ(batch->sample_bytes, 7U);
}

TEST(BatchPool, StartsEachSlotOnItsOwnPage) {
  BatchPool pool(4, 5, 7);
  EXPECT_EQ(pool.slot_size_bytes(), 4096U);
  std::vector<Batch> batches;
  std::set<std::uintptr_t> pages;
  for (int i = 0; i < 4; ++i) {
    const Batch& batch = batches.emplace_back(pool.acquire());
    const auto address = reinterpret_cast<std::uintptr_t>(batch->data.data());
    EXPECT_EQ(address % 4096, 0U);
    pages.insert(address);
  }
  EXPECT_EQ(pages.size(), 4U);
}

TEST(BatchPool, SaysHowLargeASlotIsWithoutMakingOne) {
  EXPECT_EQ(BatchPool::slot_size_bytes(5, 7), 4096U);
  // 101,600 bytes of samples, 400 of labels and 400 of indices, each in whole cache lines.
  EXPECT_EQ(BatchPool::slot_size_bytes(100, 1016), 106'496U);
  EXPECT_EQ(BatchPool(2, 100, 1016).slot_size_bytes(), 106'496U);
}

TEST(BatchPool, GivesNoTwoSpansTheSameMemory) {
  BatchPool pool(2, 100, 333);
  std::vector<std::span<const std::byte>> spans;
  std::vector<Batch> batches;
  for (int i = 0; i < 2; ++i) {
    const Batch& batch = batches.emplace_back(pool.acquire());
    spans.push_back(batch->data);
    spans.push_back(std::as_bytes(batch->labels));
    spans.push_back(std::as_bytes(batch->indices));
  }
  std::ranges::sort(spans, std::less<>(), [](const auto& span) { return span.data(); });
  for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_LE(spans[i - 1].data() + spans[i - 1].size(), spans[i].data());
}

TEST(BatchPool, LendsEachSlotOnceUntilItGoesHome) {
  BatchPool pool(2, 1, 1);
  Batch first = pool.try_acquire();
  const Batch second = pool.try_acquire();
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_NE(first.get(), second.get());
  EXPECT_FALSE(pool.try_acquire());
  const Slot* home = first.get();
  first.reset();
  EXPECT_EQ(pool.try_acquire().get(), home);
}

TEST(BatchPool, LendsEverySlotOnceBeforeItReusesAny) {
  BatchPool pool(4, 1, std::size_t{4} << 20);  // of large slots, the pool prefers the one given back last
  std::set<const Slot*> lent;
  for (int i = 0; i < 4; ++i) lent.insert(pool.acquire().get());  // each goes home at once
  EXPECT_EQ(lent.size(), 4U);
  EXPECT_TRUE(lent.contains(pool.acquire().get()));
}

TEST(BatchPool, FaultsInASlotBeforeLendingIt) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  BatchPool pool(3, 1, std::size_t{8} << 20);
  for (int i = 0; i < 3; ++i) {
    const Batch batch = pool.acquire();
    const auto pages = batch->data.size() / page;
    std::vector<unsigned char> resident(pages);
    ASSERT_EQ(::mincore(batch->data.data(), batch->data.size(), resident.data()), 0);
    EXPECT_EQ(std::ranges::count(resident, 1), static_cast<std::ptrdiff_t>(pages));
  }
}

TEST(BatchPool, ReleasesTheSlotOfABatchAndAdoptsItAgain) {
  BatchPool pool(1, 1, 1);
  Slot* slot = pool.release(pool.acquire());
  EXPECT_FALSE(pool.try_acquire());
  pool.adopt(slot).reset();
  EXPECT_TRUE(pool.try_acquire());
}

TEST(BatchPool, ForgetsTheFailureOfASlotThatGoesHome) {
  BatchPool pool(1, 1, 1);
  pool.acquire()->failure = std::make_exception_ptr(std::runtime_error("old"));
  EXPECT_FALSE(pool.acquire()->failure);
}

// Acquires all slots, gives them back in the order 0, 1, 2, 3, and returns the order in which they are lent again.
std::vector<int> reuse_order(std::size_t slot_bytes) {
  BatchPool pool(4, 1, slot_bytes);
  std::vector<Batch> batches;
  std::map<const Slot*, int> names;
  for (int i = 0; i < 4; ++i) {
    batches.push_back(pool.acquire());
    names[batches.back().get()] = i;
  }
  for (Batch& batch : batches) batch.reset();
  std::vector<int> order;
  for (Batch& batch : batches) {
    batch = pool.acquire();
    order.push_back(names.at(batch.get()));
  }
  return order;
}

TEST(BatchPool, LendsTheLargeSlotThatWasGivenBackLastFirst) {
  EXPECT_THAT(reuse_order(2 * kMiB), ElementsAre(3, 2, 1, 0));
}

TEST(BatchPool, PassesOverSlotsGivenBackWithinTheLastTwoMebibytes) {
  EXPECT_THAT(reuse_order(kMiB), ElementsAre(2, 1, 0, 3));
  EXPECT_THAT(reuse_order(kMiB / 2), ElementsAre(0, 1, 2, 3));
}

TEST(BatchPool, LendsNothingOnceClosedButTakesSlotsHome) {
  BatchPool pool(2, 1, 1);
  Batch held = pool.acquire();
  pool.close();
  pool.close();
  EXPECT_FALSE(pool.acquire());
  EXPECT_FALSE(pool.try_acquire());
  held.reset();
  EXPECT_FALSE(pool.acquire());
}

TEST(BatchPool, WakesAWaitingThreadWhenASlotComesHome) {
  BatchPool pool(1, 1, 1);
  Batch held = pool.acquire();
  const Slot* home = held.get();
  std::latch waits(1);
  const Slot* got = nullptr;
  {
    const std::jthread waiter([&] {
      waits.count_down();
      got = pool.acquire().get();
    });
    waits.wait();
    held.reset();
  }
  EXPECT_EQ(got, home);
}

TEST(BatchPool, WakesAllWaitingThreadsWhenItCloses) {
  BatchPool pool(1, 1, 1);
  const Batch held = pool.acquire();
  std::latch waits(3);
  std::atomic<int> empty{0};
  {
    std::vector<std::jthread> waiters;
    for (int i = 0; i < 3; ++i) {
      waiters.emplace_back([&] {
        waits.count_down();
        if (!pool.acquire()) ++empty;
      });
    }
    waits.wait();
    pool.close();
  }
  EXPECT_EQ(empty, 3);
}

TEST(BatchPool, NeverLendsASlotToTwoThreads) {
  BatchPool pool(3, 1, 8);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&pool, t] {
        for (int i = 0; i < 2000; ++i) {
          const Batch batch = pool.acquire();
          batch->labels[0] = t;  // a race, if another thread holds it
          ASSERT_EQ(batch->labels[0], t);
        }
      });
    }
  }
  std::set<Slot*> home;
  std::vector<Batch> batches;
  while (Batch batch = pool.try_acquire()) {
    home.insert(batch.get());
    batches.push_back(std::move(batch));
  }
  EXPECT_EQ(home.size(), 3U);
}

TEST(BatchPool, RefusesMoreThanMemoryCanHold) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(test::thrown_by([] { BatchPool pool(1, 1, std::size_t{1} << 60); }).message.substr(0, 15),
            "cannot allocate");
  EXPECT_EQ(test::thrown_by([] { BatchPool pool(kMost / 2, 1, 1); }).message.substr(0, 15), "cannot allocate");
  EXPECT_EQ(test::thrown_by([] { BatchPool pool(kMost / 4096 + 2, 1, 1); }).message.substr(0, 15), "cannot allocate");
  EXPECT_EQ(test::thrown_by([] { BatchPool pool(4, kMost / 2, 3); }).message.substr(0, 15), "cannot allocate");
}

}  // namespace
}  // namespace loadline
