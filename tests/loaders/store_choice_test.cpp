#include "loaders/store_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

using std::chrono::nanoseconds;

// Fills `batches` batches of 100 samples at these costs a sample, and says how each was written: c or s.
std::string fill(StoreChoice& choice, int batches, int cached_nanoseconds, int streaming_nanoseconds) {
  std::string written;
  for (int i = 0; i < batches; ++i) {
    const bool cached = choice.next() == Stores::kCached;
    choice.learn(nanoseconds(100 * (cached ? cached_nanoseconds : streaming_nanoseconds)), 100);
    written += cached ? 'c' : 's';
  }
  return written;
}

TEST(StoreChoice, StaysWithCachedStoresWhereTheyAreNoSlower) {
  StoreChoice choice({});
  EXPECT_EQ(fill(choice, 27, 300, 400), "ccccccccsccccccccccccccccsc");
}

TEST(StoreChoice, StaysWithCachedStoresThatAreSlowerByLittle) {
  StoreChoice choice({});
  EXPECT_EQ(fill(choice, 12, 140, 100), "ccccccccsccc");
}

TEST(StoreChoice, ChangesToStreamingStoresThatAreClearlyFaster) {
  StoreChoice choice({});
  EXPECT_EQ(fill(choice, 12, 1800, 400), "ccccccccssss");
}

TEST(StoreChoice, TriesCachedStoresAgainAfterALongTime) {
  StoreChoice choice({});
  fill(choice, 9, 1800, 400);
  EXPECT_EQ(fill(choice, 514, 1800, 400), std::string(512, 's') + "cs");
}

TEST(StoreChoice, ComesBackWhenTheThreadsHaveMovedTogether) {
  StoreChoice choice({});
  fill(choice, 9, 1800, 400);
  EXPECT_EQ(fill(choice, 515, 300, 400), std::string(512, 's') + "ccc");
}

TEST(StoreChoice, ChangesWhenTheThreadsHaveMovedApart) {
  StoreChoice choice({});
  fill(choice, 9, 300, 400);
  EXPECT_EQ(fill(choice, 19, 1800, 400), std::string(16, 'c') + "sss");
}

TEST(StoreChoice, KeepsToWhatIsAskedFor) {
  StoreChoice choice(Stores::kStreaming);
  EXPECT_EQ(fill(choice, 20, 300, 1800), std::string(20, 's'));
}

}  // namespace
}  // namespace loadline
