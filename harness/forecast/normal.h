// Normally distributed draws that are the same on every machine. Pure functions, safe from any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace loadline {

// The standard normal value with a share `below` of all draws less than it and `above` = 1 - `below` greater. The
// smaller of the two counts, since it is more exact. Off by at most 4.5e-4 (Abramowitz and Stegun, 26.2.23).
inline double normal_quantile(double below, double above) {
  const double tail = std::max(1e-300, std::min(below, above));
  const double t = std::sqrt(-2 * std::log(tail));
  const double x =
      t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  return below > above ? x : -x;
}

class NormalDraws {
 public:
  explicit NormalDraws(std::uint64_t seed) : bits_(seed) {}

  // From (0, 1).
  double uniform() { return (static_cast<double>(bits_() >> 11U) + 0.5) * 0x1p-53; }

  double one() {
    const double below = uniform();
    return normal_quantile(below, 1 - below);
  }

  // The largest of `count` draws.
  double largest(double count) {
    const double log_below = std::log(uniform()) / count;
    return normal_quantile(std::exp(log_below), -std::expm1(log_below));
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace loadline
