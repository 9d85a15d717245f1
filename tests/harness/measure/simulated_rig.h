// A loader and a compute with known behaviour, on a fake clock.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/trial.h"
#include "loaders/batch_pool.h"
#include "synthetic/compute/device.h"
#include "synthetic/compute/step_log.h"
#include "tests/support/fake_clock.h"

namespace loadline::test {

inline constexpr std::size_t kSimulatedBatch = 10;  // samples

// One worker that takes the same time for every batch, as long as it has a slot. The consumer returns each batch before
// it takes the next one.
class SimulatedLoader final : public Feed {
 public:
  // `samples`: the samples of a batch that could be decoded.
  SimulatedLoader(FakeClock& clock, Time service, std::size_t slots, std::size_t samples = kSimulatedBatch)
      : clock_(clock),
        service_(service),
        slots_(slots),
        samples_(samples),
        begun_(clock.now()),
        made_at_(clock.now()),
        pool_(slots + 1, kSimulatedBatch, 8) {}

  Batch next() override {
    make_until(clock_.now());
    if (made_ == taken_.size()) {
      const Time ready = next_ready();
      clock_.advance(ready - clock_.now());
      make_until(ready);
    }
    taken_.push_back(clock_.now());
    Batch batch = pool_.try_acquire();
    batch->sequence = taken_.size() - 1;
    batch->epoch = batch->sequence / epoch_;
    const bool is_last = batch->sequence % epoch_ == epoch_ - 1;
    batch->count = is_last && last_samples_ > 0 ? last_samples_ : samples_;
    return batch;
  }
  void close() override {}
  // Logs half of the time of each batch as reading, and a tenth as handing over.
  void log_to(WorkerLog& log) { log_ = &log; }
  void set_epoch(std::size_t batches, std::size_t last_samples = 0) {
    epoch_ = batches;
    last_samples_ = last_samples;
  }
  void set_settling(Time length) { settled_at_ = begun_ + length; }
  bool settling() const override { return clock_.now() < settled_at_; }
  std::vector<WorkerTimes> worker_times() const override {
    const_cast<SimulatedLoader*>(this)->make_until(clock_.now());
    Time busy = service_ * static_cast<Time::rep>(made_);
    if (has_slot()) busy += clock_.now() - (next_ready() - service_);
    WorkerTimes times;
    times.spent[static_cast<std::size_t>(WorkerStage::kTransform)] = busy;
    times.spent[static_cast<std::size_t>(WorkerStage::kSlotWait)] = clock_.now() - begun_ - busy;
    return {times};
  }
  std::optional<std::size_t> ready() const override {
    // Brings the simulation up to now. The batches that it makes do not depend on who looks.
    const_cast<SimulatedLoader*>(this)->make_until(clock_.now());
    return made_ - taken_.size();
  }

 private:
  bool has_slot() const { return made_ < slots_ || made_ - slots_ < taken_.size(); }
  Time next_ready() const {
    const Time home = made_ < slots_ ? Time(0) : taken_[made_ - slots_];
    return std::max(made_at_, home) + service_;
  }
  void make_until(Time now) {
    while (has_slot() && next_ready() <= now) {
      const Time before = std::exchange(made_at_, next_ready());
      if (log_ != nullptr) log_batch(before, made_at_ - service_);
      ++made_;
    }
  }

  void log_batch(Time idle_from, Time begin) {
    const auto log = [&](WorkerStage stage, Time from, Time to, std::uint64_t sequence, std::uint64_t bytes = 0) {
      using TimePoint = std::chrono::steady_clock::time_point;
      log_->add({.stage = stage, .begin = TimePoint(from), .end = TimePoint(to), .sequence = sequence, .bytes = bytes});
    };
    log(WorkerStage::kSlotWait, idle_from, begin, WorkerSpan::kNoBatch);
    log(WorkerStage::kRead, begin, begin + service_ / 2, made_, 8 * samples_);
    log(WorkerStage::kTransform, begin + service_ / 2, begin + service_ * 9 / 10, made_);
    log(WorkerStage::kHandOver, begin + service_ * 9 / 10, begin + service_, made_);
  }

