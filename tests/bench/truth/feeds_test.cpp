#include "bench/truth/feeds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/truth/known.h"
#include "bench/truth/subjects.h"

namespace loadline::truth {
namespace {

constexpr std::uint64_t kBatches = 200'000;
constexpr double kStep = 1e-3;

// Calculates batches per second of FULL, IO or filling.
class KnownSystem : public testing::Test {
 protected:
  double batches_per_second(const Subject& subject, Mode mode, Sunk sunk = Sunk::kAsPlanned) {
    const Plan plan = plan_of(subject.options(1));
    Simulation simulation(subject.system, subject.noise, 1, 1, bed_);
    for (const Cell& cell : plan.cells) {
      if (cell.mode != mode) continue;
      const CellResult prepared = simulation.prepare(cell, 0);
      return long_run(subject.system, prepared, sunk, 1, 1, kBatches, 100, 7, bed_).rate / kBatchSize;
    }
    return 0;
  }

  Bed bed_;
};

Subject subject_of(Law law, double service_seconds, std::size_t workers, std::size_t prefetch) {
  Subject subject;
  subject.system.service = {.law = law, .mean_seconds = service_seconds, .variation = 0.5};
  subject.system.prefetch = prefetch;
  subject.workers = workers;
  subject.step_seconds = kStep;
  return subject;
}

TEST_F(KnownSystem, WithConstantTimesIsAsFastAsTheSlowerOfLoadingAndStep) {
  EXPECT_NEAR(batches_per_second(subject_of(Law::kConstant, 4e-3, 2, 4), Mode::kFull), 500, 0.1);
  EXPECT_NEAR(batches_per_second(subject_of(Law::kConstant, 4e-3, 8, 4), Mode::kFull), 1000, 0.1);
  EXPECT_NEAR(batches_per_second(subject_of(Law::kConstant, 4e-3, 8, 4), Mode::kIo), 2000, 0.1);
}

TEST_F(KnownSystem, FillsAtWorkersDividedByTheMeanServiceTimeUnderAnyLaw) {
  for (const Law law : {Law::kConstant, Law::kExponential, Law::kLogNormal, Law::kStalls}) {
    SCOPED_TRACE(name(law));
    const Subject subject = subject_of(law, 4e-3, 4, 230);
    EXPECT_NEAR(batches_per_second(subject, Mode::kIo, Sunk::kUnread), 1000, 10);
  }
}

// M/M/1 with room for K batches loses none, but its worker waits while the room is full. Its rate is the rate of the
// worker times 1 - P(full), with P(full) = (1 - r) r^K / (1 - r^(K + 1)) and r = a / s. Here the worker makes batches
// at a = 1250/s and a host takes them at s = 1000/s.
TEST_F(KnownSystem, WithExponentialTimesMatchesTheFiniteQueue) {
  Subject subject = subject_of(Law::kExponential, 0.8e-3, 1, 4);
  subject.system.device = false;
  subject.system.step.law = Law::kExponential;
  const double r = (1 / 0.8e-3) / (1 / kStep);
  // One slot with the worker, four more in the queue and one with the sink; the worker waits when none is free.
  const int room = 1 + 4 + 1;
  const double full = (1 - r) * std::pow(r, room) / (1 - std::pow(r, room + 1));
  EXPECT_NEAR(batches_per_second(subject, Mode::kFull), 1250 * (1 - full), 6);
}

TEST_F(KnownSystem, WithASerialLoaderAndAHostTakesTheSumOfBothTimes) {
  Subject subject = subject_of(Law::kConstant, 3e-3, 0, 0);
  subject.loader = "serial";
  subject.workers = 0;
  subject.system.device = false;
  EXPECT_NEAR(batches_per_second(subject, Mode::kFull), 250, 0.1);
  subject.system.device = true;
  EXPECT_NEAR(batches_per_second(subject, Mode::kFull), 1e3 / 3, 0.1) << "a device works beside its host";
  subject.system.drain_seconds = 1e-3;
  EXPECT_NEAR(batches_per_second(subject, Mode::kIo), 250, 0.1);
  EXPECT_NEAR(batches_per_second(subject, Mode::kIo, Sunk::kUnread), 1e3 / 3, 0.1);
}

TEST_F(KnownSystem, SlowsDownWhereItsPartsDisturbEachOther) {
  Subject subject = subject_of(Law::kConstant, 1e-3, 4, 4);
  subject.system.slowed_step = 0.25;
  EXPECT_NEAR(batches_per_second(subject, Mode::kFull), 800, 0.1);
  EXPECT_NEAR(batches_per_second(subject, Mode::kSynthetic), 1000, 0.1);
  subject.system.slowed_service = 4;
  EXPECT_NEAR(batches_per_second(subject, Mode::kFull), 800, 0.1);
  subject.system.slowed_service = 9;
  EXPECT_NEAR(batches_per_second(subject, Mode::kFull), 400, 0.1);
}

TEST(PipelineFeed, ReportsHowManyBatchesAreReady) {
  Bed bed;
  Draws draws(1);
  double served_seconds = 0;
  const Pipeline pipeline{.workers = 2, .slots = 5, .service = {.mean_seconds = 1}};
  PipelineFeed feed(pipeline, bed.clock, bed.slots, draws, served_seconds);
  feed.next();
  EXPECT_EQ(feed.ready(), 1U) << "two workers, one batch taken";
  bed.clock.pass(std::chrono::seconds(10));
  EXPECT_EQ(feed.ready(), 4U);
}

}  // namespace
}  // namespace loadline::truth
