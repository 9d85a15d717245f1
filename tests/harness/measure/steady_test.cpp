#include "harness/measure/steady.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "loaders/batch_pool.h"
#include "tests/harness/measure/simulated_rig.h"
#include "tests/loaders/support/thrown.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;
using test::Behaviour;
using test::FakeClock;
using test::SimulatedRig;

constexpr Time kStep = 10ms;

Trial trial_of(Mode mode, const Behaviour& behaviour, const TrialOptions& options = {.length = Time(890ms)}) {
  FakeClock clock;
  const SimulatedRig rig(clock, mode, behaviour);
  return run_trial(rig, options, clock, {}).value();
}

// FULL over SYNTHETIC for a loader with this share of the compute's rate. Its queue is full after the first step.
double utilisation(double supply, const TrialOptions& options = {.length = Time(890ms)}) {
  const Behaviour behaviour{.service = Time(static_cast<Time::rep>(1e7 / supply)), .step = kStep, .first_step = 10s};
  return trial_of(Mode::kFull, behaviour, options).samples_per_second() /
         trial_of(Mode::kSynthetic, behaviour, options).samples_per_second();
}

Stretch stretch_of(std::uint64_t batches, Time wall, Time wait) {
  Stretch stretch{.wall = wall, .batches = batches};
  stretch.waits.add(wait);
  return stretch;
}

TEST(Steady, KnowsWhenTheQueueMovedTheRateByMoreThanOnePerCent) {
  EXPECT_FALSE(moved_by_queue(stretch_of(200, 1s, 0s), {.ready_at_start = 5, .ready_at_end = 4}));
  EXPECT_TRUE(moved_by_queue(stretch_of(199, 1s, 0s), {.ready_at_start = 5, .ready_at_end = 4}))
      << "which may be almost two batches";
  EXPECT_FALSE(moved_by_queue(stretch_of(3, 1s, 0s), {.ready_at_start = 5, .ready_at_end = 5}));
  EXPECT_FALSE(moved_by_queue(stretch_of(50, 1s, 0s), {.ready_at_start = 0, .ready_at_end = 17}))
      << "a queue that fills takes nothing from a compute that does not wait";
  EXPECT_TRUE(moved_by_queue(stretch_of(50, 1s, 100ms), {.ready_at_start = 0, .ready_at_end = 17}));
}

TEST(Steady, MeasuresALoaderThatIsSlowerEvenIfItsQueueIsFullAtFirst) {
  // 18 slots and 89 batches: over the first 89 steps the queue gives away 9 batches and never runs dry.
  EXPECT_NEAR(utilisation(0.90, {.length = Time(890ms), .warm_up_batches = 19}), 1.00, 1e-9)
      << "as it is with a warm-up that was asked for";
  for (const double supply : {0.5, 0.8, 0.90, 0.95, 0.97, 0.985, 0.995}) {
    EXPECT_NEAR(utilisation(supply) / supply, 1, 0.01) << supply;
  }
}