  FakeClock& clock_;
  const Time service_;
  const std::size_t slots_;
  const std::size_t samples_;
  std::size_t made_ = 0;
  const Time begun_;
  Time settled_at_{};
  Time made_at_;             // when the latest batch was made
  std::vector<Time> taken_;  // when each batch was taken
  std::size_t epoch_ = 1000;
  std::size_t last_samples_ = 0;
  WorkerLog* log_ = nullptr;
  BatchPool pool_;
};

struct Behaviour {
  Time service{};     // the loader's time per batch
  Time settling{};    // how long the loader settles after it was made
  Time step{};        // the compute's time per batch
  Time first_step{};  // what the first step takes in addition, while its kernels are loaded
  int held_up = 0;    // number of the step, from 1, that takes longer; 0: none
  Time held_up_for{};
  Time making{};  // how long it takes to make the compute
  std::size_t slots = 18;
  std::size_t depth = 0;  // steps launched ahead
  Time copy{};            // how long it takes to copy a batch to the device
  std::size_t epoch = 1000;
  std::size_t samples = kSimulatedBatch;         // in a batch of the loader
  std::size_t last_samples = 0;                  // in the last batch of an epoch; 0: as many as in the others
  std::map<SampleIndex, std::string> skipped{};  // samples that the loader leaves out, and why
  std::function<void()> on_sink{};               // called when a sink is made
  std::function<void()> on_feed{};               // called when a loader is made
};

// An emulated device whose first step, and one that is held up, take longer.
class SlowStart final : public Sink {
 public:
  SlowStart(FakeClock& clock, const Behaviour& behaviour, int& finishes, StepLog* log = nullptr)
      : clock_(clock),
        first_(behaviour.first_step),
        held_up_(behaviour.held_up),
        held_up_for_(behaviour.held_up_for),
        finishes_(finishes) {
    const double rate = static_cast<double>(kSimulatedBatch) / seconds(behaviour.step);
    device_ = make_device({.samples_per_second = rate,
                           .copy_latency_seconds = seconds(behaviour.copy),
                           .overlap = false,
                           .depth = behaviour.depth},
                          {.clock = clock, .stop = {}, .log = log});
    clock.advance(behaviour.making);
  }
  void consume(Batch batch) override {
    clock_.advance(std::exchange(first_, Time(0)));
    if (++steps_ == held_up_) clock_.advance(held_up_for_);
    device_->consume(std::move(batch));
  }
  void finish() override {
    ++finishes_;
    device_->finish();
  }
  std::size_t batches_to_steady_state() const override { return device_->batches_to_steady_state(); }

 private:
  FakeClock& clock_;
  Time first_;
  int steps_ = 0;
  const int held_up_;
  const Time held_up_for_;
  int& finishes_;
  std::unique_ptr<Sink> device_;
};

// Delivers batches at once, one at a time.
class SimulatedResident final : public Feed {
 public:
  Batch next() override {
    Batch batch = pool_.try_acquire();
    batch->count = kSimulatedBatch;
    return batch;
  }
  void close() override {}

 private:
  BatchPool pool_{1, kSimulatedBatch, 8};
};

class SimulatedRig final : public Rig {
 public:
  SimulatedRig(FakeClock& clock, Mode mode, const Behaviour& behaviour) : clock_(clock), behaviour_(behaviour) {
    cell_.mode = mode;
    cell_.data = "simulated";
    if (uses_loader(mode)) cell_.loader = "thread-pool";
    slots_.slots = uses_loader(mode) ? behaviour.slots : 1;
  }

  Cell& cell() { return cell_; }
  const Cell& cell() const override { return cell_; }
  const SlotPlan& slots() const override { return slots_; }
  std::uint64_t batches_per_epoch() const override { return behaviour_.epoch; }
  bool ends_epochs_short() const override { return behaviour_.last_samples > 0; }
  std::unique_ptr<Sink> make_sink(Clock& /*clock*/, const std::stop_token& /*stop*/) const override {
    if (behaviour_.on_sink) behaviour_.on_sink();
    return std::make_unique<SlowStart>(clock_, behaviour_, finishes);
  }
  std::unique_ptr<Feed> make_feed(std::uint64_t /*first_epoch*/) const override {
    if (!uses_loader(cell_.mode)) return std::make_unique<SimulatedResident>();
    if (behaviour_.on_feed) behaviour_.on_feed();
    return make_loader();
  }
  std::unique_ptr<Sink> make_logged_sink(Clock& /*clock*/, const std::stop_token& /*stop*/,
                                         StepLog& log) const override {
    return std::make_unique<SlowStart>(clock_, behaviour_, finishes, &log);
  }
  std::unique_ptr<Feed> make_logged_feed(std::uint64_t first_epoch, std::span<WorkerLog> logs) const override {
    if (logs.empty()) return make_feed(first_epoch);
    auto loader = make_loader();
    loader->log_to(logs.front());
    return loader;
  }
  UsageReading usage() const override { return {}; }
  std::map<SampleIndex, std::string> skipped() const override { return behaviour_.skipped; }

  mutable int finishes = 0;  // of its sinks, in all

 private:
  std::unique_ptr<SimulatedLoader> make_loader() const {
    auto loader = std::make_unique<SimulatedLoader>(clock_, behaviour_.service, behaviour_.slots, behaviour_.samples);
    loader->set_settling(behaviour_.settling);
    loader->set_epoch(behaviour_.epoch, behaviour_.last_samples);
    return loader;
  }

  FakeClock& clock_;
  const Behaviour behaviour_;
  Cell cell_;
  SlotPlan slots_;
};

}  // namespace loadline::test
