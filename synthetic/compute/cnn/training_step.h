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
  double bucket_bytes = 0;  // gradients that ranks sum at a time; 0: no sums
};

// Made, used and destroyed by one thread, which is the first of the `setting.threads` that compute.
//
// A short batch is filled up with its own first samples, which do not count in loss and gradient: kernels are made
// for whole batches, so a short one takes as long.
class TrainingStep {
 public:
  // Throws usage Error if the network does not fit the samples, or this CPU lacks the precision. `log`, if any, gets
  // the stages of each step. With `sum`, weights follow the mean gradient of all ranks, so that all ranks keep the
  // same weights.
  TrainingStep(const TrainingOptions& options, const StepSetting& setting, const Clock& clock, StepLog* log = nullptr,
               GradientSum* sum = nullptr);

  // Throws Error naming epoch and batch if the loss is not finite. If another rank has left, weights stay unchanged.
  Score train(const Slot& batch);
  // A step without samples: if ranks sum their gradients, weights follow those of the others.
  void sit_out();
  // Only the forward pass, with the running statistics of normalisations.
  Score evaluate(const Slot& batch);

  std::span<const StageTime> stages() const { return stages_; }
  // "lenet, 61,706 weights, f32, fused, 2 threads, 4 reorders per step".
  std::string description() const;
  bool classifies() const { return options_.network->loss == Loss::kCrossEntropy; }
  // As in Sink.
  std::optional<SummedGradients> summed();
  bool ended() const { return buckets_ && buckets_->left(); }

  // For tests: the loss and its gradient, but no new weights.
  Score differentiate(const Slot& batch);
  Graph& graph() { return graph_; }

  // About how many bytes of memory one takes. Throws like the constructor.
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
  std::uint64_t sequence_ = 0;  // of the current batch
  std::optional<PinnedThread> pinned_;
  Graph graph_;
  Optimizer optimizer_;
  std::vector<std::byte> filled_up_;        // a short batch
  std::vector<float> targets_;              // for a loss whose targets are values
  std::optional<GradientBuckets> buckets_;  // nullopt: this process trains alone
  std::vector<StageTime> stages_{{"copy"}, {"forward"}, {"backward"}, {"optimizer"}};  // with buckets, "gradients"
};

}  // namespace loadline