TEST(Steady, MeasuresTheSameByBatchesAsByTime) {
  EXPECT_NEAR(utilisation(0.90, {.length = Batches{89}}), 0.90, 0.009);
  const Behaviour behaviour{.service = Time(11'111us), .step = kStep, .first_step = 10s};
  EXPECT_EQ(trial_of(Mode::kFull, behaviour, {.length = Batches{89}}).batches, 89U);
}

TEST(Steady, DoesNotLengthenATrialWhoseLoaderKeepsUp) {
  const Trial trial = trial_of(Mode::kFull, {.service = 8ms, .step = kStep, .first_step = 10s});
  EXPECT_DOUBLE_EQ(trial.wall_seconds, 0.89);
  EXPECT_EQ(trial.warm_up_batches, 19U);
  ASSERT_TRUE(trial.queue.has_value());
  EXPECT_EQ(trial.queue->ready_at_start, trial.queue->ready_at_end);
  EXPECT_GE(trial.queue->ready_at_start, 16U);
}

TEST(Steady, WarmsUpUntilASlowLoaderHasSettled) {
  // 19 batches of 12 ms, and 18 more at a time until a second is over.
  const Behaviour behaviour{.service = 12ms, .settling = 1s, .step = kStep};
  EXPECT_EQ(trial_of(Mode::kFull, behaviour).warm_up_batches, 19U + 4 * 18);
  EXPECT_EQ(trial_of(Mode::kFull, behaviour, {.length = Time(890ms), .warm_up_batches = 19}).warm_up_batches, 19U);
  EXPECT_EQ(trial_of(Mode::kFull, {.service = 8ms, .settling = 1s, .step = kStep}).warm_up_batches, 19U)
      << "nobody waits for it";
  EXPECT_EQ(trial_of(Mode::kFull, {.service = 12ms, .settling = 1h, .step = kStep}).warm_up_batches, 19U + 7 * 18)
      << "twice the length of the trial";
}

TEST(Steady, StartsWithAnEmptyQueueHoweverLongTheComputeTakesToMake) {
  // The compute takes a second to make. If it were made after the feed, it would find the queue full.
  const Trial trial = trial_of(Mode::kFull, {.service = 11ms, .step = kStep, .making = 1s});
  ASSERT_TRUE(trial.queue.has_value());
  EXPECT_EQ(trial.queue->ready_at_start, 0U);
  EXPECT_EQ(trial.warm_up_batches, 19U);
  EXPECT_DOUBLE_EQ(trial.compute_setup_seconds, trial.setup_seconds);
}

TEST(Steady, EndsItsTrialsAfterAtMostFourLengths) {
  for (double supply = 0.80; supply < 1.2; supply += 0.01) {
    FakeClock clock;
    const Time begin = clock.now();
    const Behaviour behaviour{.service = Time(static_cast<Time::rep>(1e7 / supply)), .step = kStep, .first_step = 1s};
    const SimulatedRig rig(clock, Mode::kFull, behaviour);
    EXPECT_TRUE(run_trial(rig, {.length = Time(890ms)}, clock, {}).has_value());
    EXPECT_LT(clock.now() - begin, 1s + 25 * 13ms + 4 * 900ms) << supply;
  }
}

TEST(Steady, EndsAfterWholeRoundsOfWorkersIfThereIsTimeForTwo) {
  const Stretch before = stretch_of(100, 1s, 0s);  // 10 ms a batch
  EXPECT_EQ(round_of({.workers = 4}, before, Time(80ms)), 4U);
  EXPECT_EQ(round_of({.workers = 4}, before, Time(79ms)), 1U);
  EXPECT_EQ(round_of({.workers = 4}, before, Batches{50}), 1U) << "the number of batches was asked for";
  EXPECT_EQ(round_of({.workers = 1}, before, Time(1s)), 1U);
  EXPECT_EQ(round_of({.workers = 0}, before, Time(1s)), 1U);
  EXPECT_EQ(round_of({.workers = 4}, {}, Time(1s)), 1U) << "nothing is known of their pace";
}

TEST(Steady, EndsAfterWholeEpochsThatShowInTheBatchesIfTheyTakeAtMostTwiceItsTime) {
  const Stretch before = stretch_of(100, 1s, 0s);  // 10 ms a batch
  EXPECT_EQ(round_of({.epoch = 40}, before, Time(200ms)), 40U);
  EXPECT_EQ(round_of({.epoch = 41}, before, Time(200ms)), 1U);
  EXPECT_EQ(round_of({.epoch = 40}, before, Batches{50}), 1U) << "the number of batches was asked for";
  EXPECT_EQ(round_of({.workers = 4, .epoch = 6}, before, Time(200ms)), 12U);
  EXPECT_EQ(round_of({.workers = 4, .epoch = 23}, before, Time(200ms)), 23U) << "92 batches are too many";
  EXPECT_EQ(round_of({.workers = 9, .epoch = 4}, before, Time(180ms)), 36U);
  EXPECT_EQ(round_of({.workers = 9, .epoch = 4}, before, Time(179ms)), 4U) << "workers would want half of the part";
  EXPECT_EQ(round_of({.workers = 11, .epoch = 5}, before, Time(220ms)), 10U) << "55 batches are too many";
}

// A device that may launch steps ahead got credit for batches that it had not finished: 1.31 times its own rate.
TEST(Steady, CountsWhatADeviceFinishesIfTheLastBatchOfAnEpochIsSmaller) {
  for (const std::size_t depth : {0, 1, 2, 5}) {
    for (const std::size_t epoch : {2, 3, 7}) {
      const Trial trial =
          trial_of(Mode::kFull, {.service = 1ms, .step = 100ms, .depth = depth, .epoch = epoch, .last_samples = 2});
      EXPECT_NEAR(trial.samples_per_second(), 100, 1e-6) << depth << ' ' << epoch;
    }
  }
}

TEST(Steady, HasNoQueueIfTheFeedHasNone) {
  EXPECT_FALSE(trial_of(Mode::kSynthetic, {.step = kStep}).queue.has_value());
}

TEST(Steady, MeasuresWhatALoaderFillsForASinkThatReadsNothing) {
  // The drain takes 10 ms and the loader 4 ms, at the same time.
  const Trial trial = trial_of(Mode::kIo, {.service = 4ms, .step = kStep});
  EXPECT_NEAR(trial.samples_per_second(), 1000, 1e-6);
  ASSERT_TRUE(trial.fill.has_value());
  EXPECT_NEAR(trial.fill->samples_per_second(), 2500, 1);
  EXPECT_EQ(trial.batches, 89U) << "which counts no batch of it";
  EXPECT_NEAR(trial.fill->wall_seconds, 0.89, 0.01) << "as long as a trial of less than 100 batches";
}

// Makes batches on request, in 10 ms each, and takes 200 ms more for the first one of each pass.
class FeedOfPasses final : public Feed {
 public:
  FeedOfPasses(FakeClock& clock, std::uint64_t pass) : clock_(clock), pass_(pass) {}

  Batch next() override {
    if (made_ == pass_) {
      passes_ = {.ended = passes_.ended + 1, .batches = pass_};
      made_ = 0;
    }
    clock_.advance(made_++ == 0 ? 210ms : 10ms);
    Batch batch = pool_.try_acquire();
    batch->count = 1;
    return batch;
  }
  Passes passes() const override { return passes_; }
  void close() override {}

 private:
  FakeClock& clock_;
  const std::uint64_t pass_;
  std::uint64_t made_ = 0;
  Passes passes_;
  BatchPool pool_{2, 1, 8};
};

TEST(Steady, FillsWithinAPassOfALoaderThatBeginsEachAnew) {
  FakeClock clock;
  FeedOfPasses feed(clock, 64);
  const Stretch timed{.wall = 200ms, .batches = 20};
  const auto fill_after = [&](int batches) {
    for (int i = 0; i < batches; ++i) feed.next();
    return measure_fill(feed, timed, 4, Cycles{}, clock, {}).value();
  };
  EXPECT_EQ(fill_after(20).wall_seconds, 0.2) << "batches 24 to 44";
  EXPECT_EQ(fill_after(10).wall_seconds, 0.2) << "not batches 58 to 78, but those after";
}

TEST(Steady, FillsForAWholePassWhereThatIsShorter) {
  FakeClock clock;
  FeedOfPasses feed(clock, 8);
  const auto fill = measure_fill(feed, Stretch{.wall = 200ms, .batches = 20}, 4, Cycles{}, clock, {});
  EXPECT_EQ(fill->batches, 8U);
  EXPECT_EQ(fill->wall_seconds, 0.28);
}

TEST(Steady, FillsForHalfAsLongIfThatIsLongEnough) {
  EXPECT_DOUBLE_EQ(fill_share(20), 1);
  EXPECT_DOUBLE_EQ(fill_share(125), 0.8);
  EXPECT_DOUBLE_EQ(fill_share(200), 0.5);
  EXPECT_DOUBLE_EQ(fill_share(1e6), 0.5);
}

TEST(Steady, FillsOnlyAfterWarmIoAndOnlyOnRequest) {
  const Behaviour behaviour{.service = 4ms, .step = kStep};
  EXPECT_FALSE(trial_of(Mode::kFull, behaviour).fill.has_value());
  EXPECT_FALSE(trial_of(Mode::kSynthetic, behaviour).fill.has_value());
  EXPECT_FALSE(trial_of(Mode::kIo, behaviour, {.length = Time(890ms), .fill = false}).fill.has_value());
  FakeClock clock;
  SimulatedRig cold(clock, Mode::kIo, behaviour);
  cold.cell().cache = CacheState::kCold;
  EXPECT_FALSE(run_trial(cold, {.length = Time(890ms)}, clock, {})->fill.has_value());
}

TEST(Steady, EndsAColdTrialWithItsLastStep) {
  // The storage keeps up, so FULL cold takes as long as SYNTHETIC, however many steps are launched ahead.
  for (const std::size_t depth : {0U, 2U, 8U}) {
    const Behaviour behaviour{.step = 100ms, .depth = depth};
    FakeClock clock;
    SimulatedRig cold(clock, Mode::kFull, behaviour);
    cold.cell().cache = CacheState::kCold;
    const auto full = run_trial(cold, {.length = Batches{9}}, clock, {});
    EXPECT_DOUBLE_EQ(full->wall_seconds, 0.9) << depth;
    EXPECT_DOUBLE_EQ(full->samples_per_second(),
                     trial_of(Mode::kSynthetic, behaviour, {.length = Batches{9}}).samples_per_second());
    EXPECT_EQ(cold.finishes, 1);
  }
}

TEST(Steady, DoesNotWaitForStepsThatAWarmTrialHasLaunchedAhead) {
  FakeClock clock;
  const SimulatedRig warm(clock, Mode::kFull, {.step = 100ms, .depth = 2});
  EXPECT_DOUBLE_EQ(run_trial(warm, {.length = Batches{9}}, clock, {})->wall_seconds, 0.9);
  EXPECT_EQ(warm.finishes, 0) << "as many had been launched ahead when its clock started";
}

TEST(Steady, EndsAFirstEpochWithItsLastStepAndCountsFromTheMakingOfTheLoader) {
  FakeClock clock;
  const SimulatedRig rig(clock, Mode::kFull, {.step = 100ms, .making = 5s, .depth = 2, .epoch = 9});
  const auto epoch = run_first_epoch(rig, Time::max(), clock, {});
  ASSERT_TRUE(epoch.has_value());
  EXPECT_TRUE(epoch->complete);
  EXPECT_DOUBLE_EQ(epoch->wall_seconds, 0.9);
  EXPECT_DOUBLE_EQ(epoch->first_batch_seconds, 0);
}

double loader_seconds_in(WorkerStage stage, const LoaderStages& of_loader) {
  return std::ranges::find(of_loader.stages, stage, &LoaderStage::stage)->seconds.at(0);
}

TEST(Steady, KnowsWhatTheWorkersDidWhileTheClockRan) {
  // The compute takes a batch every 10 ms, which keeps the worker busy for 4 ms.
  const Trial full = trial_of(Mode::kFull, {.service = 4ms, .step = 10ms}, {.length = Batches{50}});
  EXPECT_DOUBLE_EQ(loader_seconds_in(WorkerStage::kTransform, *full.loader_stages), 0.2);
  EXPECT_DOUBLE_EQ(loader_seconds_in(WorkerStage::kSlotWait, *full.loader_stages), 0.3);
  EXPECT_DOUBLE_EQ(full.wall_seconds, 0.5);
  const Trial slow = trial_of(Mode::kFull, {.service = 20ms, .step = 10ms}, {.length = Batches{50}});
  EXPECT_DOUBLE_EQ(loader_seconds_in(WorkerStage::kTransform, *slow.loader_stages), 1);
  EXPECT_DOUBLE_EQ(slow.wall_seconds, 1);
}

TEST(Steady, KnowsWhatTheWorkersOfAColdTrialDidUpToItsLastStep) {
  FakeClock clock;
  SimulatedRig cold(clock, Mode::kFull, {.service = 40ms, .step = 100ms, .slots = 2, .depth = 2});
  cold.cell().cache = CacheState::kCold;
  const auto trial = run_trial(cold, {.length = Batches{9}}, clock, {});
  const double busy = loader_seconds_in(WorkerStage::kTransform, *trial->loader_stages);
  EXPECT_DOUBLE_EQ(busy + loader_seconds_in(WorkerStage::kSlotWait, *trial->loader_stages), trial->wall_seconds);
}

TEST(Steady, KnowsNothingAboutALoaderIfThereIsNone) {
  EXPECT_FALSE(trial_of(Mode::kSynthetic, {.step = kStep}).loader_stages.has_value());
}

TEST(Steady, RefusesATrialThatLeftOutAllSamples) {
  FakeClock clock;
  const Behaviour behaviour{
      .service = 1ms, .step = kStep, .samples = 0, .skipped = {{7, "a.jpg: no JPEG"}, {9, "b.jpg: no JPEG"}}};
  const test::Thrown refused = test::failed(
      "cannot measure simulated: none of the samples read can be decoded, so --on-corrupt skip left out all 2; the "
      "first: a.jpg: no JPEG");
  const SimulatedRig rig(clock, Mode::kIo, behaviour);
  EXPECT_EQ(test::thrown_by([&] { run_trial(rig, {.length = Time(1s)}, clock, {}); }), refused);
  EXPECT_EQ(test::thrown_by([&] { run_first_epoch(rig, Time(1s), clock, {}); }), refused);
}

}  // namespace
}  // namespace loadline
