#include "loaders/transforms/normalisation.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "loaders/error.h"

namespace loadline {
namespace {

bool fits_float(double value) {
  return std::abs(value) <= std::numeric_limits<float>::max();
}

void check(DType dtype, std::size_t channels, std::span<const double> mean, std::span<const double> stddev) {
  if (dtype == DType::kI32) throw usage_error("dtype i32: it is for tokens, images can be u8, f32 or bf16");
  if (dtype == DType::kU8 && !(mean.empty() && stddev.empty())) {
    throw usage_error("normalisation of dtype u8: only f32 and bf16 can be normalised");
  }
  for (const auto& [name, values] : {std::pair{"mean", mean}, std::pair{"std", stddev}}) {
    if (values.empty() || values.size() == channels) continue;
    throw usage_error(fmt::format("{} of {} channel{}: a batch has {}", name, values.size(),
                                  values.size() == 1 ? "" : "s", channels));
  }
  for (const double value : mean) {
    if (!std::isfinite(value)) throw usage_error(fmt::format("mean: want a finite number, got {}", value));
  }
  for (const double value : stddev) {
    if (!std::isfinite(value) || value <= 0) throw usage_error(fmt::format("std: want more than 0, got {}", value));
  }
}

}  // namespace

std::vector<Affine> affine_of(DType dtype, std::size_t channels, std::span<const double> means,
                              std::span<const double> deviations) {
  check(dtype, channels, means, deviations);
  std::vector<Affine> affine;
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = means.empty() ? 0.0 : means[c];
    const double stddev = deviations.empty() ? 1.0 : deviations[c];
    if (!fits_float(1.0 / (255.0 * stddev)) || !fits_float(mean / stddev)) {
      throw usage_error(
          fmt::format("mean {} and std {}: the normalised values are beyond single precision", mean, stddev));
    }
    affine.push_back({.scale = static_cast<float>(1.0 / (255.0 * stddev)), .bias = static_cast<float>(-mean / stddev)});
  }
  return affine;
}

}  // namespace loadline
