#include "synthetic/compute/data_parallel.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "loaders/batch_pool.h"
#include "loaders/error.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;

// The time that one batch of 10 samples takes.
Time time_of_step(const DeviceModel& model, Time lateness = {}) {
  test::FakeClock clock;
  clock.set_lateness(lateness);
  BatchPool pool(1, 10, 100);
  const auto sink = make_device(model, {.clock = clock, .stop = {}});
  const Time begin = clock.now();
  for (int i = 0; i < 10; ++i) {
    Batch batch = pool.try_acquire();
    EXPECT_NE(batch, nullptr) << "a batch is given back by the call that got it";
    batch->count = 10;
    batch->sample_bytes = 100;
    sink->consume(std::move(batch));
  }
  return (clock.now() - begin) / 10;
}

std::string refusal_of(const std::string& compute) {
  try {
    (void)parse_compute(compute).memory_bytes({});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DataParallel, TakesTheTimeOfTheDeviceWithMostSamples) {
  EXPECT_EQ(time_of_step({.samples_per_second = 1000, .devices = 1, .deals_batches = true}), 10ms);
  EXPECT_EQ(time_of_step({.samples_per_second = 1000, .devices = 2, .deals_batches = true}), 5ms);
  EXPECT_EQ(time_of_step({.samples_per_second = 1000, .devices = 4, .deals_batches = true}), 3ms) << "3, 3, 3 and 1";
  EXPECT_EQ(time_of_step({.samples_per_second = 1000, .devices = 64, .deals_batches = true}), 1ms);
}

TEST(DataParallel, HasThePartsOfItsStepAsStages) {
  test::FakeClock clock;
  const auto sink =
      make_device({.samples_per_second = 1000, .devices = 4, .deals_batches = true}, {.clock = clock, .stop = {}});
  std::vector<std::string> names;
  for (const StageTime& stage : sink->stages()) names.emplace_back(stage.name);
  EXPECT_EQ(names, (std::vector<std::string>{"scatter", "replicate", "step", "gather"}));
}

TEST(DataParallel, KeepsMemoryForABatchAndForTheWeightsOfEachDevice) {
  const StepSetting setting{.sample = {.dtype = DType::kU8, .input = {3, 2, 2}}, .batch_size = 5};
  EXPECT_EQ(parse_compute("device:samples_per_second=9,devices=4,gradient_bytes=1000,mode=dp").memory_bytes(setting),
            4060U);
  EXPECT_EQ(parse_compute("device:samples_per_second=9,devices=4,mode=dp,copy_latency_seconds=0").held_batches(), 0U);
}

TEST(DataParallel, RefusesTimesForWorkThatIsReallyDone) {
  EXPECT_EQ(refusal_of("device:samples_per_second=9,mode=dp,copy_bytes_per_second=1e9"),
            "compute device: with mode=dp copies and sums are real and take their own time: leave out "
            "copy_bytes_per_second, copy_latency_seconds, reduce_bytes_per_second and reduce_latency_seconds");
  EXPECT_EQ(refusal_of("device:samples_per_second=9,mode=dp,ranks=2"),
            "compute device: with mode=dp one process has all devices: leave out ranks and bucket_bytes");
}

}  // namespace
}  // namespace loadline
