#include "synthetic/compute/device.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fake_clock.h"

namespace loadline {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBatchSize = 64;
constexpr std::size_t kSampleBytes = 100;

struct DeviceOptions {
  double samples_per_second = 1000;
  double copy_bytes_per_second = 0;  // 0: no copy
  std::size_t depth = 2;
};

// A host that launches batch after batch on a device, by a clock of its own.
class Host {
 public:
  explicit Host(const DeviceOptions& options, std::size_t slots = 32)
      : pool_(slots, kBatchSize, kSampleBytes), slots_(slots) {
    const std::vector<double> values{options.samples_per_second, options.copy_bytes_per_second,
                                     static_cast<double>(options.depth)};
    device_ = make_device(values, {.clock = clock, .stop = {}});
    held_at_most_ = device_held_batches(values);
  }

  // The time that one call takes.
  Time launch(std::size_t samples = kBatchSize) {
    const Time before = clock.now();
    Batch batch = pool_.try_acquire();
    EXPECT_NE(batch, nullptr) << "the device keeps more batches than there are slots";
    batch->count = samples;
    device_->consume(std::move(batch));
    return clock.now() - before;
  }

  // Samples a second of `launches` in the steady state, with this much of the host's own work between them.
  double rate(int launches, Time between = {}, std::size_t samples = kBatchSize) {
    const auto turn = [&] {
      clock.advance(between);
      launch(samples);
    };
    // A host that is hardly faster than the device takes that many turns to be as far ahead as it may.
    for (int i = 0; i < 1000; ++i) turn();
    const Time start = clock.now();
    for (int i = 0; i < launches; ++i) turn();
    return static_cast<double>(launches) * static_cast<double>(samples) / seconds(clock.now() - start);
  }

  // Batches that the device keeps now.
  std::size_t held() {
    std::vector<Batch> free;
    while (Batch batch = pool_.try_acquire()) free.push_back(std::move(batch));
    return slots_ - free.size();
  }

  const Sink& device() const { return *device_; }
  std::size_t held_at_most() const { return held_at_most_; }

  test::FakeClock clock;

 private:
  BatchPool pool_;
  std::size_t slots_;
  std::size_t held_at_most_;
  std::unique_ptr<Sink> device_;  // last: its batches go home to the pool
};

void expect_ratio(double actual, double expected, double tolerance, const std::string& what) {
  EXPECT_NEAR(actual / expected, 1, tolerance) << what;
}

std::string describe(const DeviceOptions& options, Time lateness) {
  return "asked " + std::to_string(options.samples_per_second) + " samples/s, depth " + std::to_string(options.depth) +
         ", sleeps " + std::to_string(lateness.count()) + " ns late";
}

TEST(Device, RunsAtTheRateAskedForHoweverLateItsSleepsEnd) {
  for (const double rate : {10.0, 77.0, 1'000.0, 1'786.0, 33'333.0, 150'000.0, 1'000'000.0}) {
    for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
      for (const Time lateness : {0us, 1us, 60us, 900us}) {
        const DeviceOptions options{.samples_per_second = rate, .depth = depth};
        Host host(options);
        host.clock.set_lateness(lateness);
        // So many launches that the lateness of one sleep, which a stretch may begin or end with, counts for nothing.
        const int launches = 1000 + static_cast<int>(rate * seconds(lateness) * 20'000 / kBatchSize);
        expect_ratio(host.rate(launches), rate, 1e-4, describe(options, lateness));
      }
    }
  }
}

TEST(Device, RunsAtTheRateAskedForWhenItsStepsAreShorterThanTheLateness) {
  for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
    const DeviceOptions options{.samples_per_second = 1'000'000, .depth = depth};
    Host host(options);
    host.clock.set_lateness(60us);
    expect_ratio(host.rate(1'000'000, 0ns, 1), 1'000'000, 1e-4, describe(options, 60us));
  }
}

