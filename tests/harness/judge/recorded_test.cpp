#include "harness/judge/recorded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadline {
namespace {

using testing::HasSubstr;
using testing::Not;

// A job in which batch i waits wait(i) and steps step(i) milliseconds.
template <typename Wait, typename Step>
Recording job_of(std::size_t batches, Wait wait, Step step) {
  Recording job{.loader = "DataLoader", .workers = 1, .epochs = 1, .batches = batches};
  job.threads_in_force = 4;
  for (std::size_t i = 0; i < batches; ++i) {
    job.sequence.waits.emplace_back(std::chrono::milliseconds(wait(i)));
    job.sequence.steps.emplace_back(std::chrono::milliseconds(step(i)));
    job.wait.total_seconds += seconds(job.sequence.waits.back());
    job.step.total_seconds += seconds(job.sequence.steps.back());
  }
  return job;
}

Recording steady(std::size_t batches, int wait, int step) {
  return job_of(
      batches, [=](std::size_t) { return wait; }, [=](std::size_t) { return step; });
}

TEST(RecordedJob, GetsAdviceOnLoadingWhereItWaits) {
  const RecordedJudgement judgement = judge_recording(steady(100, 30, 70));
  EXPECT_EQ(judgement.bound, RecordedBound::kWaits);
  EXPECT_DOUBLE_EQ(judgement.stall->value, 0.3);
  EXPECT_EQ(judgement.sentence,
            "Waits for data: the loop waited 30.0 ± 0.0 % of the time for DataLoader with 1 worker; a loader that kept "
            "up would give 1.43 ± 0.00 times the throughput: raise the number of workers or use a faster loader.");
}

TEST(RecordedJob, GetsAdviceOnItsStepWhereItHardlyWaits) {
  const RecordedJudgement judgement = judge_recording(steady(100, 1, 99));
  EXPECT_EQ(judgement.bound, RecordedBound::kBusy);
  EXPECT_THAT(judgement.sentence, HasSubstr("Hardly waits for data: the loop waited 1.0 ± 0.0 % of the time"));
  EXPECT_THAT(judgement.sentence, HasSubstr("at most 1.1 % more throughput; make the step faster."));
}

TEST(RecordedJob, IsSplitIntoTenPartsOfTheSameTime) {
  const RecordedJudgement judgement = judge_recording(job_of(
      100, [](std::size_t i) { return i < 50 ? 50 : 0; }, [](std::size_t i) { return i < 50 ? 50 : 100; }));
  ASSERT_EQ(judgement.parts.size(), 10);
  for (const RecordedPart& part : judgement.parts) EXPECT_EQ(part.batches, 10);
  EXPECT_DOUBLE_EQ(judgement.parts.front().stall(), 0.5);
  EXPECT_DOUBLE_EQ(judgement.parts.back().stall(), 0);
}

TEST(RecordedJob, IsUnclearWhereWaitingComesAndGoes) {
  const RecordedJudgement judgement = judge_recording(job_of(
      100, [](std::size_t i) { return i < 10 ? 60 : 0; }, [](std::size_t i) { return i < 10 ? 40 : 100; }));
  EXPECT_EQ(judgement.bound, RecordedBound::kUnclear);
  EXPECT_THAT(judgement.sentence, HasSubstr("Too unsteady to say"));
}

TEST(RecordedJob, IsTooShortWithAFewBatches) {
  const RecordedJudgement judgement = judge_recording(steady(3, 30, 70));
  EXPECT_FALSE(judgement.stall->ci95.has_value());
  EXPECT_THAT(judgement.sentence, HasSubstr("Too short to say: the loop waited 30 % of the time"));
  EXPECT_THAT(judgement.sentence, HasSubstr("in only 3 batches"));
}

TEST(RecordedJob, HasNothingToJudgeWithoutBatches) {
  const RecordedJudgement judgement = judge_recording(Recording{});
  EXPECT_EQ(judgement.bound, RecordedBound::kEmpty);
  EXPECT_EQ(judgement.sentence, "Nothing to judge: no batch was recorded.");
}

TEST(RecordedJob, HasNothingToJudgeWhereAllTimesAreZero) {
  EXPECT_EQ(judge_recording(steady(5, 0, 0)).bound, RecordedBound::kEmpty);
}

TEST(RecordedJob, NamesWaitsAtTheStartsOfPasses) {
  Recording job = steady(100, 30, 70);
  EXPECT_THAT(judge_recording(job).sentence, Not(HasSubstr("before the first batch")));
  job.epoch_start_seconds = 1.5;
  job.epochs = 4;
  EXPECT_THAT(judge_recording(job).sentence,
              HasSubstr("50 % of the waiting came before the first batch of 4 passes: keep the workers from one pass "
                        "to the next (persistent_workers=True)."));
}

TEST(RecordedJob, GivesAnUpperBoundOnAnAccelerator) {
  Recording job = steady(100, 30, 70);
  job.asynchronous = true;
  EXPECT_THAT(judge_recording(job).sentence, HasSubstr("so the accelerator stalls for at most this share."));
}

}  // namespace
}  // namespace loadline
