// Losses and their gradients, over plain f32 values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace loadline {

struct LossResult {
  double sum = 0;           // over samples (cross-entropy) or values (L1)
  std::size_t correct = 0;  // samples whose largest output is that of their label
};

// For `count` samples: outputs are [count, classes]. Writes d(mean loss)/d(output) to `gradient`, in the same layout.
// Labels are below `classes`. The softmax subtracts the largest output, so that no exponential overflows.
LossResult cross_entropy(std::span<const float> outputs, std::span<const std::int32_t> labels, std::size_t classes,
                         std::span<float> gradient);

// d(mean |output - target|)/d(output) is the sign divided by the number of values. `gradient` may be `outputs`.
LossResult l1(std::span<const float> outputs, std::span<const float> targets, std::span<float> gradient);

}  // namespace loadline
