#include "synthetic/compute/cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "loaders/error.h"
#include "synthetic/compute/cuda_mlp.h"
#include "synthetic/compute/cuda_resources.h"

namespace loadline {
namespace {

using cuda::DeviceMemory;
using cuda::Event;
using cuda::PinnedMemory;
using cuda::PinnedRange;
using cuda::ProfilerRange;

struct Settings {
  bool copied;
  bool graph;
  std::size_t depth;

  // As kCudaParameters.
  explicit Settings(std::span<const double> values)
      : copied(values[parameter_index(kCudaParameters, "staging")] != 0),
        graph(values[parameter_index(kCudaParameters, "graph")] != 0),
        depth(static_cast<std::size_t>(values[parameter_index(kCudaParameters, "depth")])) {}
};

std::size_t values_of(const SampleFormat& sample) {
  return std::accumulate(sample.input.begin(), sample.input.end(), std::size_t{1}, std::multiplies<>());
}

std::size_t batch_bytes(const StepSetting& setting) {
  return setting.batch_size * values_of(setting.sample) * size_bytes(setting.sample.dtype);
}

std::size_t label_bytes(const StepSetting& setting) {
  return setting.batch_size * sizeof(std::int32_t);
}

// One step that was launched and is not known to have ended.
struct Launch {
  Launch(const StepSetting& setting, bool copied)
      : input(batch_bytes(setting), "a batch"),
        labels(label_bytes(setting), "its labels"),
        loss(sizeof(float), "its loss"),
        host_input(copied ? batch_bytes(setting) : 1),
        host_labels(label_bytes(setting)),
        host_loss(sizeof(float)) {}

  DeviceMemory input;
  DeviceMemory labels;
  DeviceMemory loss;
  PinnedMemory host_input;
  PinnedMemory host_labels;
  PinnedMemory host_loss;
  cuda::Graph graph;  // for a full batch
  Event copy_begin;
  Event copy_end;
  Event step_begin;
  Event forward_end;
  Event backward_end;
  Event step_end;
  Batch batch;  // held while it is being copied
  bool under_way = false;
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
};

class Cuda final : public Sink {
 public:
  Cuda(const Settings& settings, const ComputeContext& context)
      : settings_(settings),
        clock_(context.clock),
        setting_(context.setting),
        mlp_({.inputs = values_of(setting_.sample),
              .input_dtype = setting_.sample.dtype,
              .classes = setting_.classes,
              .batch_size = setting_.batch_size,
              .precision = setting_.precision,
              .fusion = setting_.fusion,
              .seed = setting_.seed},
             step_stream_.handle()),
        launches_(make_launches(settings, setting_)) {
    if (settings_.graph) {
      stages_ = {{"copy"}, {"step"}};
    } else {
      stages_ = {{"copy"}, {"forward"}, {"backward"}, {"optimizer"}};
    }
    shares_.resize(stages_.size());
    warm_up();
  }

  // Waits first: copies read batches, and steps write to memory, that the members release.
  ~Cuda() override {
    copy_stream_.drain_quietly();
    step_stream_.drain_quietly();
  }

  void consume(Batch batch) override {
    if (batch->count == 0) return;
    const Time begin = clock_.now();
    Launch& launch = launches_[next_ % launches_.size()];
    const Time staged = stage(launch, *batch);
    launch_copy(launch, *batch);
    launch_step(launch, batch->count);
    launch.epoch = batch->epoch;
    launch.sequence = batch->sequence;
    launch.under_way = true;
    if (!settings_.copied) launch.batch = std::move(batch);

    // There is a place for each step in flight and this one: the next call takes the place of the oldest.
    ++next_;
    Launch& oldest = launches_[next_ % launches_.size()];
    if (oldest.under_way) oldest.step_end.wait();
    release_copied();
    const Time end = clock_.now();
    stages_.front().total += staged - begin;
    unshared_ += end - staged;
    if (oldest.under_way) settle(oldest);
  }

