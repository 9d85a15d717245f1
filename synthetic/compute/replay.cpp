#include "synthetic/compute/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "synthetic/compute/step_log.h"

namespace loadline {
namespace {

class Replay final : public Sink {
 public:
  Replay(Playback playback, Busy busy, const ComputeContext& context)
      : playback_(std::move(playback)),
        clock_(context.clock),
        wait_(busy, context.clock, context.stop),
        credit_(wait_.own_lateness()),
        log_(context.log) {}

  void consume(Batch batch) override {
    const Playback::Batch recorded = playback_.next();
    const Time begin = clock_.now();
    // This step is dated back by the lateness that the previous wait itself caused.
    const Time end = begin - late_ + recorded.scaled(recorded.step, batch->count);
    wait_.until(end);
    const Time now = clock_.now();
    late_ = std::clamp(now - end, Time(0), credit_);
    ++stages_[0].hits;
    stages_[0].total += now - begin;
    if (log_ != nullptr) {
      log_->add({.name = stages_[0].name, .begin = begin, .end = now, .sequence = batch->sequence});
    }
  }

  std::span<const StageTime> stages() const override { return stages_; }
  std::string description() const override {
    const Recording& job = playback_.recording();
    return fmt::format("{} steps of {:.4g} ms on average, recorded on {}{}", job.batches,
                       1e3 * job.step.total_seconds / static_cast<double>(job.batches), job.hostname,
                       job.asynchronous ? ", whose accelerator may have continued after them" : "");
  }

 private:
  Playback playback_;
  Clock& clock_;
  HostWait wait_;
  const Time credit_;
  StepLog* log_;
  Time late_{};
  std::array<StageTime, 1> stages_{{{.name = "step"}}};
};

}  // namespace

std::unique_ptr<Sink> make_replay(Playback playback, Busy busy, const ComputeContext& context) {
  return std::make_unique<Replay>(std::move(playback), busy, context);
}

namespace {

Playback playback_of(std::span<const double> values) {
  return load_playback(kept_text(values[parameter_index(kReplayParameters, "file")]));
}

Busy busy_of(std::span<const double> values) {
  return static_cast<Busy>(static_cast<int>(values[parameter_index(kReplayParameters, "busy")]));
}

}  // namespace

std::unique_ptr<Sink> make_replay_of(std::span<const double> values, const ComputeContext& context) {
  return make_replay(playback_of(values), busy_of(values), context);
}

std::size_t replay_memory_bytes(std::span<const double> values, const StepSetting& /*setting*/) {
  const RecordedSequence sequence = playback_of(values).recording().sequence;
  const std::size_t busy = busy_of(values) == Busy::kMemory ? 2 * kBusyHalfBytes : 0;
  return busy + sequence.steps.size() * (2 * sizeof(Time) + sizeof(std::uint64_t));
}

}  // namespace loadline
