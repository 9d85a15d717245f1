#include "bench/truth/system.h"

#include <fmt/format.h>

namespace loadline::truth {
namespace {

constexpr double kStallShare = 0.01;
constexpr double kStallFactor = 20;
constexpr double kSlowShare = 0.1;
constexpr double kSlowFactor = 1.25;  // a rate lower by 20 %
constexpr double kDrift = 0.04;

}  // namespace

std::string_view name(Law law) {
  switch (law) {
    case Law::kConstant: return "constant";
    case Law::kExponential: return "exponential";
    case Law::kLogNormal: return "log-normal";
    case Law::kStalls: return "rare stalls";
  }
  return "";
}

std::string_view name(NoiseKind kind) {
  switch (kind) {
    case NoiseKind::kNormal: return "normal";
    case NoiseKind::kSkewed: return "skewed";
    case NoiseKind::kVerySkewed: return "very skewed";
    case NoiseKind::kOneInTen: return "one in ten 20 % slower";
    case NoiseKind::kDrift: return "drift";
  }
  return "";
}

double Times::draw(Draws& draws) const {
  switch (law) {
    case Law::kConstant: return mean_seconds;
    case Law::kExponential: return mean_seconds * draws.exponential();
    case Law::kLogNormal: return mean_seconds * draws.log_normal(variation);
    case Law::kStalls: {
      const double usual = mean_seconds / (1 + kStallShare * (kStallFactor - 1));
      return draws.chance(kStallShare) ? kStallFactor * usual : usual;
    }
  }
  return mean_seconds;
}

double Noise::draw(Draws& draws, double progress) const {
  switch (kind) {
    case NoiseKind::kNormal: return draws.log_normal(size);
    case NoiseKind::kSkewed: {
      double sum = 0;
      for (int i = 0; i < 4; ++i) sum += draws.exponential();
      return 1 + size * sum / 2;  // whose deviation is 2
    }
    case NoiseKind::kVerySkewed: return 1 + size * draws.exponential();
    case NoiseKind::kOneInTen: return draws.log_normal(size) * (draws.chance(kSlowShare) ? kSlowFactor : 1);
    case NoiseKind::kDrift: return draws.log_normal(size) * (1 + kDrift * (progress - 0.5));
  }
  return 1;
}

std::string System::key() const {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(service.law),
                     service.mean_seconds, service.variation, contention, loader_factor, prefetch, hand_over_seconds,
                     drain_seconds, static_cast<int>(step.law), step.mean_seconds, step.variation, device, depth,
                     slowed_service, slowed_step, slow_batches, cold_factor, harness_seconds);
}

}  // namespace loadline::truth
