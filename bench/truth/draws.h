// Random draws that repeat on every standard library: its engines are specified to the bit, its distributions are not.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>

namespace loadline::truth {

// A value: copy it to fork the stream. One thread.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}

  // Uniform in (0, 1), in steps of 2^-53.
  double unit() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  // Uniform in the logarithm.
  double log_between(double low, double high) { return low * std::pow(high / low, unit()); }
  bool chance(double probability) { return unit() < probability; }
  // Uniform in [0, count).
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(unit() * static_cast<double>(count)); }
  template <typename List>
  const auto& one_of(const List& list) {
    return list[below(list.size())];
  }

  // Of mean 1.
  double exponential() { return -std::log(unit()); }
  // Standard normal, by Box and Muller (Annals of Mathematical Statistics 29, 1958).
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2 * std::log(unit()));
    const double angle = 2 * std::numbers::pi * unit();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }
  // Of mean 1 and this coefficient of variation.
  double log_normal(double variation) {
    const double variance = std::log1p(variation * variation);
    return std::exp(std::sqrt(variance) * normal() - variance / 2);
  }

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace loadline::truth
