#include "harness/measure/trial.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "tests/loaders/support/allocations.h"
#include "tests/loaders/support/datasets.h"
#include "tests/loaders/support/image_files.h"
#include "tests/loaders/support/thrown.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

using test::thrown_by;

constexpr std::size_t kSamples = 22;  // batches of 4: five whole ones and a short one
constexpr std::size_t kTrialSampleBytes = 16;

Cell cell_of(Mode mode, std::string loader = "serial", std::size_t workers = 0) {
  Cell cell{.workload = "mnist", .mode = mode, .data = "shards"};
  cell.classes = 10;
  cell.transform.dtype = DType::kU8;
  cell.kernels = "auto";
  cell.sampler.batch_size = 4;
  cell.compute = "drain";
  cell.workers = workers;
  if (uses_loader(mode)) cell.loader = std::move(loader);
  return cell;
}

// Takes some time to read what the process has used.
class SlowToRead final : public Rig {
 public:
  SlowToRead(const Rig& rig, Time reading, test::FakeClock& clock) : rig_(rig), reading_(reading), clock_(clock) {}

  const Cell& cell() const override { return rig_.cell(); }
  const SlotPlan& slots() const override { return rig_.slots(); }
  std::uint64_t batches_per_epoch() const override { return rig_.batches_per_epoch(); }
  std::unique_ptr<Sink> make_sink(Clock& clock, const std::stop_token& stop) const override {
    return rig_.make_sink(clock, stop);
  }
  std::unique_ptr<Feed> make_feed(std::uint64_t first_epoch) const override { return rig_.make_feed(first_epoch); }
  UsageReading usage() const override {
    clock_.advance(reading_);
    return rig_.usage();
  }

 private:
  const Rig& rig_;
  const Time reading_;
  test::FakeClock& clock_;
};

class TrialTest : public testing::Test {
 protected:
  Trial trial(const Cell& cell, const TrialOptions& options) {
    const CellRig rig(cell, *dataset_, std::nullopt);
    const auto trial = run_trial(rig, options, clock_, stop_.get_token());
    EXPECT_TRUE(trial.has_value());
    return trial.value_or(Trial());
  }

  std::unique_ptr<Dataset> dataset_ = test::patterned_dataset(kSamples);
  SteadyClock clock_;
  std::stop_source stop_;
};

TEST_F(TrialTest, CountsTheBatchesSamplesAndBytesOfALoader) {
  for (const Cell& cell : {cell_of(Mode::kIo), cell_of(Mode::kFull), cell_of(Mode::kIo, "thread-pool", 3)}) {
    SCOPED_TRACE(cell.name());
    // One batch comes first and one warms up. Then come four: three whole ones, and the short one that ends the epoch.
    const Trial result = trial(cell, {.length = Batches{4}, .warm_up_batches = 2});
    EXPECT_EQ(result.warm_up_batches, 2U);
    EXPECT_EQ(result.batches, 4U);
    EXPECT_EQ(result.samples, 14U);
    EXPECT_EQ(result.bytes, 14 * kTrialSampleBytes);
    EXPECT_GT(result.wall_seconds, 0);
    EXPECT_GE(result.wall_seconds, result.wait.total_seconds);
    EXPECT_GE(result.first_batch_seconds, result.setup_seconds);
    EXPECT_LE(result.wait.p50_seconds, result.wait.p99_seconds);
    EXPECT_GT(result.usage.peak_rss_bytes, 0U);
  }
}

