#include "synthetic/compute/cnn/optimizer.h"

#include <cmath>
#include <numeric>
#include <vector>

namespace loadline {
namespace {

constexpr float kBeta1 = 0.9F;
constexpr float kBeta2 = 0.999F;
constexpr float kAdamEpsilon = 1e-8F;

// One pass over `values` values, shared by the threads of OpenMP.
template <typename Operation>
void pass(std::size_t values, Operation operation) {
  const auto count = static_cast<std::ptrdiff_t>(values);
#pragma omp parallel for simd schedule(static)
  for (std::ptrdiff_t i = 0; i < count; ++i) operation(i);
}

std::size_t sum_of(std::span<const std::size_t> values) {
  return std::accumulate(values.begin(), values.end(), std::size_t{0});
}

// Moments, and scratch if not fused.
std::size_t arrays_of(OptimizerKind kind, bool fused) {
  return (kind == OptimizerKind::kAdam ? 2U : 1U) + (fused ? 0U : 1U);
}

std::span<float> part_of(HugeMemory& memory, std::size_t part, std::size_t values) {
  return std::span(reinterpret_cast<float*>(memory.bytes().data()) + part * values, values);
}

}  // namespace

Optimizer::Optimizer(const OptimizerOptions& options, std::span<const std::size_t> tensor_values)
    : options_(options),
      tensor_values_(tensor_values.begin(), tensor_values.end()),
      state_(arrays_of(options.kind, options.fused) * sum_of(tensor_values) * sizeof(float)) {
  const std::size_t values = sum_of(tensor_values);
  std::size_t part = 0;
  first_ = part_of(state_, part++, values);
  if (options.kind == OptimizerKind::kAdam) second_ = part_of(state_, part++, values);
  if (!options.fused) scratch_ = part_of(state_, part, values);
}

void Optimizer::step(std::span<float> weights, std::span<const float> gradients) {
  ++steps_;
  if (options_.kind == OptimizerKind::kSgd) {
    options_.fused ? sgd_fused(weights, gradients) : sgd_apart(weights, gradients);
  } else {
    options_.fused ? adam_fused(weights, gradients) : adam_apart(weights, gradients);
  }
}

void Optimizer::sgd_fused(std::span<float> weights, std::span<const float> gradients) {
  const auto rate = static_cast<float>(options_.learning_rate);
  const auto momentum = static_cast<float>(options_.momentum);
  const auto decay = static_cast<float>(options_.weight_decay);
  float* const w = weights.data();
  float* const v = first_.data();
  const float* const g = gradients.data();
  pass(weights.size(), [=](std::ptrdiff_t i) {
    v[i] = momentum * v[i] + (g[i] + decay * w[i]);
    w[i] -= rate * v[i];
  });
}

void Optimizer::sgd_apart(std::span<float> weights, std::span<const float> gradients) {
  const auto rate = static_cast<float>(options_.learning_rate);
  const auto momentum = static_cast<float>(options_.momentum);
  const auto decay = static_cast<float>(options_.weight_decay);
  std::size_t at = 0;
  for (const std::size_t values : tensor_values_) {
    float* const w = weights.data() + at;
    float* const v = first_.data() + at;
    float* const s = scratch_.data() + at;
    const float* const g = gradients.data() + at;
    pass(values, [=](std::ptrdiff_t i) { s[i] = g[i] + decay * w[i]; });
    pass(values, [=](std::ptrdiff_t i) { v[i] *= momentum; });
    pass(values, [=](std::ptrdiff_t i) { v[i] += s[i]; });
    pass(values, [=](std::ptrdiff_t i) { w[i] -= rate * v[i]; });
    at += values;
  }
}

void Optimizer::adam_fused(std::span<float> weights, std::span<const float> gradients) {
  const auto step = static_cast<double>(steps_);
  const auto rate = static_cast<float>(options_.learning_rate / (1 - std::pow(double{kBeta1}, step)));
  const auto unbias = static_cast<float>(1 / (1 - std::pow(double{kBeta2}, step)));
  const auto decay = static_cast<float>(options_.weight_decay);
  float* const w = weights.data();
  float* const m = first_.data();
  float* const v = second_.data();
  const float* const g = gradients.data();
  pass(weights.size(), [=](std::ptrdiff_t i) {
    const float slope = g[i] + decay * w[i];
    m[i] = kBeta1 * m[i] + (1 - kBeta1) * slope;
    v[i] = kBeta2 * v[i] + (1 - kBeta2) * slope * slope;
    w[i] -= rate * m[i] / (std::sqrt(v[i] * unbias) + kAdamEpsilon);
  });
}

void Optimizer::adam_apart(std::span<float> weights, std::span<const float> gradients) {
  const auto step = static_cast<double>(steps_);
  const auto rate = static_cast<float>(options_.learning_rate / (1 - std::pow(double{kBeta1}, step)));
  const auto unbias = static_cast<float>(1 / (1 - std::pow(double{kBeta2}, step)));
  const auto decay = static_cast<float>(options_.weight_decay);
  std::size_t at = 0;
  for (const std::size_t values : tensor_values_) {
    float* const w = weights.data() + at;
    float* const m = first_.data() + at;
    float* const v = second_.data() + at;
    float* const s = scratch_.data() + at;
    const float* const g = gradients.data() + at;
    pass(values, [=](std::ptrdiff_t i) { s[i] = g[i] + decay * w[i]; });
    pass(values, [=](std::ptrdiff_t i) { m[i] *= kBeta1; });
    pass(values, [=](std::ptrdiff_t i) { m[i] += (1 - kBeta1) * s[i]; });
    pass(values, [=](std::ptrdiff_t i) { v[i] *= kBeta2; });
    pass(values, [=](std::ptrdiff_t i) { v[i] += (1 - kBeta2) * s[i] * s[i]; });
    pass(values, [=](std::ptrdiff_t i) { s[i] = std::sqrt(v[i] * unbias) + kAdamEpsilon; });
    pass(values, [=](std::ptrdiff_t i) { w[i] -= rate * m[i] / s[i]; });
    at += values;
  }
}

}  // namespace loadline
