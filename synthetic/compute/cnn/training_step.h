// One step of training on the CPU: forward, loss, backward, weights.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loaders/batch.h"
#include "loaders/system/affinity.h"
#include "synthetic/clock.h"
#include "synthetic/compute/cnn/graph.h"
#include "synthetic/compute/cnn/network.h"
#include "synthetic/compute/cnn/optimizer.h"
#include "synthetic/compute/compute.h"
#include "synthetic/compute/gradient_sum.h"

namespace loadline {

struct TrainingOptions {
  const Network* network = nullptr;
  OptimizerOptions optimizer;
  double bucket_bytes = 0;  // of gradients that ranks sum up at a time; 0: none are summed up
};

// Made, used and destroyed by one thread, which is the first of the `setting.threads` that compute.
//
// A batch that is short is filled up with its own first samples, which count for nothing in loss and gradient: the
// kernels are made for whole batches, and so a short one takes as long.
class TrainingStep {
 public:
  // Throws usage Error where the network does not fit the samples, or this CPU has no such precision.
  // `log`, if any, gets the stages of each step. With `sum` weights follow the mean gradient of all ranks, so that all
  // of them keep the same ones.
  TrainingStep(const TrainingOptions& options, const StepSetting& setting, const Clock& clock, StepLog* log = nullptr,
               GradientSum* sum = nullptr);

  // Throws Error naming epoch and batch where the loss is no number. Where another rank has left, weights stay.
  Score train(const Slot& batch);
  // A step without samples: where ranks sum up their gradients, weights follow those of the others.
  void sit_out();
  // Forward alone, with what normalisations remember.
  Score evaluate(const Slot& batch);

  std::span<const StageTime> stages() const { return stages_; }
  // "lenet, 61,706 weights, f32, fused, 2 threads, 4 reorders a step".
  std::string description() const;
  bool classifies() const { return options_.network->loss == Loss::kCrossEntropy; }
  // As Sink has them.
  std::optional<SummedGradients> summed();
  bool ended() const { return buckets_ && buckets_->left(); }

  // For tests: the loss and its gradient, but no new weights.
  Score differentiate(const Slot& batch);
  Graph& graph() { return graph_; }

  // About what one takes. Throws as the constructor does.
  static std::size_t memory_bytes(const TrainingOptions& options, const StepSetting& setting);

 private:
  enum Stage : std::size_t { kCopy, kForward, kBackward, kOptimizer, kGradients };

  void backward();
  void follow_gradients();
  void take_input(const Slot& batch);
  Score score(const Slot& batch);
  template <typename Work>
  void timed(Stage stage, const Work& work);

  TrainingOptions options_;
  StepSetting setting_;
  const Clock& clock_;
  StepLog* log_;
  std::uint64_t sequence_ = 0;  // of the batch in hand
  std::optional<PinnedThread> pinned_;
  Graph graph_;
  Optimizer optimizer_;
  std::vector<std::byte> filled_up_;        // a short batch
  std::vector<float> targets_;              // of a loss that has values for targets
  std::optional<GradientBuckets> buckets_;  // nullopt: this process trains alone
  std::vector<StageTime> stages_{{"copy"}, {"forward"}, {"backward"}, {"optimizer"}};  // with buckets, "gradients"
};

}  // namespace loadline