// The trial looks at its workers right before it starts the clock and right after it stops it, so the time of a worker
// lies between the wall time and the time around the whole trial.
TEST_F(TrialTest, AccountsForTheTimeOfEveryWorker) {
  Cell cold = cell_of(Mode::kFull, "flow-graph", 2);
  cold.cache = CacheState::kCold;
  for (const Cell& cell : {cell_of(Mode::kIo), cell_of(Mode::kFull, "thread-pool", 3), cold}) {
    SCOPED_TRACE(cell.name());
    const auto before = std::chrono::steady_clock::now();
    const Trial result = trial(cell, {.length = Batches{6}});
    const std::chrono::duration<double> around = std::chrono::steady_clock::now() - before;
    ASSERT_TRUE(result.loader_stages.has_value());
    ASSERT_EQ(result.loader_stages->workers(), std::max<std::size_t>(1, cell.workers));
    for (std::size_t worker = 0; worker < result.loader_stages->workers(); ++worker) {
      double sum = 0;
      for (const LoaderStage& one : result.loader_stages->stages) sum += one.seconds[worker];
      EXPECT_GE(sum, result.wall_seconds - 1e-9);
      EXPECT_LE(sum, around.count());
    }
  }
  EXPECT_FALSE(trial(cell_of(Mode::kSynthetic), {.length = Batches{6}}).loader_stages.has_value());
}

TEST_F(TrialTest, HasNoShortBatchIfBatchesAreResident) {
  const Trial result = trial(cell_of(Mode::kSynthetic), {.length = Batches{40}});
  EXPECT_EQ(result.samples, 160U);
}

