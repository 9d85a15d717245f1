// A host of an emulated device, on a clock of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "loaders/batch_pool.h"
#include "synthetic/compute/device.h"
#include "tests/support/fake_clock.h"

namespace loadline::test {

inline constexpr std::size_t kBatchSize = 64;
inline constexpr std::size_t kSampleBytes = 100;

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

  FakeClock clock;

 private:
  BatchPool pool_;
  std::size_t slots_;
  std::unique_ptr<Sink> device_;  // last: it returns its batches to the pool
};

}  // namespace loadline::test
