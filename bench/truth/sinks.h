// Sinks of known behaviour on a simulated clock.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "bench/truth/clock.h"
#include "bench/truth/feeds.h"
#include "bench/truth/system.h"
#include "synthetic/compute/compute.h"

namespace loadline::truth {

// Holds each batch while it is used, as a host that touches it or computes with it.
class HostSink final : public Sink {
 public:
  HostSink(const Times& times, double factor, SimulatedClock& clock, Draws& draws)
      : times_(times), factor_(factor), clock_(clock), draws_(draws) {}

  void consume(Batch /*batch*/) override { clock_.pass(time_of(factor_ * times_.draw(draws_))); }

 private:
  const Times times_;
  const double factor_;
  SimulatedClock& clock_;
  Draws& draws_;
};

// Gives each batch back unread.
class NoSink final : public Sink {
 public:
  void consume(Batch /*batch*/) override {}
};

// The emulated device itself. It gives back a batch that it does not copy before it waits.
class DeviceSink final : public Sink {
 public:
  DeviceSink(const std::string& compute, SimulatedClock& clock, Slots& slots, const std::stop_token& stop);

  void consume(Batch batch) override {
    slots_.note(clock_.now());
    device_->consume(std::move(batch));
  }
  void finish() override { device_->finish(); }
  std::span<const StageTime> stages() const override { return device_->stages(); }
  std::size_t batches_to_steady_state() const override { return device_->batches_to_steady_state(); }
  std::size_t batches_per_round() const override { return device_->batches_per_round(); }

 private:
  SimulatedClock& clock_;
  Slots& slots_;
  std::unique_ptr<Sink> device_;
};

}  // namespace loadline::truth
