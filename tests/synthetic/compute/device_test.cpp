#include "synthetic/compute/device.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "loaders/batch_pool.h"
#include "synthetic/compute/step_log.h"
#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBatchSize = 64;
constexpr std::size_t kSampleBytes = 100;

// A host that launches batch after batch on a device, on its own clock.
class Host {
 public:
  // `lateness` is how late the timer is, from before the device is made.
  explicit Host(const DeviceModel& model, std::size_t slots = 32, Time lateness = {})
      : pool_(slots, kBatchSize, kSampleBytes), slots_(slots) {
    clock.set_lateness(lateness);
    device_ = make_device(model, {.clock = clock, .stop = {}});
  }
  Host(const DeviceModel& model, Time lateness) : Host(model, 32, lateness) {}

  // The time that one call takes.
  Time launch(std::size_t samples = kBatchSize) {
    const Time before = clock.now();
    Batch batch = pool_.try_acquire();
    EXPECT_NE(batch, nullptr) << "the device keeps more batches than there are slots";
    batch->count = samples;
    device_->consume(std::move(batch));
    return clock.now() - before;
  }

  // Samples per second of `launches` in the steady state, with this much work of the host between them.
  double rate(int launches, Time between = {}, std::size_t samples = kBatchSize) {
    const auto turn = [&] {
      clock.advance(between);
      launch(samples);
    };
    // A host that is hardly faster than the device needs this many turns to get as far ahead as it may.
    for (int i = 0; i < 1000; ++i) turn();
    const Time start = clock.now();
    for (int i = 0; i < launches; ++i) turn();
    return static_cast<double>(launches) * static_cast<double>(samples) / seconds(clock.now() - start);
  }

  // The time until only the last step of each device is under way.
  Time run_down() {
    const Time before = clock.now();
    device_->run_down();
    return clock.now() - before;
  }

  void resume() { device_->resume(); }

  // The time until everything that was launched has ended.
  Time finish() {
    const Time before = clock.now();
    device_->finish();
    return clock.now() - before;
  }

  // Batches that the device keeps now.
  std::size_t held() {
    std::vector<Batch> free;
    while (Batch batch = pool_.try_acquire()) free.push_back(std::move(batch));
    return slots_ - free.size();
  }

  const Sink& device() const { return *device_; }

  test::FakeClock clock;

 private:
  BatchPool pool_;
  std::size_t slots_;
  std::unique_ptr<Sink> device_;  // last: it returns its batches to the pool
};

void expect_ratio(double actual, double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(actual / expected, 1, tolerance) << what;
}

std::string describe(const DeviceModel& model, Time lateness) {
  return "asked " + std::to_string(model.samples_per_second) + " samples/s, depth " + std::to_string(model.depth) +
         ", sleeps " + std::to_string(lateness.count()) + " ns late";
}

TEST(Device, RunsAtTheRequestedRateHoweverLateItsSleepsEnd) {
  for (const double rate : {10.0, 77.0, 1'000.0, 1'786.0, 33'333.0, 150'000.0, 1'000'000.0}) {
    for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
      for (const Time lateness : {0us, 1us, 60us, 900us}) {
        const DeviceModel options{.samples_per_second = rate, .depth = depth};
        Host host(options, lateness);
        // With this many launches the lateness of one sleep, at the start or the end, does not matter.
        const int launches = 1000 + static_cast<int>(rate * seconds(lateness) * 20'000 / kBatchSize);
        expect_ratio(host.rate(launches), rate, 1e-4, describe(options, lateness));
      }
    }
  }
}

TEST(Device, RunsAtTheRequestedRateWhenItsStepsAreShorterThanTheLateness) {
  for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
    const DeviceModel options{.samples_per_second = 1'000'000, .depth = depth};
    Host host(options, 60us);
    expect_ratio(host.rate(1'000'000, 0ns, 1), 1'000'000, 1e-4, describe(options, 60us));
  }
}

