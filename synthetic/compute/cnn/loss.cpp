#include "synthetic/compute/cnn/loss.h"

#include <algorithm>
#include <cmath>

namespace loadline {

LossResult cross_entropy(std::span<const float> outputs, std::span<const std::int32_t> labels, std::size_t classes,
                         std::span<float> gradient) {
  LossResult result;
  const float share = 1.0F / static_cast<float>(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto row = outputs.subspan(i * classes, classes);
    const auto out = gradient.subspan(i * classes, classes);
    const auto label = static_cast<std::size_t>(labels[i]);
    const auto greatest = std::ranges::max_element(row);
    if (static_cast<std::size_t>(greatest - row.begin()) == label) ++result.correct;
    const float most = *greatest;
    const float logit = row[label];
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += out[c] = std::exp(row[c] - most);
    result.sum += std::log(sum) + most - logit;
    const auto scale = static_cast<float>(share / sum);
    for (float& value : out) value *= scale;
    out[label] -= share;
  }
  return result;
}

LossResult l1(std::span<const float> outputs, std::span<const float> targets, std::span<float> gradient) {
  LossResult result;
  const float step = 1.0F / static_cast<float>(outputs.size());
  const auto values = static_cast<std::ptrdiff_t>(outputs.size());
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < values; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const float difference = outputs[at] - targets[at];
    sum += std::abs(difference);
    gradient[at] = difference > 0 ? step : difference < 0 ? -step : 0.0F;
  }
  // A NaN fails all comparisons: the sum keeps it, so that it shows in the loss.
  result.sum = sum;
  return result;
}

}  // namespace loadline
