#include "synthetic/compute/cnn/training_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "loaders/error.h"
#include "loaders/random.h"
#include "synthetic/compute/cnn/loss.h"
#include "synthetic/compute/cnn/threads.h"
#include "synthetic/compute/step_log.h"

namespace loadline {
namespace {

std::size_t values_of(const std::vector<std::size_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

float from_bf16(const std::byte* bytes) {
  std::uint16_t half = 0;
  std::memcpy(&half, bytes, sizeof half);
  const std::uint32_t whole = std::uint32_t{half} << 16;
  float value = 0;
  std::memcpy(&value, &whole, sizeof value);
  return value;
}

void check(const TrainingOptions& options, const StepSetting& setting) {
  check_fits(*options.network, setting.sample);
  if (support_of(setting.precision) == PrecisionSupport::kNone) {
    throw usage_error(
        fmt::format("--precision {}: oneDNN needs AVX-512 for it, which this CPU lacks", name(setting.precision)));
  }
}

const StepSetting& checked(const TrainingOptions& options, const StepSetting& setting) {
  check(options, setting);
  return setting;
}

std::vector<Layer> layers_of(const TrainingOptions& options, const StepSetting& setting) {
  return options.network->layers(outputs_of(*options.network, setting.sample, setting.classes));
}

}  // namespace

TrainingStep::TrainingStep(const TrainingOptions& options, const StepSetting& setting, const Clock& clock, StepLog* log,
                           GradientSum* sum)
    : options_(options),
      setting_(checked(options, setting)),
      clock_(clock),
      log_(log),
      pinned_((start_step_threads("cnn", setting), first_step_cpu(setting))),
      graph_(layers_of(options, setting), setting.sample,
             {.batch_size = setting.batch_size,
              .precision = setting.precision,
              .fusion = setting.fusion,
              .seed = setting.seed}),
      optimizer_(options.optimizer, graph_.tensor_values()),
      filled_up_(setting.batch_size * values_of(setting.sample.input) * size_bytes(setting.sample.dtype)) {
  if (options_.network->loss == Loss::kL1) targets_.resize(setting.batch_size * values_of(setting.sample.target));
  if (sum == nullptr || options.bucket_bytes == 0) return;
  buckets_.emplace(*sum, graph_.tensor_values(), options.bucket_bytes);
  stages_.emplace_back(kGradientStage);
}

Score TrainingStep::train(const Slot& batch) {
  const Score result = differentiate(batch);
  if (!std::isfinite(result.loss_sum)) {
    throw Error(fmt::format("compute cnn: the loss is not finite in batch {} of the run, epoch {}: lower learning_rate",
                            batch.sequence, batch.epoch));
  }
  follow_gradients();
  return result;
}

void TrainingStep::sit_out() {
  if (!buckets_) return;
  buckets_->start_without();
  follow_gradients();
}

void TrainingStep::follow_gradients() {
  if (buckets_) {
    bool summed = false;
    timed(kGradients, [&] { summed = buckets_->finish(); });
    if (!summed) return;
  }
  timed(kOptimizer, [&] { optimizer_.step(graph_.weights(), buckets_ ? buckets_->averages() : graph_.gradients()); });
}

Score TrainingStep::differentiate(const Slot& batch) {
  sequence_ = batch.sequence;
  timed(kCopy, [&] { take_input(batch); });
  Score result;
  timed(kForward, [&] {
    graph_.forward(true);
    result = score(batch);
  });
  timed(kBackward, [&] { backward(); });
  return result;
}

// MPI makes progress on a sum only while it is called, so it is called between operations.
void TrainingStep::backward() {
  if (!buckets_) return graph_.backward();
  graph_.backward([&](std::size_t operations) {
    while (buckets_->started() < buckets_->count() &&
           graph_.gradient_operations()[buckets_->next_tensor()] <= operations) {
      buckets_->start(graph_.gradients());
    }
    buckets_->poll();
  });
}

std::optional<SummedGradients> TrainingStep::summed() {
  if (!buckets_) return std::nullopt;
  std::uint64_t hash = 0;
  for (const float weight : graph_.weights()) hash = key_of(hash, std::bit_cast<std::uint32_t>(weight));
  return SummedGradients{.step_bytes = buckets_->size_bytes(), .buckets = buckets_->count(), .weights_hash = hash};
}

Score TrainingStep::evaluate(const Slot& batch) {
  take_input(batch);
  graph_.forward(false);
  return score(batch);
}

void TrainingStep::take_input(const Slot& batch) {
  const std::span<const std::byte> input = batch.inputs();
  if (!targets_.empty()) {
    const std::span<const std::byte> target = batch.targets();
    const auto values = static_cast<std::ptrdiff_t>(batch.count * values_of(setting_.sample.target));
    const bool halves = setting_.sample.dtype == DType::kBF16;
#pragma omp parallel for
    for (std::ptrdiff_t i = 0; i < values; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (halves) {
        targets_[at] = from_bf16(target.data() + 2 * at);
      } else {
        std::memcpy(&targets_[at], target.data() + 4 * at, sizeof(float));
      }
    }
  }
  if (batch.count == setting_.batch_size) return graph_.set_input(input.data());
  for (std::size_t at = 0; at < filled_up_.size(); at += input.size()) {
    std::memcpy(filled_up_.data() + at, input.data(), std::min(input.size(), filled_up_.size() - at));
  }
  graph_.set_input(filled_up_.data());
}

Score TrainingStep::score(const Slot& batch) {
  const std::span<const float> outputs = graph_.outputs();
  const std::span<float> gradients = graph_.output_gradients();
  const std::size_t of_sample = outputs.size() / setting_.batch_size;
  const std::size_t counted = batch.count * of_sample;
  // Samples that fill up a short batch do not count in the loss.
  std::ranges::fill(gradients.subspan(counted), 0.0F);
  if (options_.network->loss == Loss::kL1) {
    const LossResult result =
        l1(outputs.first(counted), std::span<const float>(targets_).first(counted), gradients.first(counted));
    return {.samples = batch.count, .loss_sum = result.sum / static_cast<double>(of_sample)};
  }
  const LossResult result =
      cross_entropy(outputs.first(counted), batch.labels.first(batch.count), of_sample, gradients.first(counted));
  return {.samples = batch.count, .loss_sum = result.sum, .correct = result.correct};
}

template <typename Work>
void TrainingStep::timed(Stage stage, const Work& work) {
  time_stage(clock_, stages_[stage], sequence_, log_, work);
}

std::string TrainingStep::description() const {
  const bool emulated = support_of(setting_.precision) == PrecisionSupport::kEmulated;
  const GraphFacts& facts = graph_.facts();
  return fmt::format("{}, {} weights, {}{}, {}, {} thread{}, {} reorders per step", options_.network->name,
                     facts.weights, name(setting_.precision), emulated ? " (emulated: this CPU computes in f32)" : "",
                     setting_.fusion ? "fused" : "not fused", setting_.threads, setting_.threads == 1 ? "" : "s",
                     facts.reorders) +
         (buckets_ ? fmt::format(", gradients of {} ranks in {} bucket{}", buckets_->ranks(), buckets_->count(),
                                 buckets_->count() == 1 ? "" : "s")
                   : "");
}

std::size_t TrainingStep::memory_bytes(const TrainingOptions& options, const StepSetting& setting) {
  check(options, setting);
  const auto layers = layers_of(options, setting);
  const auto shapes = tensor_shapes(layers, setting.sample.input);
  std::size_t values = 0;
  for (const auto& shape : shapes) {
    // Formats have channels in blocks of 16.
    values += 2 * values_of(shape) / shape[0] * ((shape[0] + 15) / 16 * 16);
  }
  const std::size_t element = setting.precision == Precision::kBF16 ? 2 : 4;
  return setting.batch_size * values * element;
}

}  // namespace loadline
