#include "synthetic/compute/data_parallel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <vector>

#include "loaders/error.h"
#include "loaders/system/memory.h"
#include "synthetic/compute/step_log.h"

namespace loadline {
namespace {

constexpr Time kMostDatedBack = std::chrono::milliseconds(1);

class DataParallel final : public Sink {
 public:
  DataParallel(const DeviceModel& model, const ComputeContext& context)
      : model_(model),
        clock_(context.clock),
        log_(context.log),
        wait_(model.busy, context.clock, context.stop),
        credit_(std::min(wait_.own_lateness(), kMostDatedBack)),
        inputs_(model.devices) {
    const auto bytes = static_cast<std::size_t>(model.gradient_bytes);
    // The weights first, then the copy that each other device has, which it returns as its gradients.
    for (std::size_t i = 0; bytes > 0 && i < model.devices; ++i) copies_.emplace_back(bytes);
  }

  void consume(Batch batch) override {
    sequence_ = batch->sequence;
    const std::size_t most = (batch->count + model_.devices - 1) / model_.devices;
    timed(kScatter, [&] { scatter(*batch, most); });
    batch.reset();
    timed(kReplicate, [&] {
      for (std::size_t i = 1; i < copies_.size(); ++i) {
        std::memcpy(copies_[i].bytes().data(), copies_[0].bytes().data(), copies_[0].bytes().size());
      }
    });
    timed(kStep, [&] { step(most); });
    timed(kGather, [&] { gather(); });
  }

  std::span<const StageTime> stages() const override { return stages_; }

 private:
  enum Stage : std::size_t { kScatter, kReplicate, kStep, kGather };

  void scatter(const Slot& batch, std::size_t most) {
    const std::span<const std::byte> bytes = batch.bytes();
    for (std::size_t i = 0; i < model_.devices; ++i) {
      const std::size_t begin = std::min(bytes.size(), i * most * batch.sample_bytes);
      const std::size_t end = std::min(bytes.size(), (i + 1) * most * batch.sample_bytes);
      if (inputs_[i].size() < end - begin) inputs_[i].resize(end - begin);
      if (begin < end) std::memcpy(inputs_[i].data(), bytes.data() + begin, end - begin);
    }
  }

  // Shortened by the lateness of the previous step that the timer alone caused.
  void step(std::size_t samples) {
    const double seconds = std::min(static_cast<double>(samples) / model_.samples_per_second, 5e5);
    const Time end = clock_.now() - late_ + Time(std::llround(seconds * 1e9));
    wait_.until(end);
    late_ = std::clamp(clock_.now() - end, Time(0), credit_);
  }

  void gather() {
    if (copies_.empty()) return;
    auto* const sum = reinterpret_cast<float*>(copies_[0].bytes().data());
    const std::size_t values = copies_[0].bytes().size() / sizeof(float);
    for (std::size_t i = 1; i < copies_.size(); ++i) {
      const auto* const part = reinterpret_cast<const float*>(copies_[i].bytes().data());
      for (std::size_t k = 0; k < values; ++k) sum[k] += part[k];
    }
  }

  template <typename Work>
  void timed(Stage stage, const Work& work) {
    const Time begin = clock_.now();
    work();
    const Time end = clock_.now();
    ++stages_[stage].hits;
    stages_[stage].total += end - begin;
    if (log_ != nullptr) log_->add({.name = stages_[stage].name, .begin = begin, .end = end, .sequence = sequence_});
  }

  const DeviceModel model_;
  Clock& clock_;
  StepLog* log_;
  HostWait wait_;
  const Time credit_;
  Time late_{};
  std::uint64_t sequence_ = 0;
  std::vector<std::vector<std::byte>> inputs_;  // per device; they grow with the first batch, during warm-up
  std::vector<HugeMemory> copies_;              // none where nothing is said of weights
  std::array<StageTime, 4> stages_{{{"scatter"}, {"replicate"}, {"step"}, {"gather"}}};
};

}  // namespace

std::unique_ptr<Sink> make_data_parallel(const DeviceModel& model, const ComputeContext& context) {
  return std::make_unique<DataParallel>(model, context);
}

std::size_t data_parallel_bytes(const DeviceModel& model, std::size_t batch_bytes) {
  if (model.copies() || model.reduce_bytes_per_second > 0 || model.reduce_latency_seconds > 0) {
    throw usage_error(
        "compute device: with mode=dp copies and sums are real and take their own time: leave out "
        "copy_bytes_per_second, copy_latency_seconds, reduce_bytes_per_second and reduce_latency_seconds");
  }
  if (model.ranks > 1 || model.bucket_bytes > 0) {
    throw usage_error("compute device: with mode=dp one process has all devices: leave out ranks and bucket_bytes");
  }
  return batch_bytes + model.devices * static_cast<std::size_t>(model.gradient_bytes);
}

}  // namespace loadline
