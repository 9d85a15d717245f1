// The trials of several ranks combined into one.
#include "harness/result/rank_trials.h"

#include <gtest/gtest.h>

namespace loadline {
namespace {

Trial of_rank(std::size_t rank, double started_seconds, double wall_seconds) {
  Trial trial;
  trial.batches = 10;
  trial.samples = 100;
  trial.bytes = 1000;
  trial.wall_seconds = wall_seconds;
  trial.wait.total_seconds = wall_seconds / 2;
  trial.usage.user_cpu_seconds = 1;
  trial.stages = {{.name = "step", .hits = 10, .total_seconds = wall_seconds}};
  note_share(trial, rank, started_seconds);
  return trial;
}

Trial of_two() {
  return together({of_rank(0, 100.5, 2), of_rank(1, 100.25, 4)});
}

TEST(Together, HasAllSamplesInTheTimeOfTheSlowest) {
  const Trial all = of_two();
  EXPECT_EQ(all.samples, 200U);
  EXPECT_EQ(all.batches, 20U);
  EXPECT_EQ(all.bytes, 2000U);
  EXPECT_EQ(all.wall_seconds, 4);
  EXPECT_EQ(all.samples_per_second(), 50);
  EXPECT_EQ(all.wait.total_seconds, 1.5) << "the mean";
  EXPECT_EQ(all.usage.user_cpu_seconds, 2);
  EXPECT_EQ(all.rank_count(), 2U);
}

TEST(Together, SaysWhoEndsLastAndWhatThatCosts) {
  const Trial all = of_two();
  EXPECT_EQ(all.ranks->slowest(), 1U);
  EXPECT_EQ(all.ranks->held_share(), 0.4375) << "the other one waits for 1.75 s of 4";
  EXPECT_EQ(all.ranks->skew_seconds, 0.25);
  EXPECT_EQ(all.ranks->each[0].started_seconds, 0.25);
  EXPECT_EQ(all.ranks->each[1].started_seconds, 0);
}

// The rank that took longest used to be named.
TEST(Together, NamesARankThatEndsLastBecauseItStartedLate) {
  const Trial all = together({of_rank(0, 103, 1), of_rank(1, 100, 3)});
  EXPECT_EQ(all.ranks->slowest(), 0U);
  EXPECT_EQ(all.ranks->held_share(), 0.25) << "the other one waits for 1 s of 4";
}

TEST(Together, HasStagesThatMakeUpItsTime) {
  const Trial all = of_two();
  ASSERT_EQ(all.stages.size(), 2U);
  EXPECT_EQ(all.stages[0].total_seconds, 3);
  EXPECT_EQ(all.stages[1].name, kSlowestRank);
  EXPECT_EQ(all.stages[0].total_seconds + all.stages[1].total_seconds, all.wall_seconds);
}

TEST(Together, AddsUpTheRatesOfCeilings) {
  CeilingTrial slow;
  slow.amount = 100;
  slow.wall_seconds = 2;
  CeilingTrial quick;
  quick.amount = 100;
  quick.wall_seconds = 1;
  EXPECT_EQ(together({slow, quick}).per_second(), 150);
}

TEST(TextOfTrial, IsReadBack) {
  Trial read;
  const Trial sent = of_rank(3, 7, 2);
  read_trial(text_of_trial(sent), read);
  EXPECT_EQ(text_of_trial(read), text_of_trial(sent));
  EXPECT_EQ(read.ranks->each.front().rank, 3U);
  EXPECT_EQ(read.samples, sent.samples);
}

// Fills last as long as each rank needs: 100 samples in 1 s beside 200 in 2 s were 150 samples/s.
TEST(Together, AddsUpTheRatesOfFillsThatLastDifferently) {
  Trial first = of_rank(0, 0, 1);
  first.fill = Fill{.wall_seconds = 1, .batches = 10, .samples = 100};
  Trial second = of_rank(1, 0, 1);
  second.fill = Fill{.wall_seconds = 2, .batches = 20, .samples = 200};
  const Trial all = together(std::vector<Trial>{first, second});
  ASSERT_TRUE(all.fill);
  EXPECT_EQ(all.fill->wall_seconds, 2);
  EXPECT_EQ(all.fill->batches, 30U);
  EXPECT_EQ(all.fill->samples, 400U);
  second.fill.reset();
  EXPECT_FALSE(together(std::vector<Trial>{first, second}).fill);
}

}  // namespace
}  // namespace loadline