TEST(Device, RunsAtTheRequestedRateWhenTheLatenessVaries) {
  for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
    Host host({.samples_per_second = 100'000, .depth = depth}, 100us);
    const Time start = host.clock.now();
    for (int i = 0; i < 20'000; ++i) {
      host.clock.set_lateness(1us * (i * 37 % 101));
      host.launch();
    }
    expect_ratio(20'000 * 64 / seconds(host.clock.now() - start), 100'000, 1e-3, "depth " + std::to_string(depth));
  }
}

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

TEST(Device, HidesTheHostsOwnTimeBehindAStepAheadAndAddsItWithoutOne) {
  constexpr Time kStep = 64ms;  // at 1,000 samples/s
  for (const Time between : {1ms, 30ms, 63ms}) {
    for (const std::size_t depth : {1U, 2U, 8U}) {
      Host host({.samples_per_second = 1000, .depth = depth});
      EXPECT_DOUBLE_EQ(host.rate(100, between), 1000) << "depth " << depth << ", " << between.count() << " ns between";
    }
    Host host({.samples_per_second = 1000, .depth = 0});
    EXPECT_DOUBLE_EQ(host.rate(100, between), 64 / seconds(kStep + between));
  }
}

TEST(Device, IsNoFasterThanItsHost) {
  for (const std::size_t depth : {1U, 2U, 8U}) {
    Host host({.samples_per_second = 1000, .depth = depth});
    EXPECT_DOUBLE_EQ(host.rate(100, 128ms), 500) << "depth " << depth;
  }
}

TEST(Device, DoesNotMistakeASlowHostForALateSleep) {
  Host host({.samples_per_second = 1000, .depth = 0}, 60us);
  // Each turn takes all 500 µs of the host and a step; the device makes up for the lateness.
  expect_ratio(host.rate(1000, 500us), 64 / seconds(64ms + 500us), 1e-5, "depth 0");
}

TEST(Device, CopiesWhileItSteps) {
  struct Case {
    double copy_bytes_per_second;
    double expected;  // samples/s
  };
  // A sample is 100 bytes; the step alone runs at 1,000 samples/s.
  for (const Case& one : {Case{400'000, 1000}, Case{100'000, 1000}, Case{50'000, 500}, Case{10'000, 100}}) {
    for (const std::size_t depth : {1U, 2U, 8U}) {
      for (const Time lateness : {0us, 60us}) {
        const DeviceModel options{
            .samples_per_second = 1000, .copy_bytes_per_second = one.copy_bytes_per_second, .depth = depth};
        Host host(options, lateness);
        expect_ratio(host.rate(1000), one.expected, 1e-5, describe(options, lateness));
      }
    }
  }
}

TEST(Device, CopiesAndStepsInTurnAtDepthZero) {
  Host host({.samples_per_second = 1000, .copy_bytes_per_second = 100'000, .depth = 0});
  EXPECT_EQ(host.launch(), 128ms);
  EXPECT_EQ(host.launch(), 128ms);
  EXPECT_EQ(host.launch(10), 20ms);
}

struct SteadyCase {
  DeviceModel model;
  double expected;  // samples/s
};

// Batches of 64 samples of 100 bytes and, at 1,000 samples/s, steps of 64 ms. The expected rates follow by hand from
// the time of a round, which is a batch for each device.
const std::vector<SteadyCase> kSteadyCases{
    // A copy of 64 + 10 ms, one of 128 ms for latency alone, and one in turn with the step.
    {{.samples_per_second = 1000, .copy_bytes_per_second = 100'000, .copy_latency_seconds = 0.01}, 864.864865},
    {{.samples_per_second = 1000, .copy_latency_seconds = 0.128}, 500},
    {{.samples_per_second = 1000, .copy_latency_seconds = 0.064, .depth = 0}, 500},
    // The host waits for copies of 64, 128 and 16 ms; at depth 0 for the steps too.
    {{.samples_per_second = 1000, .copy_bytes_per_second = 100'000, .overlap = false, .depth = 1}, 1000},
    {{.samples_per_second = 1000, .copy_bytes_per_second = 50'000, .overlap = false}, 500},
    {{.samples_per_second = 1000, .copy_bytes_per_second = 400'000, .overlap = false, .depth = 0}, 800},
    // More devices; copies of 128 ms, first each on its own engine, then one after the other.
    {{.samples_per_second = 1000, .devices = 2}, 2000},
    {{.samples_per_second = 1000, .depth = 0, .devices = 4}, 4000},
    {{.samples_per_second = 1000, .copy_bytes_per_second = 50'000, .devices = 2}, 1000},
    {{.samples_per_second = 1000, .copy_bytes_per_second = 50'000, .depth = 0, .devices = 2}, 666.666667},
    {{.samples_per_second = 1000, .copy_bytes_per_second = 50'000, .overlap = false, .devices = 2}, 500},
    {{.samples_per_second = 1000, .copy_bytes_per_second = 50'000, .overlap = false, .depth = 0, .devices = 2}, 500},
    // Copies of 16 ms, two during a step; at depth 0 one device copies and steps in turn while the other does.
    {{.samples_per_second = 1000, .copy_bytes_per_second = 400'000, .overlap = false, .depth = 1, .devices = 2}, 2000},
    {{.samples_per_second = 1000, .copy_bytes_per_second = 400'000, .overlap = false, .depth = 0, .devices = 2}, 1600},
    // All-reduce of 1 MB between 2: 2 messages of 3 + 5 ms. Between 4: 6 messages of 3 + 2.5 ms.
    {{.samples_per_second = 1000,
      .devices = 2,
      .gradient_bytes = 1e6,
      .reduce_bytes_per_second = 1e8,
      .reduce_latency_seconds = 0.003},
     1600},
    {{.samples_per_second = 1000,
      .devices = 2,
      .gradient_bytes = 1e6,
      .reduce_bytes_per_second = 1e8,
      .reduce_latency_seconds = 0.003,
      .ranks = 2},
     1319.587629},
    {{.samples_per_second = 1000,
      .depth = 1,
      .gradient_bytes = 1e6,
      .reduce_bytes_per_second = 1e8,
      .reduce_latency_seconds = 0.003,
      .ranks = 4},
     659.793814},
    // Copy, step and all-reduce in turn: 16 + 64 + 16 ms. Then two copies, as the host waits for each.
    {{.samples_per_second = 1000,
      .copy_bytes_per_second = 400'000,
      .depth = 0,
      .devices = 2,
      .gradient_bytes = 1e6,
      .reduce_bytes_per_second = 1e8,
      .reduce_latency_seconds = 0.003},
     1333.333333},
    {{.samples_per_second = 1000,
      .copy_bytes_per_second = 400'000,
      .overlap = false,
      .depth = 0,
      .devices = 2,
      .gradient_bytes = 1e6,
      .reduce_bytes_per_second = 1e8,
      .reduce_latency_seconds = 0.003},
     1142.857143},
};

// The same model, `times` as fast.
DeviceModel faster(DeviceModel model, double times) {
  model.samples_per_second *= times;
  model.copy_bytes_per_second *= times;
  model.copy_latency_seconds /= times;
  model.reduce_bytes_per_second *= times;
  model.reduce_latency_seconds /= times;
  return model;
}

TEST(Device, RunsAtTheRateOfItsModelFromTenToAHundredThousandSamplesASecond) {
  for (std::size_t i = 0; i < kSteadyCases.size(); ++i) {
    const SteadyCase& one = kSteadyCases[i];
    for (const double times : {0.01, 1.0, 100.0}) {
      for (const Time lateness : {0us, 60us}) {
        Host host(faster(one.model, times), lateness);
        expect_ratio(host.rate(2400), times * one.expected, 0.01,
                     "case " + std::to_string(i) + ", " + describe(one.model, lateness));
      }
    }
  }
}

TEST(Device, PredictsItsRate) {
  for (const SteadyCase& one : kSteadyCases) {
    EXPECT_NEAR(steady_samples_per_second(one.model, 64, 6400), one.expected, 1e-6);
    EXPECT_NEAR(steady_samples_per_second(faster(one.model, 100), 64, 6400), 100 * one.expected, 1e-4);
  }
  EXPECT_GT(steady_samples_per_second({.samples_per_second = 1, .copy_bytes_per_second = 5e-324}, 64, 6400), 0);
}

TEST(Device, RunsAtThePredictedRateInEverySetting) {
  for (const std::size_t devices : {1U, 2U, 3U}) {
    for (const std::size_t depth : {0U, 1U, 2U, 5U}) {
      for (const bool overlap : {true, false}) {
        for (const double copy_bytes_per_second : {0.0, 20'000.0, 60'000.0, 110'000.0, 500'000.0}) {
          for (const double gradient_bytes : {0.0, 1e6}) {
            const DeviceModel model{.samples_per_second = 1000,
                                    .copy_bytes_per_second = copy_bytes_per_second,
                                    .copy_latency_seconds = 0.001,
                                    .overlap = overlap,
                                    .depth = depth,
                                    .devices = devices,
                                    .gradient_bytes = gradient_bytes,
                                    .reduce_bytes_per_second = 1e8,
                                    .ranks = 2};
            Host host(model);
            expect_ratio(host.rate(600), steady_samples_per_second(model, kBatchSize, kBatchSize * kSampleBytes), 1e-5,
                         describe(model, {}) + ", " + std::to_string(devices) + " devices, copies at " +
                             std::to_string(copy_bytes_per_second) + (overlap ? " behind steps" : " on the host"));
          }
        }
      }
    }
  }
}

TEST(Device, RunsAtTheRequestedRateWhileItsHostIsBusy) {
  for (const Busy busy : {Busy::kCpu, Busy::kMemory}) {
    for (const double rate : {10.0, 1'000.0, 100'000.0}) {
      Host host({.samples_per_second = rate, .busy = busy});
      host.clock.set_tick(Time(static_cast<std::int64_t>(64 / rate * 1e9 / 50)));
      expect_ratio(host.rate(300), rate, 0.01, "asked " + std::to_string(rate) + " samples/s");
      EXPECT_EQ(host.clock.sleeps(), 0);
    }
  }
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
