// How many samples per second an emulated device takes.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "synthetic/compute/device.h"
#include "tests/synthetic/compute/device_host.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;
using test::Host;
using test::kBatchSize;
using test::kSampleBytes;

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

}  // namespace
}  // namespace loadline
