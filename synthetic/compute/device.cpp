#include "synthetic/compute/device.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "synthetic/compute/data_parallel.h"
#include "synthetic/compute/step_log.h"

namespace loadline {
namespace {

constexpr Time kMostCredit = std::chrono::milliseconds(1);

// Longer times are cut to five days: as many as may be launched still fit the clock.
constexpr double kMostSeconds = 5e5;

Time duration_of(double seconds) {
  return Time(std::llround(std::min(seconds, kMostSeconds) * 1e9));
}

// Time of a message; at a rate of 0 its bytes take no time.
double message_seconds(double latency_seconds, double bytes, double bytes_per_second) {
  return std::min(latency_seconds + (bytes_per_second > 0 ? bytes / bytes_per_second : 0), kMostSeconds);
}

double copy_seconds(const DeviceModel& model, std::size_t bytes) {
  if (!model.copies() || bytes == 0) return 0;
  return message_seconds(model.copy_latency_seconds, static_cast<double>(bytes), model.copy_bytes_per_second);
}

consteval std::size_t index_of(std::string_view parameter) {
  return parameter_index(kDeviceParameters, parameter);
}

// The model as the run's ranks define it.
DeviceModel in_run(DeviceModel model, const GradientSum* gradients) {
  if (gradients == nullptr || !model.reduces()) return model;
  if (model.bucket_bytes > 0) {
    model.ranks = 1;  // the other ranks' part takes real time
  } else if (model.ranks == 1) {
    model.ranks = gradients->ranks();
  }
  return model;
}

// How many values each bucket has; empty: nothing is really summed.
std::vector<std::size_t> bucket_values(const DeviceModel& model) {
  if (model.bucket_bytes == 0) return {};
  const double buckets = std::ceil(model.gradient_bytes / model.bucket_bytes);
  const auto count = static_cast<std::size_t>(std::clamp(buckets, 1.0, 1e6));
  const auto values = static_cast<std::size_t>(std::llround(model.gradient_bytes / sizeof(float)));
  std::vector<std::size_t> each(count, values / count);
  each.front() += values % count;
  return each;
}

std::size_t sample_bytes_of(const StepSetting& setting) {
  const auto values = [](const std::vector<std::size_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  };
  const SampleFormat& sample = setting.sample;
  return (values(sample.input) + (sample.target.empty() ? 0 : values(sample.target))) * size_bytes(sample.dtype);
}

// How many batches may be in flight: one more per device than its queue holds, for the running one.
std::size_t most_launched(const DeviceModel& model) {
  return model.devices * (model.depth + 1);
}

class Device final : public Sink {
 public:
  Device(const DeviceModel& model, const ComputeContext& context)
      : model_(in_run(model, context.gradients)),
        clock_(context.clock),
        wait_(model.busy, context.clock, context.stop),
        credit_(std::min(wait_.own_lateness(), kMostCredit)),
        log_(context.log),
        reduce_time_(duration_of(all_reduce_seconds(model_))),
        engines_(model.devices),
        launched_(most_launched(model)),
        stop_(context.stop) {
    if (context.gradients == nullptr || !model_.reduces()) return;
    buckets_.emplace(*context.gradients, bucket_values(model_), 1);
    stages_.push_back({.name = kGradientStage});
  }

  void consume(Batch batch) override {
    host_ = clock_.now() - late_;
    sequence_ = batch->sequence;
    Engines& device = engines_[next_ % model_.devices];
    const Time copied = copy(device, batch);
    const Time step = duration_of(static_cast<double>(batch->count) / model_.samples_per_second);
    if (copied <= host_) batch.reset();
    device.step_free = std::max(copied, device.step_free) + step;
    log("step", StepSpan::Place::kSteps, next_ % model_.devices, device.step_free - step, device.step_free);

    // The ring holds as many launches as may be in flight. This one replaces the launch before them, whose end the
    // previous call waited for. The oldest one left belongs to the next device: wait for it now.
    launched_[next_ % launched_.size()] = {device.step_free, copied, std::move(batch)};
    ++next_;
    if (model_.reduces() && next_ % model_.devices == 0) buckets_ ? sum_up(step) : end_round();
    block_until(launched_[next_ % launched_.size()].step_end, stages_[kStep]);
    release_copied();
  }

  void finish() override {
    host_ = clock_.now() - late_;
    for (std::size_t i = 0; i < launched_.size(); ++i) {
      block_until(launched_[(next_ + i) % launched_.size()].step_end, stages_[kStep]);
    }
    release_copied();
  }

  void run_down() override {
    host_ = clock_.now() - late_;
    for (std::size_t i = 0; i + model_.devices < launched_.size(); ++i) {
      block_until(launched_[(next_ + i) % launched_.size()].step_end, stages_[kStep]);
    }
    release_copied();
  }

