#include "synthetic/compute/cnn.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace loadline {
namespace {

// The network's own rate, or a usual one if it is trained with the other optimizer. SGD's rate is for one batch size
// and falls in proportion for smaller batches (Goyal et al.: "Accurate, large minibatch SGD", 2017); it does not rise
// for larger ones, which would need a warm-up.
double suitable_rate(const Network& network, OptimizerKind kind, std::size_t batch_size) {
  if (kind == OptimizerKind::kAdam) return network.optimizer == kind ? network.learning_rate : 0.001;
  const double rate = network.optimizer == kind ? network.learning_rate : 0.05;
  return rate * std::min(1.0, static_cast<double>(batch_size) / static_cast<double>(network.rate_batch));
}

class Cnn final : public Trainer {
 public:
  Cnn(const TrainingOptions& options, const ComputeContext& context)
      : step_(options, context.setting, context.clock, context.log, context.gradients) {}

  void consume(Batch batch) override {
    if (batch->count == 0) return step_.sit_out();
    score_.add(step_.train(*batch));
  }
  std::span<const StageTime> stages() const override { return step_.stages(); }
  std::string description() const override { return step_.description(); }
  std::optional<SummedGradients> summed() override { return step_.summed(); }
  bool ended() const override { return step_.ended(); }

  Score take_score() override { return std::exchange(score_, {}); }
  Score evaluate(const Slot& batch) override { return batch.count > 0 ? step_.evaluate(batch) : Score(); }
  bool classifies() const override { return step_.classifies(); }

 private:
  TrainingStep step_;
  Score score_;
};

consteval std::size_t cnn_index(std::string_view parameter) {
  return parameter_index(kCnnParameters, parameter);
}

}  // namespace

TrainingOptions training_options(std::span<const double> values, const StepSetting& setting) {
  const auto network = static_cast<std::size_t>(values[cnn_index("network")]);
  TrainingOptions options{.network = network == 0 ? &suitable_network(setting.sample) : &networks()[network - 1]};
  const auto optimizer = static_cast<std::size_t>(values[cnn_index("optimizer")]);
  options.optimizer.kind = optimizer == 0   ? options.network->optimizer
                           : optimizer == 1 ? OptimizerKind::kSgd
                                            : OptimizerKind::kAdam;
  const double rate = values[cnn_index("learning_rate")];
  options.optimizer.learning_rate =
      rate > 0 ? rate : suitable_rate(*options.network, options.optimizer.kind, setting.batch_size);
  options.optimizer.momentum = values[cnn_index("momentum")];
  options.optimizer.weight_decay = values[cnn_index("weight_decay")];
  options.optimizer.fused = setting.fusion;
  options.bucket_bytes = values[cnn_index("bucket_bytes")];
  return options;
}

std::unique_ptr<Trainer> make_cnn_trainer(std::span<const double> values, const ComputeContext& context) {
  return std::make_unique<Cnn>(training_options(values, context.setting), context);
}

std::unique_ptr<Sink> make_cnn(std::span<const double> values, const ComputeContext& context) {
  return make_cnn_trainer(values, context);
}

std::size_t cnn_memory_bytes(std::span<const double> values, const StepSetting& setting) {
  return TrainingStep::memory_bytes(training_options(values, setting), setting);
}

}  // namespace loadline