TEST_F(TrialTest, HasALengthOfItsOwnForOverhead) {
  EXPECT_EQ(trial(cell_of(Mode::kOverhead), {.length = Batches{1}}).batches, 100'000U);
}

TEST_F(TrialTest, WarmsUpOverAllSlotsUnlessToldOtherwise) {
  Cell cell = cell_of(Mode::kIo, "thread-pool", 3);
  cell.prefetch = 5;
  const CellRig rig(cell, *dataset_, std::nullopt);
  EXPECT_EQ(rig.slots().prefetch, 5U);
  EXPECT_EQ(rig.slots().slots, 9U);  // workers, prefetch, and one in the consumer's hand
  EXPECT_EQ(rig.slots().slot_bytes, 4 * kTrialSampleBytes);
  EXPECT_GE(trial(cell, {.length = Batches{1}}).warm_up_batches, 10U) << "more where its one batch is timed again";
  EXPECT_EQ(trial(cell, {.length = Batches{1}, .warm_up_batches = 0}).warm_up_batches, 1U)
      << "the first one cannot be left out";
  EXPECT_EQ(trial(cell_of(Mode::kSynthetic), {.length = Batches{1}}).warm_up_batches, 1U);
}

TEST_F(TrialTest, HasSlotsForTheBatchesThatTheComputeHolds) {
  Cell cell = cell_of(Mode::kFull);
  const std::size_t without = CellRig(cell, *dataset_, std::nullopt).slots().slots;
  cell.compute = "device:samples_per_second=1e9,copy_bytes_per_second=1e9,depth=3";
  const CellRig rig(cell, *dataset_, std::nullopt);
  EXPECT_GT(rig.slots().held_batches, 0U);
  EXPECT_EQ(rig.slots().slots, without + rig.slots().held_batches);
  EXPECT_EQ(trial(cell, {.length = Batches{50}}).batches, 50U);
}

TEST_F(TrialTest, IsAWholeNumberOfRoundsOfTheComputesDevices) {
  Cell cell = cell_of(Mode::kFull);
  cell.compute = "device:samples_per_second=1e9,devices=3";
  EXPECT_EQ(trial(cell, {.length = Batches{50}}).batches, 51U);
  EXPECT_EQ(trial(cell, {.length = Time(1)}).batches, 3U);
}

TEST_F(TrialTest, SaysWhatItsHostWaitedFor) {
  Cell cell = cell_of(Mode::kSynthetic);
  cell.compute = "device:samples_per_second=1e5,copy_bytes_per_second=1e9,overlap=off";
  const Trial result = trial(cell, {.length = Batches{5}});
  ASSERT_EQ(result.stages.size(), 4U);
  EXPECT_EQ(result.stages[1].name, "copy");
  EXPECT_EQ(result.stages[2].name, "step");
  EXPECT_GT(result.stages[1].total_seconds + result.stages[2].total_seconds, 0);
}

TEST_F(TrialTest, CountsNoStepsLaunchedAheadAtItsEnds) {
  Cell cell = cell_of(Mode::kSynthetic);
  cell.compute = "device:samples_per_second=1000,depth=8";  // 4 ms a step
  const CellRig rig(cell, *dataset_, std::nullopt);
  test::FakeClock clock;
  const auto result = run_trial(rig, {.length = Batches{3}, .warm_up_batches = 2}, clock, stop_.get_token());
  ASSERT_TRUE(result.has_value());
  EXPECT_DOUBLE_EQ(result->wall_seconds, 0.012) << "of three steps, however many more are launched";
  double sum = 0;
  for (const StageSummary& stage : result->stages) {
    EXPECT_GE(stage.total_seconds, 0) << stage.name;
    sum += stage.total_seconds;
  }
  EXPECT_NEAR(sum, result->wall_seconds, 1e-6);
}

TEST_F(TrialTest, CountsNoStepThatGoesOnWhileTheUsageIsRead) {
  for (const char* depth : {"0", "1", "8"}) {
    Cell cell = cell_of(Mode::kSynthetic);
    cell.compute = fmt::format("device:samples_per_second=1000,depth={}", depth);  // 4 ms a step
    const CellRig rig(cell, *dataset_, std::nullopt);
    for (const int milliseconds : {0, 1, 3, 50}) {
      test::FakeClock clock;
      const SlowToRead slow(rig, std::chrono::milliseconds(milliseconds), clock);
      const auto result = run_trial(slow, {.length = Batches{3}, .warm_up_batches = 2}, clock, stop_.get_token());
      ASSERT_TRUE(result.has_value());
      EXPECT_DOUBLE_EQ(result->wall_seconds, 0.012) << "depth " << depth << ", " << milliseconds << " ms a reading";
    }
  }
}

TEST_F(TrialTest, CountsAColdCellFromTheFirstBatchToTheEndOfTheEpoch) {
  for (Cell cell : {cell_of(Mode::kIo), cell_of(Mode::kFull), cell_of(Mode::kIo, "thread-pool", 3)}) {
    SCOPED_TRACE(cell.name());
    cell.cache = CacheState::kCold;
    const Trial whole = trial(cell, {.length = Batches{50}, .warm_up_batches = 2});
    EXPECT_EQ(whole.warm_up_batches, 0U);
    EXPECT_EQ(whole.batches, 6U);
    EXPECT_EQ(whole.samples, kSamples);
    EXPECT_GE(whole.first_batch_seconds, whole.setup_seconds);
    EXPECT_EQ(trial(cell, {.length = Batches{4}}).batches, 4U);
    EXPECT_EQ(trial(cell, {.length = Time(1)}).batches, 1U);
  }
  Cell synthetic = cell_of(Mode::kSynthetic);
  synthetic.cache = CacheState::kCold;
  EXPECT_EQ(trial(synthetic, {.length = Batches{50}}).batches, 50U) << "which reads no file";
}

TEST_F(TrialTest, IsAWholeNumberOfRoundsWithinTheEpochOfAColdCell) {
  Cell cell = cell_of(Mode::kFull);
  cell.cache = CacheState::kCold;
  cell.compute = "device:samples_per_second=1e9,devices=4";
  EXPECT_EQ(trial(cell, {.length = Batches{50}}).batches, 4U);
  cell.compute = "device:samples_per_second=1e9,devices=7";
  EXPECT_EQ(trial(cell, {.length = Batches{50}}).batches, 7U) << "unless there is none";
}

TEST_F(TrialTest, EndsWithoutAResultWhenStopped) {
  const Cell cell = cell_of(Mode::kIo, "thread-pool", 2);
  const CellRig rig(cell, *dataset_, std::nullopt);
  stop_.request_stop();
  EXPECT_EQ(run_trial(rig, {.length = Batches{4}}, clock_, stop_.get_token()).has_value(), false);
  EXPECT_EQ(run_first_epoch(rig, Time::max(), clock_, stop_.get_token()).has_value(), false);
}

TEST_F(TrialTest, ThrowsWhatTheLoaderThrows) {
  const test::FailingDataset failing(*dataset_, 9);
  for (const Cell& cell : {cell_of(Mode::kIo), cell_of(Mode::kIo, "thread-pool", 2)}) {
    const CellRig rig(cell, failing, std::nullopt);
    EXPECT_EQ(thrown_by([&] { run_trial(rig, {.length = Batches{12}}, clock_, stop_.get_token()); }),
              test::failed(test::FailingDataset::message(9)));
  }
}

TEST_F(TrialTest, FirstEpochIsCompleteWhenItsTimeSuffices) {
  for (const Cell& cell : {cell_of(Mode::kIo), cell_of(Mode::kFull, "thread-pool", 2)}) {
    const CellRig rig(cell, *dataset_, std::nullopt);
    const auto epoch = run_first_epoch(rig, Time::max(), clock_, stop_.get_token());
    ASSERT_TRUE(epoch.has_value());
    EXPECT_TRUE(epoch->complete);
    EXPECT_EQ(epoch->batches, 6U);
    EXPECT_EQ(epoch->samples, kSamples);
    EXPECT_GE(epoch->wall_seconds, epoch->first_batch_seconds);
  }
}

TEST_F(TrialTest, FirstEpochIsIncompleteWhenItsTimeRunsOut) {
  const Cell cell = cell_of(Mode::kIo);
  const CellRig rig(cell, *dataset_, std::nullopt);
  const auto epoch = run_first_epoch(rig, Time(0), clock_, stop_.get_token());
  ASSERT_TRUE(epoch.has_value());
  EXPECT_FALSE(epoch->complete);
  EXPECT_EQ(epoch->batches, 1U);
}

TEST_F(TrialTest, FirstEpochOfOneBatchIsComplete) {
  Cell cell = cell_of(Mode::kIo);
  cell.sampler.batch_size = kSamples;
  const CellRig rig(cell, *dataset_, std::nullopt);
  const auto epoch = run_first_epoch(rig, Time(0), clock_, stop_.get_token());
  ASSERT_TRUE(epoch.has_value());
  EXPECT_TRUE(epoch->complete);
}

TEST_F(TrialTest, AllocatesNothingWhileTheClockRuns) {
  const auto allocations_of = [&](const Cell& cell, std::size_t batches) {
    const std::size_t before = test::allocations_so_far();
    trial(cell, {.length = Batches{batches}, .warm_up_batches = 20});
    return test::allocations_so_far() - before;
  };
  Cell full = cell_of(Mode::kFull, "thread-pool", 2);
  full.compute = "device:samples_per_second=1e9,copy_bytes_per_second=1e9,depth=2";
  for (const Cell& cell : {cell_of(Mode::kIo), cell_of(Mode::kIo, "thread-pool", 2), full}) {
    SCOPED_TRACE(cell.name());
    allocations_of(cell, 1);  // allocates what is allocated once per process
    const std::size_t of_a_short_trial = allocations_of(cell, 10);
    // The system's text about threads is longer after a longer trial. It is read outside the clock.
    constexpr std::size_t kLongerTexts = 20;
    EXPECT_LE(allocations_of(cell, 1000), of_a_short_trial + kLongerTexts);
  }
}

TEST_F(TrialTest, FailsIfAFileShrinksWithinItsLastPage) {
  const test::TemporaryDirectory home;
  const auto path = test::write(home / "data_batch_1.bin", '\7' + test::cifar_image(1));
  const auto dataset = open_dataset(path, {});
  Cell cell = cell_of(Mode::kIo);
  cell.workload = "cifar10";
  cell.sampler.batch_size = 1;
  const CellRig rig(cell, *dataset, std::nullopt);
  std::filesystem::resize_file(path, 3072);
  EXPECT_EQ(thrown_by([&] { run_trial(rig, {.length = Batches{4}}, clock_, stop_.get_token()); }),
            test::failed("cannot read " + path.string() + ": it was truncated from 3073 to 3072 bytes while in use"));
}

}  // namespace
}  // namespace loadline
