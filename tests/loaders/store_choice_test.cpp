#include "loaders/store_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline {
namespace {

using namespace std::chrono_literals;

// A feed of one worker, or of `workers`, with batches of 100 samples, on a clock of its own.
class Worker {
 public:
  explicit Worker(std::optional<Stores> fixed = {}, std::size_t workers = 1) : choice(fixed, workers, now_) {}

  // Writes for `length`, taking `cached` or `streaming` per batch. Returns how: "c120 s70" means 120 ms by cached
  // stores, then 70 ms by streaming ones.
  std::string write(std::chrono::milliseconds length, std::chrono::microseconds cached,
                    std::chrono::microseconds streaming) {
    std::string written;
    const StoreChoice::TimePoint end = now_ + length;
    while (now_ < end) {
      const Stores stores = choice.next();
      const StoreChoice::TimePoint begin = now_;
      while (now_ < end && choice.next() == stores) {
        now_ += stores == Stores::kCached ? cached : streaming;
        choice.learn(now_, 100);
      }
      const auto stay = std::chrono::duration_cast<std::chrono::milliseconds>(now_ - begin).count();
      written += (written.empty() ? "" : " ") + std::string(1, name(stores)[0]) + std::to_string(stay);
    }
    return written;
  }

 private:
  StoreChoice::TimePoint now_{};

 public:
  StoreChoice choice;
};

TEST(StoreChoice, StaysWithCachedStoresThatAreNoSlowerAndTriesTheOthersMoreAndMoreRarely) {
  Worker worker;
  EXPECT_EQ(worker.write(24s, 1ms, 1ms), "c120 s70 c3220 s70 c10020 s70 c10020 s70 c340");
}

TEST(StoreChoice, StaysWithCachedStoresThatAreSlightlySlower) {
  Worker worker;
  EXPECT_EQ(worker.write(1s, 1120us, 1ms).substr(0, 8), "c120 s70");
  EXPECT_EQ(worker.choice.next(), Stores::kCached);
}

TEST(StoreChoice, ChangesToStreamingStoresThatHaveBeenFasterTwice) {
  Worker worker;
  EXPECT_EQ(worker.write(1s, 1ms, 500us), "c120 s70 c70 s190 c70 s480");
}

TEST(StoreChoice, IgnoresOneTrialThatSomethingElseSlowed) {
  Worker worker;
  EXPECT_EQ(worker.write(191ms, 1500us, 1ms), "c121 s70");
  EXPECT_EQ(worker.write(500ms, 1ms, 1ms), "c70 s70 c360");
}

TEST(StoreChoice, TriesCachedStoresAgainEverySecond) {
  Worker worker;
  worker.write(520ms, 1ms, 500us);
  EXPECT_EQ(worker.write(3s, 1ms, 500us), "s1020 c70 s1020 c70 s820");
}

TEST(StoreChoice, ReturnsToCachedStoresThatHaveBecomeAsFast) {
  Worker worker;
  worker.write(520ms, 1ms, 500us);
  EXPECT_EQ(worker.write(3s, 1ms, 1ms), "s1020 c190 s70 c1720");
}

TEST(StoreChoice, SettlesOnceATrialHasConfirmedTheKindInUse) {
  Worker worker;
  worker.write(189ms, 1ms, 500us);
  EXPECT_TRUE(worker.choice.settling());
  worker.write(330ms, 1ms, 500us);
  EXPECT_EQ(worker.choice.next(), Stores::kCached) << "in the trial of those given up";
  EXPECT_TRUE(worker.choice.settling());
  worker.write(1ms, 1ms, 500us);
  EXPECT_FALSE(worker.choice.settling());
}

TEST(StoreChoice, CountsNineBatchesAndMoreWithMoreWorkersHoweverLongTheyTake) {
  Worker one;
  EXPECT_EQ(one.write(4s, 50ms, 50ms), "c900 s900 c2200");
  Worker four({}, 4);
  EXPECT_EQ(four.write(4s, 50ms, 50ms), "c1200 s1200 c1600");
}

TEST(StoreChoice, KeepsToTheRequestedStores) {
  Worker worker(Stores::kStreaming);
  EXPECT_EQ(worker.write(20s, 1ms, 2ms), "s20000");
  EXPECT_FALSE(worker.choice.settling());
}

}  // namespace
}  // namespace loadline
