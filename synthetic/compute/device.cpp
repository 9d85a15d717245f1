#include "synthetic/compute/device.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace loadline {
namespace {

constexpr Time kMostCredit = std::chrono::milliseconds(1);

// Eleven days for a longer one: as many of these as may be launched still fit the clock.
constexpr double kMostNanoseconds = 1e15;

Time duration_of(double amount, double amount_per_second) {
  return Time(std::llround(std::min(amount / amount_per_second * 1e9, kMostNanoseconds)));
}

class Device final : public Sink {
 public:
  Device(double samples_per_second, double copy_bytes_per_second, std::size_t depth, const ComputeContext& context)
      : samples_per_second_(samples_per_second),
        copy_bytes_per_second_(copy_bytes_per_second),
        depth_(depth),
        context_(context),
        launched_(depth + 1) {}

  void consume(Batch batch) override {
    const Time now = context_.clock.now();
    const Time launch = now - std::min(late_, kMostCredit);
    late_ = now - launch;
    const Time copied = copies(*batch) ? std::max(launch, copy_engine_free_) + copy_time(*batch) : launch;
    copy_engine_free_ = copied;
    step_engine_free_ =
        std::max(copied, step_engine_free_) + duration_of(static_cast<double>(batch->count), samples_per_second_);
    if (!copies(*batch)) batch.reset();

    // The ring holds the last depth + 1 launches. This one takes the place of the launch before them, whose end the
    // previous call waited for; the oldest left is the one to wait for now, at depth 0 this one itself.
    launched_[next_ % launched_.size()] = {step_engine_free_, copied, std::move(batch)};
    ++next_;
    const Launch& oldest = launched_[next_ % launched_.size()];
    wait_until(oldest.step_end, launch);
    release_copied();
  }

  std::size_t batches_to_steady_state() const override { return depth_ + 1; }

 private:
  struct Launch {
    Time step_end{};
    Time copy_end{};
    Batch batch;
  };

  bool copies(const Slot& slot) const { return copy_bytes_per_second_ > 0 && slot.count > 0; }
  Time copy_time(const Slot& slot) const {
    return duration_of(static_cast<double>(slot.bytes().size()), copy_bytes_per_second_);
  }

  void wait_until(Time end, Time launch) {
    host_ = launch;
    if (end <= launch) return;
    if (context_.clock.now() < end) context_.clock.sleep_until(end, context_.stop);
    host_ = end;
    late_ = std::max(Time(0), context_.clock.now() - end);
  }

  void release_copied() {
    for (Launch& launch : launched_) {
      if (launch.copy_end <= host_) launch.batch.reset();
    }
  }

  double samples_per_second_;
  double copy_bytes_per_second_;
  std::size_t depth_;
  ComputeContext context_;
  std::vector<Launch> launched_;
  std::size_t next_ = 0;
  Time copy_engine_free_{};
  Time step_engine_free_{};
  Time host_{};  // when consume() would have returned, had its sleeps ended on time
  Time late_{};  // how much later it did
};

}  // namespace

std::unique_ptr<Sink> make_device(std::span<const double> values, const ComputeContext& context) {
  return std::make_unique<Device>(values[0], values[1], static_cast<std::size_t>(values[2]), context);
}

// Without a copy the device keeps none.
std::size_t device_held_batches(std::span<const double> values) {
  return values[1] > 0 ? static_cast<std::size_t>(values[2]) : 0;
}

}  // namespace loadline