  void resume() override {
    const Time stood = clock_.now() - late_ - host_;
    const auto put_off = [&](Time& end) {
      if (end > host_) end += stood;
    };
    for (Engines& device : engines_) {
      put_off(device.copy_free);
      put_off(device.step_free);
    }
    for (Launch& launch : launched_) {
      put_off(launch.copy_end);
      put_off(launch.step_end);
    }
    host_ += stood;
  }

  std::span<const StageTime> stages() const override { return stages_; }
  std::size_t batches_to_steady_state() const override { return launched_.size(); }
  std::size_t batches_per_round() const override { return model_.devices; }
  std::optional<SummedGradients> summed() override {
    if (!buckets_) return std::nullopt;
    return SummedGradients{.step_bytes = buckets_->size_bytes(), .buckets = buckets_->count()};
  }
  bool ended() const override { return buckets_ && buckets_->left(); }

 private:
  struct Engines {
    Time copy_free{};
    Time step_free{};
    std::size_t oldest_held = 0;  // launches before the first that may still hold its batch
  };
  struct Launch {
    Time step_end{};
    Time copy_end{};
    Batch batch;
  };
  enum Stage : std::size_t { kCopy, kStep, kGradients };

  // When the batch is on the device.
  Time copy(Engines& device, const Batch& batch) {
    const double seconds = copy_seconds(model_, batch->bytes().size());
    if (seconds == 0) return host_;
    const Time begin = std::max(host_, device.copy_free);
    device.copy_free = begin + duration_of(seconds);
    log("copy", StepSpan::Place::kCopies, next_ % model_.devices, begin, device.copy_free);
    if (!model_.overlap) block_until(device.copy_free, stages_[kCopy]);
    return device.copy_free;
  }

  // The devices wait for each other, then sum their gradients.
  void end_round() {
    Time end{};
    for (const Engines& device : engines_) end = std::max(end, device.step_free);
    end += reduce_time_;
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      engines_[i].step_free = end;
      log("all-reduce", StepSpan::Place::kSteps, i, end - reduce_time_, end);
    }
    for (std::size_t i = next_ - model_.devices; i < next_; ++i) launched_[i % launched_.size()].step_end = end;
  }

  // Waits for the step, and for the gradients of all ranks, which become known bucket by bucket towards its end.
  void sum_up(Time step) {
    Time end{};
    for (const Engines& device : engines_) end = std::max(end, device.step_free);
    const Time first = end - 2 * step / 3;
    const auto count = static_cast<Time::rep>(buckets_->count());
    for (Time::rep i = 1; i <= count; ++i) {
      go_on_until(first + (end - first) * i / count);
      buckets_->start({});
    }
    const Time begin = clock_.now();
    const bool summed = buckets_->finish();
    wait_.until(clock_.now() + (summed ? reduce_time_ : Time(0)));
    host_ = clock_.now();
    late_ = Time(0);
    ++stages_[kGradients].hits;
    stages_[kGradients].total += host_ - begin;
    log("wait for gradients", StepSpan::Place::kConsumer, 0, begin, host_);
    for (Engines& device : engines_) device.step_free = host_;
    for (std::size_t i = next_ - model_.devices; i < next_; ++i) launched_[i % launched_.size()].step_end = host_;
  }

  // Started sums make progress only while the host polls them.
  void go_on_until(Time end) {
    constexpr Time kLook = std::chrono::microseconds(200);
    while (buckets_->started() > 0 && clock_.now() + kLook < end && !stop_.stop_requested()) {
      block_until(clock_.now() + kLook, stages_[kStep]);
      buckets_->poll();
    }
    block_until(end, stages_[kStep]);
  }

  void block_until(Time end, StageTime& stage) {
    if (end <= host_) return;
    const Time begin = clock_.now();
    wait_.until(end);
    const Time now = clock_.now();
    ++stage.hits;
    stage.total += now - begin;
    log(&stage == &stages_[kCopy] ? "wait for copy" : "wait for step", StepSpan::Place::kConsumer, 0, begin, now);
    late_ = std::clamp(now - end, Time(0), credit_);
    host_ = std::max(end, now - late_);
  }

  void log(std::string_view name, StepSpan::Place place, std::size_t device, Time begin, Time end) {
    if (log_ == nullptr) return;
    log_->add({.name = name,
               .place = place,
               .device = static_cast<std::uint16_t>(device),
               .begin = begin,
               .end = end,
               .sequence = sequence_});
  }

  void release_copied() {
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      std::size_t& oldest = engines_[i].oldest_held;
      for (; oldest + i < next_; oldest += engines_.size()) {
        Launch& launch = launched_[(oldest + i) % launched_.size()];
        if (launch.copy_end > host_) break;
        launch.batch.reset();
      }
    }
  }