  void finish() override {
    // The oldest first, as consume() would; the place after the latest is the oldest.
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      Launch& launch = launches_[(next_ + i) % launches_.size()];
      if (!launch.under_way) continue;
      const Time begin = clock_.now();
      launch.step_end.wait();
      unshared_ += clock_.now() - begin;
      release_copied();
      settle(launch);
    }
  }

  std::span<const StageTime> stages() const override { return stages_; }
  std::size_t batches_to_steady_state() const override { return settings_.depth + 1; }

 private:
  static std::vector<Launch> make_launches(const Settings& settings, const StepSetting& setting) {
    std::vector<Launch> launches;
    launches.reserve(settings.depth + 1);
    for (std::size_t i = 0; i <= settings.depth; ++i) launches.emplace_back(setting, settings.copied);
    return launches;
  }

  // The first step loads kernels, which takes long and is not allowed during capture.
  void warm_up() {
    Launch& launch = launches_.front();
    launch_parts(launch, setting_.batch_size);
    step_stream_.drain();
    mlp_.reset();
    step_stream_.drain();
    previous_end_.record(step_stream_.handle());
    if (!settings_.graph) return;
    for (Launch& each : launches_) {
      each.graph = step_stream_.capture([&] { launch_network(each, setting_.batch_size); });
    }
  }

  // Moves the batch to memory that the device can copy from; returns the time when that was done.
  Time stage(Launch& launch, const Slot& slot) {
    std::ranges::copy(slot.labels.first(slot.count), launch.host_labels.as<std::int32_t>());
    if (settings_.copied) {
      const ProfilerRange range("stage");
      std::memcpy(launch.host_input.as<std::byte>(), slot.bytes().data(), slot.bytes().size());
    } else {
      pin(slot);
    }
    return clock_.now();
  }

  void pin(const Slot& slot) {
    const std::byte* data = slot.data.data();
    if (std::ranges::find(pinned_, data, &Pinned::data) != pinned_.end()) return;
    pinned_.push_back({data, PinnedRange(slot.data)});
  }

  void launch_copy(Launch& launch, const Slot& slot) {
    const ProfilerRange range("copy");
    const std::byte* from = settings_.copied ? launch.host_input.as<std::byte>() : slot.data.data();
    launch.copy_begin.record(copy_stream_.handle());
    copy_stream_.copy_to_device(launch.input.data(), from, slot.bytes().size());
    copy_stream_.copy_to_device(launch.labels.data(), launch.host_labels.as<std::byte>(),
                                slot.count * sizeof(std::int32_t));
    launch.copy_end.record(copy_stream_.handle());
    step_stream_.wait_for(launch.copy_end);
  }

  void launch_step(Launch& launch, std::size_t samples) {
    launch.step_begin.record(step_stream_.handle());
    if (!settings_.graph) {
      launch_parts(launch, samples);
    } else if (samples == setting_.batch_size) {
      const ProfilerRange range("step");
      launch.graph.launch(step_stream_.handle());
    } else {
      const ProfilerRange range("step");
      launch_network(launch, samples);
    }
    launch.step_end.record(step_stream_.handle());
  }

  // Launches copy and step with events between them.
  void launch_parts(Launch& launch, std::size_t samples) {
    {
      const ProfilerRange range("forward");
      launch_forward(launch, samples);
      launch.forward_end.record(step_stream_.handle());
    }
    {
      const ProfilerRange range("backward");
      mlp_.backward();
      launch.backward_end.record(step_stream_.handle());
    }
    const ProfilerRange range("optimizer");
    mlp_.update();
  }

  void launch_network(Launch& launch, std::size_t samples) {
    launch_forward(launch, samples);
    mlp_.backward();
    mlp_.update();
  }

  void launch_forward(Launch& launch, std::size_t samples) {
    mlp_.forward({launch.input.data(), setting_.sample.dtype, samples, values_of(setting_.sample)},
                 launch.labels.as<std::int32_t>(), launch.loss.as<float>());
    step_stream_.copy_to_host(launch.host_loss.as<float>(), launch.loss.data(), sizeof(float));
  }