TEST(Device, RunsAtTheRateAskedForWhenEverySleepEndsLateByAnotherTime) {
  for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
    Host host({.samples_per_second = 100'000, .depth = depth});
    const Time start = host.clock.now();
    for (int i = 0; i < 20'000; ++i) {
      host.clock.set_lateness(1us * (i * 37 % 101));
      host.launch();
    }
    expect_ratio(20'000 * 64 / seconds(host.clock.now() - start), 100'000, 1e-3, "depth " + std::to_string(depth));
  }
}

TEST(Device, ForgivesAMillisecondOfLatenessAndNoMore) {
  Host host({.samples_per_second = 6'400, .depth = 0});  // 10 ms a step
  host.clock.set_lateness(5ms);
  host.launch();
  const Time start = host.clock.now();
  for (int i = 0; i < 100; ++i) host.launch();
  EXPECT_EQ(host.clock.now() - start, 100 * (10ms + 5ms - 1ms));
}

TEST(Device, ReturnsAtOnceFromAsManyLaunchesAsItsDepth) {
  Host host({.samples_per_second = 64, .depth = 3});  // 1 s a step
  EXPECT_EQ(host.device().batches_to_steady_state(), 4U);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.launch(), 0s);
  EXPECT_EQ(host.launch(), 1s);
  EXPECT_EQ(host.launch(), 1s);
  host.clock.advance(1500ms);
  EXPECT_EQ(host.launch(), 0s);     // two and a half steps are left, with this one
  EXPECT_EQ(host.launch(), 500ms);  // until the older of those two has ended
}

TEST(Device, TakesTimeByTheSampleForAShortBatch) {
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

TEST(Device, DoesNotTakeAHostThatIsSlowForASleepThatEndedLate) {
  Host host({.samples_per_second = 1000, .depth = 0});
  host.clock.set_lateness(60us);
  // Each turn: the host's own 500 µs, in full, and a step; the lateness is made up for.
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
        const DeviceOptions options{1000, one.copy_bytes_per_second, depth};
        Host host(options);
        host.clock.set_lateness(lateness);
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

TEST(Device, KeepsNoBatchItDoesNotCopy) {
  for (const std::size_t depth : {0U, 1U, 8U}) {
    Host host({.samples_per_second = 1, .depth = depth});
    EXPECT_EQ(host.held_at_most(), 0U);
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
  EXPECT_EQ(host.launch(), 11s);  // to the end of the first step: all three copies ended long before
  EXPECT_EQ(host.held(), 0U);
  EXPECT_EQ(host.launch(), 10s);
  EXPECT_EQ(host.held(), 0U);
}

TEST(Device, GivesBackABatchWhoseCopyEndedBetweenTwoLaunches) {
  Host host({.samples_per_second = 6.4, .copy_bytes_per_second = 6'400, .depth = 2});
  host.launch();
  host.clock.advance(999ms);
  host.launch();
  EXPECT_EQ(host.held(), 2U);
  host.clock.advance(1ms);
  host.launch(0);  // nothing to copy
  EXPECT_LE(host.held(), 1U);
}

TEST(Device, NeverKeepsMoreBatchesThanItAnnounced) {
  for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
    for (const double copy_bytes_per_second : {1'000.0, 100'000.0, 1e9}) {
      for (const Time lateness : {0us, 60us, 5000us}) {
        Host host({1000, copy_bytes_per_second, depth});
        ASSERT_EQ(host.held_at_most(), depth);
        host.clock.set_lateness(lateness);
        for (int i = 0; i < 200; ++i) {
          host.clock.advance(1ms * (i * 37 % 101));
          host.launch(1 + static_cast<std::size_t>(i) % kBatchSize);
          ASSERT_LE(host.held(), depth) << "launch " << i << ", copies at " << copy_bytes_per_second << " bytes/s";
        }
      }
    }
  }
}

TEST(Device, NeedsNoMoreSlotsThanItAnnouncedAndTheOneInHand) {
  for (const std::size_t depth : {0U, 1U, 2U, 8U}) {
    Host host({1000, 50'000, depth}, depth + 1);
    for (int i = 0; i < 100; ++i) host.launch();
  }
}

TEST(Device, GivesItsBatchesBackWhenItGoes) {
  test::FakeClock clock;
  BatchPool pool(2, kBatchSize, kSampleBytes);
  auto device = make_device(std::vector<double>{1, 1, 2}, {.clock = clock, .stop = {}});
  for (Batch batch; (batch = pool.try_acquire());) {
    batch->count = kBatchSize;
    device->consume(std::move(batch));
  }
  device.reset();
  EXPECT_NE(pool.try_acquire(), nullptr);
}

TEST(Device, EndsItsWaitWhenStopped) {
  SteadyClock clock;
  std::stop_source source;
  BatchPool pool(1, kBatchSize, kSampleBytes);
  const auto device = make_device(std::vector<double>{0.001, 0, 0}, {.clock = clock, .stop = source.get_token()});
  const std::jthread other([&source] { source.request_stop(); });
  Batch batch = pool.acquire();
  batch->count = kBatchSize;
  const Time before = clock.now();
  device->consume(std::move(batch));  // a step of 17 hours
  EXPECT_LT(clock.now() - before, 1h);
}

TEST(Device, DoesNotWaitOnceStopped) {
  test::FakeClock clock;
  std::stop_source source;
  source.request_stop();
  BatchPool pool(1, kBatchSize, kSampleBytes);
  const auto device = make_device(std::vector<double>{1, 0, 0}, {.clock = clock, .stop = source.get_token()});
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

}  // namespace
}  // namespace loadline
