// Sums over ranks that are threads: what the ranks get, and how sums end when a rank does not take part.
#include "harness/ranks/sums.h"

#include <gtest/gtest.h>

#include <array>
#include <latch>

#include "tests/harness/ranks/local_messages.h"

namespace loadline {
namespace {

TEST(RankSums, GiveAllRanksTheSumOfAll) {
  on_all(3, kPatient, [](Ranks& ranks, LocalWorld& /*world*/) {
    RankSums sums(ranks);
    for (int again = 0; again < 2; ++again) {
      const auto room = sums.meet(4);
      ASSERT_TRUE(room);
      EXPECT_EQ(std::vector<float>(room->begin(), room->end()), (std::vector<float>{0, 0, 0, 0}));
      for (float& value : *room) value = static_cast<float>(ranks.rank() + 1);
      sums.start(room->first(1));
      sums.start(room->subspan(1));
      EXPECT_TRUE(sums.wait());
      EXPECT_EQ(std::vector<float>(room->begin(), room->end()), (std::vector<float>{6, 6, 6, 6}));
    }
  });
}

TEST(RankSums, DoNotBeginWhereARankHasGoneOn) {
  on_all(3, kPatient, [](Ranks& ranks, LocalWorld& /*world*/) {
    RankSums sums(ranks);
    if (ranks.rank() != 1) {
      EXPECT_FALSE(sums.meet(4));
    }
    ranks.outer("", [](const std::vector<std::string>& /*parts*/) { return ""; });
  });
}

TEST(RankSums, RefuseDifferentNumbersOfGradients) {
  on_all(2, kPatient, [](Ranks& ranks, LocalWorld& /*world*/) {
    RankSums sums(ranks);
    EXPECT_EQ(failure_of([&] { sums.meet(ranks.is_first() ? 4 : 5); }),
              "cannot sum up gradients: rank 1 has 5 values and rank 0 has 4");
  });
}

TEST(RankSums, EndWithTheRunWhenARankIsLost) {
  std::latch all_there(2);
  on_all(2, {.silence_seconds = 0.5, .grace_seconds = 0.1}, [&](Ranks& ranks, LocalWorld& world) {
    RankSums sums(ranks);
    const auto room = sums.meet(4);
    all_there.arrive_and_wait();
    if (ranks.rank() == 1) return world.lose(1);
    sums.start(*room);
    EXPECT_FALSE(sums.wait());
    ASSERT_TRUE(ranks.failure());
    EXPECT_EQ(ranks.failure()->sentence, "rank 1 on host1 was silent for 0.5 s");
  });
}

TEST(RankSums, NameTheRankThatDoesNotTakePart) {
  std::latch told(2);
  on_all(2, {.silence_seconds = 0.5, .grace_seconds = 0.1}, [&](Ranks& ranks, LocalWorld& /*world*/) {
    RankSums sums(ranks);
    const auto room = sums.meet(4);
    if (ranks.rank() == 1) {
      sums.start(*room);
      EXPECT_FALSE(sums.wait());
      ASSERT_TRUE(ranks.failure());
      EXPECT_EQ(ranks.failure()->sentence,
                "rank 0 on host0 kept the others waiting for its gradients for more than 0.5 s");
    }
    told.arrive_and_wait();
  });
}

}  // namespace
}  // namespace loadline
