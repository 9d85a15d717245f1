// The last part of a training step: updates weights from gradients.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "loaders/system/memory.h"
#include "synthetic/compute/cnn/network.h"

namespace loadline {

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::kSgd;
  double learning_rate = 0.05;
  double momentum = 0.9;    // for SGD
  double weight_decay = 0;  // times the weight, added to the gradient
  bool fused = true;        // one pass over all weights, rather than one per operation and tensor
};

// SGD with momentum in the form v = momentum v + g, w = w - rate v, or Adam (Kingma and Ba, ICLR 2015, algorithm 1,
// with its betas of 0.9 and 0.999 and epsilon of 1e-8). Fused or not, the weights are the same within rounding.
class Optimizer {
 public:
  // For contiguous weights, in tensors with these numbers of values. Threads: those of OpenMP.
  Optimizer(const OptimizerOptions& options, std::span<const std::size_t> tensor_values);

  // Both spans hold all tensors. One thread at a time.
  void step(std::span<float> weights, std::span<const float> gradients);

 private:
  void sgd_fused(std::span<float> weights, std::span<const float> gradients);
  void sgd_apart(std::span<float> weights, std::span<const float> gradients);
  void adam_fused(std::span<float> weights, std::span<const float> gradients);
  void adam_apart(std::span<float> weights, std::span<const float> gradients);

  OptimizerOptions options_;
  std::vector<std::size_t> tensor_values_;
  std::size_t steps_ = 0;
  HugeMemory state_;
  std::span<float> first_;    // velocity, or the mean of gradients
  std::span<float> second_;   // the mean of squared gradients; empty for SGD
  std::span<float> scratch_;  // intermediate values between operations; empty if fused
};

}  // namespace loadline
