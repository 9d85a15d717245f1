#include "loaders/storage/chunk_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace loadline {
namespace {

using State = ChunkCache::State;

void fill(ChunkCache& cache, std::size_t chunk, int value) {
  auto hold = cache.find(chunk);
  ASSERT_EQ(hold.state(), State::kToFill) << chunk;
  std::ranges::fill(hold.bytes(), static_cast<std::byte>(value));
  hold.filled();
}

TEST(ChunkCache, KeepsFilledChunks) {
  ChunkCache cache(10, 4, 2);
  fill(cache, 7, 70);
  const auto hold = cache.find(7);
  EXPECT_EQ(hold.state(), State::kReady);
  EXPECT_EQ(hold.bytes().size(), 4U);
  EXPECT_EQ(hold.bytes()[3], std::byte{70});
}

TEST(ChunkCache, EvictsTheLeastRecentlyUsedChunk) {
  ChunkCache cache(10, 4, 2);
  fill(cache, 1, 1);
  fill(cache, 2, 2);
  EXPECT_EQ(cache.find(1).state(), State::kReady) << "so that 2 was used before it";
  fill(cache, 3, 3);
  EXPECT_EQ(cache.find(1).state(), State::kReady);
  EXPECT_EQ(cache.find(2).state(), State::kToFill);
}

TEST(ChunkCache, EvictsNoChunkInUse) {
  ChunkCache cache(10, 4, 2);
  fill(cache, 1, 1);
  fill(cache, 2, 2);
  const auto first = cache.find(1);
  {
    const auto second = cache.find(2);
    EXPECT_EQ(cache.find(3).state(), State::kFull);
  }
  fill(cache, 3, 3);
  EXPECT_EQ(first.bytes()[0], std::byte{1});
  EXPECT_EQ(cache.find(1).state(), State::kReady);
}

TEST(ChunkCache, LetsOnlyOneThreadFillAChunk) {
  ChunkCache cache(10, 4, 2);
  auto filling = cache.find(5);
  EXPECT_EQ(cache.find(5).state(), State::kBusy);
  filling.filled();
  EXPECT_EQ(cache.find(5).state(), State::kReady);
}

TEST(ChunkCache, LetsAnotherFillAChunkThatCouldNotBeFilled) {
  ChunkCache cache(10, 4, 1);
  { const auto given_up = cache.find(5); }
  EXPECT_EQ(cache.find(5).state(), State::kToFill);
}

TEST(ChunkCache, WaitsUntilTheChunkIsFilledOrGivenUp) {
  for (const bool gives_up : {false, true}) {
    ChunkCache cache(10, 4, 2);
    std::optional<ChunkCache::Hold> filling(cache.find(5));
    State seen = State::kBusy;
    std::jthread other([&] { seen = cache.wait_for(5).state(); });
    if (!gives_up) filling->filled();
    filling.reset();
    other.join();
    EXPECT_EQ(seen, gives_up ? State::kToFill : State::kReady);
  }
}

TEST(ChunkCache, ForgetsChunksThatAreNotInUse) {
  ChunkCache cache(10, 4, 3);
  fill(cache, 1, 1);
  fill(cache, 2, 2);
  const auto used = cache.find(2);
  cache.forget();
  EXPECT_EQ(cache.find(1).state(), State::kToFill);
  EXPECT_EQ(cache.find(2).state(), State::kReady);
}

TEST(ChunkCache, KeepsNothingIfNothingFits) {
  ChunkCache cache(10, 4, 0);
  EXPECT_EQ(cache.find(1).state(), State::kFull);
}

}  // namespace
}  // namespace loadline
