#include "synthetic/compute/gpt.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "loaders/assemble.h"
#include "loaders/error.h"
#include "loaders/system/affinity.h"
#include "synthetic/compute/cnn/graph.h"
#include "synthetic/compute/cnn/optimizer.h"
#include "synthetic/compute/cnn/threads.h"
#include "synthetic/compute/step_log.h"

namespace loadline {
namespace {

consteval std::size_t gpt_index(std::string_view parameter) {
  return parameter_index(kGptParameters, parameter);
}

OptimizerOptions optimizer_of(std::span<const double> values, const StepSetting& setting) {
  return {.kind = OptimizerKind::kAdam,
          .learning_rate = values[gpt_index("learning_rate")],
          .weight_decay = values[gpt_index("weight_decay")],
          .fused = setting.fusion};
}

// Made, used and destroyed by one thread, which is the first of those that compute.
//
// A short batch is filled up with empty samples, which do not count: products are made for whole batches, so a short
// one takes as long.
class GptTrainer final : public Trainer {
 public:
  GptTrainer(std::span<const double> values, const ComputeContext& context)
      : shape_(gpt_shape(values, context.setting)),
        setting_(context.setting),
        clock_(context.clock),
        log_(context.log),
        pinned_((start_step_threads("gpt", setting_), first_step_cpu(setting_))),
        model_(shape_, setting_.precision, setting_.fusion, setting_.seed),
        optimizer_(optimizer_of(values, setting_), model_.tensor_values()),
        samples_(shape_.batch_size * (shape_.length + 1)) {}

  void consume(Batch batch) override {
    if (batch->count == 0) return;
    sequence_ = batch->sequence;
    timed(kCopy, [&] { take(*batch); });
    NextTokenLoss loss;
    timed(kForward, [&] { loss = model_.forward(samples_.data(), true); });
    if (!std::isfinite(loss.sum)) {
      throw Error(
          fmt::format("compute gpt: the loss is not finite in batch {} of the run, epoch {}: lower learning_rate",
                      batch->sequence, batch->epoch));
    }
    timed(kBackward, [&] { model_.backward(); });
    timed(kOptimizer, [&] { optimizer_.step(model_.weights(), model_.gradients()); });
    score_.add(score_of(loss, batch->count));
  }

  Score evaluate(const Slot& batch) override {
    if (batch.count == 0) return {};
    take(batch);
    return score_of(model_.forward(samples_.data(), false), batch.count);
  }

  std::span<const StageTime> stages() const override { return stages_; }
  Score take_score() override { return std::exchange(score_, {}); }
  bool classifies() const override { return false; }

  // "2 layers of 64, 4 heads, vocabulary 256, 133,120 weights, f32, fused, 2 threads".
  std::string description() const override {
    const bool emulated = support_of(setting_.precision) == PrecisionSupport::kEmulated;
    std::size_t weights = 0;
    for (const GptTensor& tensor : model_.tensors()) weights += tensor.values;
    return fmt::format("{} layer{} of {}, {} head{}, vocabulary {}, {} weights, {}{}, {}, {} thread{}", shape_.layers,
                       shape_.layers == 1 ? "" : "s", shape_.width, shape_.heads, shape_.heads == 1 ? "" : "s",
                       shape_.vocabulary, weights, name(setting_.precision),
                       emulated ? " (emulated: this CPU computes in f32)" : "", setting_.fusion ? "fused" : "not fused",
                       setting_.threads, setting_.threads == 1 ? "" : "s");
  }

 private:
  enum Stage : std::size_t { kCopy, kForward, kBackward, kOptimizer, kStages };

  // Treats the mean loss per token as the loss of each sample.
  static Score score_of(const NextTokenLoss& loss, std::size_t samples) {
    const auto tokens = static_cast<double>(std::max<std::size_t>(loss.tokens, 1));
    return {.samples = samples, .loss_sum = loss.sum / tokens * static_cast<double>(samples)};
  }

  void take(const Slot& batch) {
    const std::span<const std::byte> bytes = batch.inputs();
    std::memcpy(samples_.data(), bytes.data(), bytes.size());
    const std::size_t values = batch.count * (shape_.length + 1);
    std::fill(samples_.begin() + static_cast<std::ptrdiff_t>(values), samples_.end(), kNoToken);
    const auto [least, most] = std::ranges::minmax(std::span(samples_).first(values));
    if (most >= 0 && static_cast<std::size_t>(most) >= shape_.vocabulary) {
      throw Error(fmt::format(
          "compute gpt: token {} in batch {} of the run is out of range, want below {}; raise gpt:vocabulary", most,
          batch.sequence, shape_.vocabulary));
    }
    if (least < kNoToken) {
      throw Error(fmt::format("compute gpt: token {} in batch {} of the run is negative, and only {} means padding",
                              least, batch.sequence, kNoToken));
    }
  }

  template <typename Work>
  void timed(Stage stage, const Work& work) {
    time_stage(clock_, stages_[stage], sequence_, log_, work);
  }

  GptShape shape_;
  StepSetting setting_;
  const Clock& clock_;
  StepLog* log_;
  std::uint64_t sequence_ = 0;  // of the current batch
  std::optional<PinnedThread> pinned_;
  Gpt model_;
  Optimizer optimizer_;
  std::vector<std::int32_t> samples_;
  std::array<StageTime, kStages> stages_{{{"copy"}, {"forward"}, {"backward"}, {"optimizer"}}};
  Score score_;
};

}  // namespace

GptShape gpt_shape(std::span<const double> values, const StepSetting& setting) {
  if (setting.sample.dtype != DType::kI32) {
    throw usage_error(fmt::format("compute gpt: the samples are {}, want tokens, as in --workload tokens",
                                  name(setting.sample.dtype)));
  }
  if (support_of(setting.precision) == PrecisionSupport::kNone) {
    throw usage_error(
        fmt::format("--precision {}: oneDNN needs AVX-512 for it, which this CPU lacks", name(setting.precision)));
  }
  const auto value = [&](std::size_t i) { return static_cast<std::size_t>(values[i]); };
  const std::size_t vocabulary = value(gpt_index("vocabulary"));
  const GptShape shape{.layers = value(gpt_index("layers")),
                       .width = value(gpt_index("width")),
                       .heads = value(gpt_index("heads")),
                       .vocabulary = vocabulary == 0 ? setting.classes : vocabulary,
                       .length = setting.sample.input[0] - 1,
                       .batch_size = setting.batch_size};
  if (shape.width % shape.heads != 0) {
    throw usage_error(
        fmt::format("compute gpt: width={} cannot be divided evenly among {} heads", shape.width, shape.heads));
  }
  return shape;
}

std::unique_ptr<Trainer> make_gpt_trainer(std::span<const double> values, const ComputeContext& context) {
  return std::make_unique<GptTrainer>(values, context);
}

std::unique_ptr<Sink> make_gpt(std::span<const double> values, const ComputeContext& context) {
  return make_gpt_trainer(values, context);
}

std::size_t gpt_memory_bytes(std::span<const double> values, const StepSetting& setting) {
  return Gpt::memory_bytes(gpt_shape(values, setting), setting.precision);
}

}  // namespace loadline