  void release_copied() {
    for (Launch& launch : launches_) {
      if (launch.batch && launch.copy_end.reached()) launch.batch.reset();
    }
  }

  // Accounts for a launch whose step has ended.
  void settle(Launch& launch) {
    launch.under_way = false;
    const float loss = *launch.host_loss.as<float>();
    if (!std::isfinite(loss)) {
      throw Error(
          fmt::format("compute cuda: the loss of epoch {}, batch {} of the run, is {}: a value is not finite, a "
                      "label is not a class, or the training diverges",
                      launch.epoch, launch.sequence, loss));
    }
    share_out(launch);
    // Saved because the place records a new event when it is reused.
    std::swap(previous_end_, launch.step_end);
  }

  void share_out(const Launch& launch) {
    const auto elapsed = [](const Event& from, const Event& to) { return std::max(0.0F, to.milliseconds_since(from)); };
    // The part of the copy that the previous step does not hide.
    shares_[0] = std::min(elapsed(launch.copy_begin, launch.copy_end), elapsed(previous_end_, launch.copy_end));
    if (settings_.graph) {
      shares_[1] = elapsed(launch.step_begin, launch.step_end);
    } else {
      shares_[1] = elapsed(launch.step_begin, launch.forward_end);
      shares_[2] = elapsed(launch.forward_end, launch.backward_end);
      shares_[3] = elapsed(launch.backward_end, launch.step_end);
    }
    for (StageTime& stage : stages_) ++stage.hits;
    const float all = std::reduce(shares_.begin(), shares_.end());
    if (all <= 0) return;  // too short for events to measure: counted with the next
    const auto unshared = static_cast<float>(std::exchange(unshared_, Time(0)).count());
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      stages_[i].total += Time(std::llround(unshared * shares_[i] / all));
    }
  }

  struct Pinned {
    const std::byte* data;
    PinnedRange range;
  };

  Settings settings_;
  Clock& clock_;
  StepSetting setting_;
  cuda::Stream copy_stream_;
  cuda::Stream step_stream_;
  cuda::Mlp mlp_;
  std::vector<Pinned> pinned_;  // each slot of the pool, once seen
  std::vector<Launch> launches_;
  std::size_t next_ = 0;
  Event previous_end_;  // end of the last finished step
  std::vector<StageTime> stages_;
  std::vector<float> shares_;  // milliseconds, in the order of stages_
  Time unshared_{};            // spent in consume(), and not yet in stages_
};

}  // namespace

std::unique_ptr<Sink> make_cuda(std::span<const double> values, const ComputeContext& context) {
  cuda::use_first_device();
  return std::make_unique<Cuda>(Settings(values), context);
}

std::size_t cuda_held_batches(std::span<const double> values) {
  const Settings settings(values);
  return settings.copied ? 0 : settings.depth;
}

bool cuda_launches_ahead(std::span<const double> values) {
  return Settings(values).depth > 0;
}

std::size_t cuda_memory_bytes(std::span<const double> values, const StepSetting& setting) {
  if (setting.sample.dtype == DType::kI32) {
    throw usage_error("compute cuda: the samples are tokens, and its network takes images; gpt takes tokens");
  }
  if (!setting.sample.target.empty()) {
    throw usage_error(
        "compute cuda: network=mlp learns class labels, and the targets of this workload are volumes; use another "
        "--compute, such as device");
  }
  if (values_of(setting.sample) > cuda::Mlp::kMostInputs) {
    throw usage_error(fmt::format("compute cuda: network=mlp takes samples of up to {} values, these have {}",
                                  cuda::Mlp::kMostInputs, values_of(setting.sample)));
  }
  const Settings settings(values);
  return (settings.depth + 1) * (label_bytes(setting) + (settings.copied ? batch_bytes(setting) : 0));
}

}  // namespace loadline
