#include "bench/truth/slow_storage.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

TEST(SlowStorage, WithoutLimitsAnswersAtOnce) {
  SlowStorage storage({});
  EXPECT_EQ(storage.answers_at(5, 1, 1'000'000), 5);
}

TEST(SlowStorage, OverlapsTheLatenciesOfRequests) {
  SlowStorage storage({.latency = 0.25});
  EXPECT_EQ(storage.answers_at(5, 1, 1), 5.25);
  EXPECT_EQ(storage.answers_at(5, 1, 1), 5.25);
}

TEST(SlowStorage, GivesTheBytesOfAllClientsOneAfterTheOther) {
  SlowStorage storage({.bytes_per_second = 1000});
  EXPECT_EQ(storage.answers_at(5, 1, 500), 5.5);
  EXPECT_EQ(storage.answers_at(5, 2, 500), 6);
  EXPECT_EQ(storage.answers_at(9, 2, 500), 9.5) << "what was idle is not saved up";
}

TEST(SlowStorage, ServesSmallRequestsAtItsOperationsPerSecond) {
  SlowStorage storage({.bytes_per_second = 1000, .iops = 4});
  EXPECT_EQ(storage.answers_at(0, 1, 10), 0.25);
  EXPECT_EQ(storage.answers_at(0, 1, 500), 0.75) << "half a second of bytes";
}

TEST(SlowStorage, HoldsBackAClientWithoutHoldingBackOthers) {
  SlowStorage storage({.client_bytes_per_second = 1000, .client_iops = 8});
  EXPECT_EQ(storage.answers_at(0, 1, 500), 0.5);
  EXPECT_EQ(storage.answers_at(0, 1, 10), 0.625);
  EXPECT_EQ(storage.answers_at(0, 2, 500), 0.5);
}

}  // namespace
}  // namespace loadline
