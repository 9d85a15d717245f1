#include "synthetic/compute/gpt/tensors.h"

#include <cmath>
#include <numbers>

namespace loadline {

std::vector<GptTensor> tensors_of(const GptShape& shape) {
  constexpr float kDeviation = 0.02F;
  // The stream sums the output of all layers.
  const float residual = kDeviation / std::sqrt(2 * static_cast<float>(shape.layers));
  const std::size_t c = shape.width;
  std::vector<GptTensor> all{{"tokens", shape.vocabulary * c, kDeviation}, {"places", shape.length * c, kDeviation}};
  for (std::size_t i = 0; i < shape.layers; ++i) {
    const std::vector<GptTensor> layer{{"norm 1 gain", c, 0, 1},
                                       {"norm 1 offset", c},
                                       {"attention in", c * 3 * c, kDeviation},
                                       {"attention in offset", 3 * c},
                                       {"attention out", c * c, residual},
                                       {"attention out offset", c},
                                       {"norm 2 gain", c, 0, 1},
                                       {"norm 2 offset", c},
                                       {"dense in", c * kGrowth * c, kDeviation},
                                       {"dense in offset", kGrowth * c},
                                       {"dense out", kGrowth * c * c, residual},
                                       {"dense out offset", c}};
    all.insert(all.end(), layer.begin(), layer.end());
  }
  all.push_back({"last norm gain", c, 0, 1});
  all.push_back({"last norm offset", c});
  return all;
}

std::size_t values_in(const std::vector<GptTensor>& tensors) {
  std::size_t sum = 0;
  for (const GptTensor& tensor : tensors) sum += tensor.values;
  return sum;
}

// Two normal values at a time (Box, Muller, 1958).
void draw_normal(Random& random, const GptTensor& tensor, std::span<float> out) {
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
    const double angle = 2 * std::numbers::pi * random.unit();
    out[i] = tensor.mean + tensor.deviation * static_cast<float>(radius * std::cos(angle));
    if (i + 1 < out.size()) out[i + 1] = tensor.mean + tensor.deviation * static_cast<float>(radius * std::sin(angle));
  }
}

}  // namespace loadline
