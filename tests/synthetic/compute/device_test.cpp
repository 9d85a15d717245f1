#include "synthetic/compute/device.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "loaders/batch_pool.h"
#include "synthetic/compute/step_log.h"
#include "tests/support/fake_clock.h"
#include "tests/synthetic/compute/device_host.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;
using test::Host;
using test::kBatchSize;
using test::kSampleBytes;

// The time of 100 steps of 10 ms, whose waits end `lateness` late on a timer that by itself is `timer` late.
Time of_100_steps(Time timer, Time lateness) {
  Host host({.samples_per_second = 6'400, .depth = 0}, timer);
  host.clock.set_lateness(lateness);
  host.launch();
  const Time start = host.clock.now();
  for (int i = 0; i < 100; ++i) host.launch();
  return host.clock.now() - start;
}

TEST(Device, ForgivesTheLatenessOfItsTimerAndNoMore) {
  EXPECT_EQ(of_100_steps(60us, 60us), 100 * 10ms);
  EXPECT_EQ(of_100_steps(60us, 20us), 100 * 10ms);
  EXPECT_EQ(of_100_steps(60us, 560us), 100 * (10ms + 500us)) << "the rest is contention";
  EXPECT_EQ(of_100_steps(0us, 900us), 100 * (10ms + 900us));
}

TEST(Device, ForgivesAtMostAMillisecond) {
  EXPECT_EQ(of_100_steps(5ms, 5ms), 100 * (10ms + 5ms - 1ms));
}

TEST(Device, ReturnsAtOnceFromItsFirstLaunchesUpToItsDepth) {
  Host host({.samples_per_second = 64, .depth = 3});  // 1 s a step
  EXPECT_EQ(host.device().batches_to_steady_state(), 4U);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.launch(), 1s);
  EXPECT_EQ(host.launch(), 1s);
  host.clock.advance(1500ms);
  EXPECT_EQ(host.launch(), 0s);     // with this one, two and a half steps remain
  EXPECT_EQ(host.launch(), 500ms);  // until the older of those two has ended
}

TEST(Device, FinishesWhenEverythingItLaunchedHasEnded) {
  Host host({.samples_per_second = 64, .copy_bytes_per_second = 64'000, .depth = 3}, 32);  // 1 s a step, 0.1 s a copy
  EXPECT_EQ(host.finish(), 0s) << "nothing was launched";
  for (int i = 0; i < 3; ++i) host.launch();
  EXPECT_EQ(host.finish(), 3s + 100ms);
  EXPECT_EQ(host.held(), 0U);
  EXPECT_EQ(host.finish(), 0s);
  EXPECT_EQ(host.launch(), 0s) << "it is used again";
}

TEST(Device, FinishesWithTheLastOfItsDevicesAndTheirGradients) {
  Host host({.samples_per_second = 64,
             .depth = 2,
             .devices = 2,
             .gradient_bytes = 1e6,
             .reduce_bytes_per_second = 1e6});  // 1 s a step, 1 s an all-reduce
  for (int i = 0; i < 2; ++i) host.launch();
  EXPECT_EQ(host.finish(), 2s);
}

TEST(Device, RunsDownToTheLastStepOfEachDevice) {
  Host one({.samples_per_second = 64, .depth = 3});  // 1 s a step
  EXPECT_EQ(one.run_down(), 0s) << "nothing was launched";
  for (int i = 0; i < 3; ++i) one.launch();
  EXPECT_EQ(one.run_down(), 2s);
  EXPECT_EQ(one.run_down(), 0s);
  EXPECT_EQ(one.finish(), 1s);
  Host two({.samples_per_second = 64, .depth = 2, .devices = 2});
  for (int i = 0; i < 4; ++i) two.launch();
  EXPECT_EQ(two.run_down(), 1s);
}

TEST(Device, StandsStillFromRunningDownUntilItIsResumed) {
  Host host({.samples_per_second = 64, .depth = 2});  // 1 s a step
  for (int i = 0; i < 2; ++i) host.launch();
  EXPECT_EQ(host.run_down(), 1s);
  host.clock.advance(10s);
  host.resume();
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.finish(), 2s) << "the step that was under way, and the one launched since";
  EXPECT_EQ(host.launch(), 0s);
  host.clock.advance(400ms);
  EXPECT_EQ(host.run_down(), 0s);
  host.clock.advance(10s);
  host.resume();
  EXPECT_EQ(host.finish(), 600ms) << "it had been under way for 400 ms";
  EXPECT_EQ(host.run_down(), 0s);
  host.clock.advance(10s);
  host.resume();
  EXPECT_EQ(host.finish(), 0s) << "nothing was under way";
}

TEST(Device, StandsStillWithTheCopiesOfItsDevices) {
  Host host({.samples_per_second = 64, .copy_bytes_per_second = 3'200, .depth = 1, .devices = 2});  // copies take 2 s
  for (int i = 0; i < 2; ++i) host.launch();
  EXPECT_EQ(host.run_down(), 0s);
  host.clock.advance(10s);
  host.resume();
  EXPECT_EQ(host.held(), 2U);
  EXPECT_EQ(host.finish(), 3s);
  EXPECT_EQ(host.held(), 0U);
}

TEST(Device, TakesLessTimeForAShortBatch) {
  Host host({.samples_per_second = 1000, .depth = 0});
  EXPECT_EQ(host.launch(64), 64ms);
  EXPECT_EQ(host.launch(1), 1ms);
  EXPECT_EQ(host.launch(0), 0ms);
  EXPECT_EQ(host.launch(63), 63ms);
}

TEST(Device, WaitsDaysForAStepLongerThanTimeCanCount) {
  for (const double copy_bytes_per_second : {1e-300, 5e-324}) {
    Host host({.samples_per_second = 1000, .copy_bytes_per_second = copy_bytes_per_second, .depth = 0});
    EXPECT_GT(host.launch(), 24h);
    EXPECT_GT(host.launch(), 24h);
  }
  Host ahead({.samples_per_second = 1000, .copy_bytes_per_second = 1e-300, .depth = 4096}, 4097);
  for (int i = 0; i < 4096; ++i) EXPECT_EQ(ahead.launch(), 0h);
  EXPECT_GT(ahead.launch(), 24h);
}

TEST(Device, CopiesAndStepsInTurnAtDepthZero) {
  Host host({.samples_per_second = 1000, .copy_bytes_per_second = 100'000, .depth = 0});
  EXPECT_EQ(host.launch(), 128ms);
  EXPECT_EQ(host.launch(), 128ms);
  EXPECT_EQ(host.launch(10), 20ms);
}

TEST(Device, DealsBatchesToItsDevicesInTurn) {
  Host host({.samples_per_second = 64, .depth = 1, .devices = 2});  // 1 s a step
  EXPECT_EQ(host.device().batches_to_steady_state(), 4U);
  EXPECT_EQ(host.device().batches_per_round(), 2U);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.launch(), 1s);  // until the first step of the first device ends
  EXPECT_EQ(host.launch(), 0s);  // the step of the second device has ended with it
  EXPECT_EQ(host.launch(), 1s);
  EXPECT_EQ(host.launch(), 0s);
}

TEST(Device, LetsAShortBatchOnOneDeviceEndBeforeALongOneOnAnother) {
  Host host({.samples_per_second = 1000, .depth = 0, .devices = 2});
  EXPECT_EQ(host.launch(64), 0ms);
  EXPECT_EQ(host.launch(10), 64ms);
  EXPECT_EQ(host.launch(64), 0ms);
  EXPECT_EQ(host.launch(10), 64ms);
}

TEST(Device, LetsNoDeviceContinueBeforeAllGradientsAreSummed) {
  Host host({.samples_per_second = 1000,
             .depth = 0,
             .devices = 2,
             .gradient_bytes = 1e6,
             .reduce_bytes_per_second = 1e8,
             .reduce_latency_seconds = 0.003});
  EXPECT_EQ(host.launch(10), 0ms);
  EXPECT_EQ(host.launch(64), 80ms);  // the longer step and 16 ms
  EXPECT_EQ(host.launch(64), 0ms);
  EXPECT_EQ(host.launch(10), 80ms);
}

TEST(Device, SumsInARingOfAllDevicesOfAllRanks) {
  DeviceModel model{.gradient_bytes = 1e9, .reduce_bytes_per_second = 1e10, .reduce_latency_seconds = 1e-5};
  EXPECT_DOUBLE_EQ(all_reduce_seconds(model), 0) << "one device alone has nobody to wait for";
  model.devices = 2;
  EXPECT_DOUBLE_EQ(all_reduce_seconds(model), 2 * 1e-5 + 0.1);
  model.devices = 8;
  EXPECT_DOUBLE_EQ(all_reduce_seconds(model), 14 * 1e-5 + 0.175);
  model.ranks = 16;
  EXPECT_DOUBLE_EQ(all_reduce_seconds(model), 254 * 1e-5 + 0.1984375);
  model.reduce_bytes_per_second = 0;
  EXPECT_DOUBLE_EQ(all_reduce_seconds(model), 254 * 1e-5);
  model.gradient_bytes = 0;
  EXPECT_DOUBLE_EQ(all_reduce_seconds(model), 0);
}

TEST(Device, ReportsWhatItsHostWaitedFor) {
  Host host({.samples_per_second = 1000, .copy_bytes_per_second = 400'000, .overlap = false, .depth = 1});
  const auto stages = host.device().stages();
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].name, "copy");
  EXPECT_EQ(stages[1].name, "step");
  EXPECT_EQ(stages[0].hits + stages[1].hits, 0U);
  host.launch();
  EXPECT_EQ(stages[0].hits, 1U);
  EXPECT_EQ(stages[0].total, 16ms);
  EXPECT_EQ(stages[1].hits, 0U);
  host.launch();  // 16 ms for the copy, and the remaining 48 ms of the first step
  EXPECT_EQ(stages[0].hits, 2U);
  EXPECT_EQ(stages[0].total, 32ms);
  EXPECT_EQ(stages[1].hits, 1U);
  EXPECT_EQ(stages[1].total, 48ms);
}

TEST(Device, DoesNotWaitForCopiesBehindSteps) {
  Host host({.samples_per_second = 1000, .copy_bytes_per_second = 400'000, .depth = 0}, 1ms);
  host.launch();
  EXPECT_EQ(host.device().stages()[0].hits, 0U);
  EXPECT_EQ(host.device().stages()[1].hits, 1U);
  EXPECT_EQ(host.device().stages()[1].total, 81ms) << "as long as it was by the clock";
}

TEST(Device, KeepsNoBatchItDoesNotCopy) {
  for (const std::size_t depth : {0U, 1U, 8U}) {
    const DeviceModel model{.samples_per_second = 1, .depth = depth};
    EXPECT_EQ(most_held_batches(model), 0U);
    Host host(model);
    for (int i = 0; i < 20; ++i) {
      host.launch();
      EXPECT_EQ(host.held(), 0U) << "depth " << depth;
    }
  }
}

TEST(Device, KeepsABatchUntilItsCopyHasEnded) {
  Host host({.samples_per_second = 6.4, .copy_bytes_per_second = 6'400, .depth = 2});  // step 10 s, copy 1 s
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.held(), 1U);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.held(), 2U);
  EXPECT_EQ(host.launch(), 11s);  // until the first step ends; all three copies ended long before
  EXPECT_EQ(host.held(), 0U);
  EXPECT_EQ(host.launch(), 10s);
  EXPECT_EQ(host.held(), 0U);
}

TEST(Device, ReturnsABatchWhoseCopyEndedBetweenTwoLaunches) {
  Host host({.samples_per_second = 6.4, .copy_bytes_per_second = 6'400, .depth = 2});
  host.launch();
  host.clock.advance(999ms);
  host.launch();
  EXPECT_EQ(host.held(), 2U);
  host.clock.advance(1ms);
  host.launch(0);  // nothing to copy
  EXPECT_LE(host.held(), 1U);
}

TEST(Device, KeepsABatchForEachLaunchAhead) {
  EXPECT_EQ(most_held_batches({.copy_bytes_per_second = 1, .depth = 0}), 0U);
  EXPECT_EQ(most_held_batches({.copy_bytes_per_second = 1, .depth = 2}), 2U);
  EXPECT_EQ(most_held_batches({.copy_latency_seconds = 1, .depth = 2}), 2U);
  EXPECT_EQ(most_held_batches({.copy_bytes_per_second = 1, .depth = 0, .devices = 3}), 2U);
  EXPECT_EQ(most_held_batches({.copy_bytes_per_second = 1, .depth = 2, .devices = 3}), 8U);
  EXPECT_EQ(most_held_batches({.copy_bytes_per_second = 1, .overlap = false, .depth = 2, .devices = 3}), 0U);
}

TEST(Device, NeverKeepsMoreBatchesThanItAnnounced) {
  for (const std::size_t devices : {1U, 3U}) {
    for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
      for (const double copy_bytes_per_second : {1'000.0, 100'000.0, 1e9}) {
        for (const Time lateness : {0us, 60us, 5000us}) {
          const DeviceModel model{.samples_per_second = 1000,
                                  .copy_bytes_per_second = copy_bytes_per_second,
                                  .depth = depth,
                                  .devices = devices};
          Host host(model, lateness);
          for (int i = 0; i < 200; ++i) {
            host.clock.advance(1ms * (i * 37 % 101));
            host.launch(1 + static_cast<std::size_t>(i) % kBatchSize);
            ASSERT_LE(host.held(), most_held_batches(model))
                << "launch " << i << ", copies at " << copy_bytes_per_second << " bytes/s";
          }
        }
      }
    }
  }
}

TEST(Device, RunsWithOneSlotMoreThanItAnnounced) {
  for (const std::size_t devices : {1U, 2U, 5U}) {
    for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
      for (const bool overlap : {true, false}) {
        const DeviceModel model{.samples_per_second = 1000,
                                .copy_bytes_per_second = 50'000,
                                .overlap = overlap,
                                .depth = depth,
                                .devices = devices};
        Host host(model, most_held_batches(model) + 1);
        for (int i = 0; i < 200; ++i) host.launch();
      }
    }
  }
}

TEST(Device, ReturnsItsBatchesWhenDestroyed) {
  test::FakeClock clock;
  BatchPool pool(2, kBatchSize, kSampleBytes);
  auto device = make_device({.samples_per_second = 1, .copy_bytes_per_second = 1}, {.clock = clock, .stop = {}});
  for (Batch batch; (batch = pool.try_acquire());) {
    batch->count = kBatchSize;
    device->consume(std::move(batch));
  }
  device.reset();
  EXPECT_NE(pool.try_acquire(), nullptr);
}

TEST(Device, EndsItsWaitWhenStopped) {
  for (const Busy busy : {Busy::kNone, Busy::kCpu, Busy::kMemory}) {
    SteadyClock clock;
    std::stop_source source;
    BatchPool pool(1, kBatchSize, kSampleBytes);
    const auto device = make_device({.samples_per_second = 0.001, .depth = 0, .busy = busy},
                                    {.clock = clock, .stop = source.get_token()});
    const std::jthread other([&source] { source.request_stop(); });
    Batch batch = pool.acquire();
    batch->count = kBatchSize;
    const Time before = clock.now();
    device->consume(std::move(batch));  // a step of 17 hours
    EXPECT_LT(clock.now() - before, 1h);
  }
}

TEST(Device, DoesNotWaitOnceStopped) {
  test::FakeClock clock;
  std::stop_source source;
  source.request_stop();
  BatchPool pool(1, kBatchSize, kSampleBytes);
  const auto device = make_device({.samples_per_second = 1, .depth = 0}, {.clock = clock, .stop = source.get_token()});
  const Time before = clock.now();
  for (int i = 0; i < 3; ++i) {
    Batch batch = pool.try_acquire();
    ASSERT_NE(batch, nullptr);
    batch->count = kBatchSize;
    device->consume(std::move(batch));
  }
  EXPECT_EQ(clock.now(), before);
  EXPECT_EQ(clock.sleeps(), 0);
}

// The stays as texts such as "copy 0-2", with times in ms.
std::vector<std::string> stays_at(const StepLog& log, StepSpan::Place place, std::size_t device, Time start) {
  std::vector<std::string> stays;
  for (const StepSpan& span : log.spans()) {
    if (span.place != place || span.device != device) continue;
    stays.push_back(std::string(span.name) + " " + std::to_string((span.begin - start) / 1ms) + "-" +
                    std::to_string((span.end - start) / 1ms));
  }
  return stays;
}

TEST(Device, LogsItsCopiesItsStepsAndWhatItsHostWaitsFor) {
  test::FakeClock clock;
  StepLog log(100);
  BatchPool pool(8, kBatchSize, kSampleBytes);
  // A batch takes 2 ms to copy and 10 ms to compute, and summing up gradients over two devices takes 1 ms.
  const auto device = make_device({.samples_per_second = kBatchSize / 0.010,
                                   .copy_latency_seconds = 0.002,
                                   .depth = 0,
                                   .devices = 2,
                                   .gradient_bytes = 1,
                                   .reduce_latency_seconds = 0.0005},
                                  {.clock = clock, .stop = {}, .log = &log});
  const Time start = clock.now();
  for (std::uint64_t i = 0; i < 4; ++i) {
    Batch batch = pool.try_acquire();
    batch->count = kBatchSize;
    batch->sequence = i;
    device->consume(std::move(batch));
  }
  using Place = StepSpan::Place;
  using Stays = std::vector<std::string>;
  EXPECT_EQ(stays_at(log, Place::kCopies, 0, start), (Stays{"copy 0-2", "copy 13-15"}));
  EXPECT_EQ(stays_at(log, Place::kCopies, 1, start), (Stays{"copy 0-2", "copy 13-15"}));
  EXPECT_EQ(stays_at(log, Place::kSteps, 0, start),
            (Stays{"step 2-12", "all-reduce 12-13", "step 15-25", "all-reduce 25-26"}));
  EXPECT_EQ(stays_at(log, Place::kConsumer, 0, start), (Stays{"wait for step 0-13", "wait for step 13-26"}));
  EXPECT_EQ(log.spans().back().sequence, 3U);
}

TEST(StepLogs, CountTheSpansTheyHaveNoRoomFor) {
  StepLog log(1);
  for (int i = 0; i < 3; ++i) log.add({.name = "step"});
  EXPECT_EQ(log.spans().size(), 1U);
  EXPECT_EQ(log.lost(), 2U);
}

}  // namespace
}  // namespace loadline