  const DeviceModel model_;
  Clock& clock_;
  HostWait wait_;
  const Time credit_;  // lateness caused by the emulation itself
  StepLog* log_;
  const Time reduce_time_;
  std::vector<Engines> engines_;  // one per device
  std::vector<Launch> launched_;
  std::size_t next_ = 0;        // launches so far
  std::uint64_t sequence_ = 0;  // of the current batch
  Time host_{};                 // now, had the host's waits ended on time
  Time late_{};                 // how much later it is
  const std::stop_token stop_;
  std::optional<GradientBuckets> buckets_;                             // none: this process steps alone
  std::vector<StageTime> stages_{{.name = "copy"}, {.name = "step"}};  // with buckets, "gradients"
};

}  // namespace

DeviceModel device_model(std::span<const double> values) {
  const auto whole = [](double value) { return static_cast<std::size_t>(value); };
  const std::size_t profile = whole(values[index_of("profile")]);
  return {.samples_per_second =
              profile > 0 ? kDeviceProfiles[profile - 1].samples_per_second : values[index_of("samples_per_second")],
          .copy_bytes_per_second = values[index_of("copy_bytes_per_second")],
          .copy_latency_seconds = values[index_of("copy_latency_seconds")],
          .overlap = kOverlapWords[whole(values[index_of("overlap")])] == "on",
          .depth = whole(values[index_of("depth")]),
          .devices = whole(values[index_of("devices")]),
          .gradient_bytes = values[index_of("gradient_bytes")],
          .reduce_bytes_per_second = values[index_of("reduce_bytes_per_second")],
          .reduce_latency_seconds = values[index_of("reduce_latency_seconds")],
          .ranks = whole(values[index_of("ranks")]),
          .bucket_bytes = values[index_of("bucket_bytes")],
          .deals_batches = kDeviceModeWords[whole(values[index_of("mode")])] == "dp",
          .busy = static_cast<Busy>(whole(values[index_of("busy")]))};
}

std::unique_ptr<Sink> make_device(const DeviceModel& model, const ComputeContext& context) {
  if (model.deals_batches) return make_data_parallel(model, context);
  return std::make_unique<Device>(model, context);
}

// The oldest of all launches in flight has ended, and so has its copy. Devices keep no batch that is not copied, or
// copied while the host waits.
std::size_t most_held_batches(const DeviceModel& model) {
  return model.copies() && model.overlap && !model.deals_batches ? most_launched(model) - 1 : 0;
}

double all_reduce_seconds(const DeviceModel& model) {
  if (!model.reduces()) return 0;
  const auto members = static_cast<double>(model.devices * model.ranks);
  const double message =
      message_seconds(model.reduce_latency_seconds, model.gradient_bytes / members, model.reduce_bytes_per_second);
  return std::min(2 * (members - 1) * message, kMostSeconds);
}

double steady_samples_per_second(const DeviceModel& model, std::size_t batch_size, std::size_t batch_bytes) {
  const auto samples = static_cast<double>(batch_size);
  if (model.deals_batches) {
    const double most = std::ceil(samples / static_cast<double>(model.devices));
    return samples / most * model.samples_per_second;
  }
  const auto devices = static_cast<double>(model.devices);
  const double step = samples / model.samples_per_second + all_reduce_seconds(model);
  const double copy = copy_seconds(model, batch_bytes);
  const double host = model.overlap ? 0 : devices * copy;  // it copies for one device after another
  double round = std::max({copy, step, host});
  if (model.depth == 0) {
    // No step is launched ahead, so nothing hides the copy before it. Devices that wait for each other wait for all
    // copies.
    round = model.reduces() ? std::max(copy, host) + step : std::max(copy + step, host);
  }
  return devices * samples / round;
}

std::unique_ptr<Sink> make_device_of(std::span<const double> values, const ComputeContext& context) {
  return make_device(device_model(values), context);
}

std::size_t device_held_batches(std::span<const double> values) {
  return most_held_batches(device_model(values));
}

bool device_launches_ahead(std::span<const double> values) {
  const DeviceModel model = device_model(values);
  return model.depth > 0 && !model.deals_batches;
}

std::size_t device_memory_bytes(std::span<const double> values, const StepSetting& setting) {
  const DeviceModel model = device_model(values);
  const std::size_t busy = model.busy == Busy::kMemory ? 2 * kBusyHalfBytes : 0;
  if (model.deals_batches) return busy + data_parallel_bytes(model, setting.batch_size * sample_bytes_of(setting));
  return busy + (model.bucket_bytes > 0 ? static_cast<std::size_t>(model.gradient_bytes) : 0);
}

double device_samples_per_second(std::span<const double> values, std::size_t batch_size, std::size_t batch_bytes) {
  return steady_samples_per_second(device_model(values), batch_size, batch_bytes);
}

}  // namespace loadline
