#include "harness/judge/student_t.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "loaders/error.h"

namespace loadline {
namespace {

double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);  // std::lgamma writes the global signgam, which is a race between threads
}

// The continued fraction of the incomplete beta function, DLMF 8.17.22, by the modified Lentz method
// (Thompson and Barnett, J. Comput. Phys. 64, 1986). It converges in O(sqrt(max(a, b))) terms for
// x < (a + 1) / (a + b + 2), which the caller sees to.
double beta_fraction(double x, double a, double b) {
  static constexpr double kTiny = 1e-300;  // stands in for a denominator that vanishes
  const auto nonzero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };

  double numerators = 1;
  double denominators = 1 / nonzero(1 - (a + b) * x / (a + 1));
  double fraction = denominators;
  for (double m = 1;; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    denominators = 1 / nonzero(1 + even * denominators);
    numerators = nonzero(1 + even / numerators);
    fraction *= denominators * numerators;

    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    denominators = 1 / nonzero(1 + odd * denominators);
    numerators = nonzero(1 + odd / numerators);
    const double step = denominators * numerators;
    fraction *= step;
    if (std::abs(step - 1) <= 4 * std::numeric_limits<double>::epsilon()) return fraction;
    if (m > 1e6) throw Error(fmt::format("incomplete beta function of {}, {}, {}: no convergence", x, a, b));
  }
}

// Regularised incomplete beta function I_x(a, b), DLMF 8.17.2. `y` is 1 - x, given apart because it is known
// exactly where x is close to 1.
double incomplete_beta(double x, double y, double a, double b) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log(y));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(y, b, a) / b;  // DLMF 8.17.4
}

void require_degrees(double degrees) {
  if (!(degrees > 0) || !std::isfinite(degrees))
    throw Error(fmt::format("Student's t: want positive degrees of freedom, got {}", degrees));
}

void require_probability(double probability) {
  if (!(probability > 0 && probability < 1))
    throw Error(fmt::format("quantile: want a probability between 0 and 1, got {}", probability));
}

// Where `beyond`, the share of a distribution further from zero than its argument, falls to `outside`.
template <typename Beyond>
double two_sided_quantile(double outside, const Beyond& beyond) {
  double low = 0;
  double high = 1;
  while (beyond(high) > outside) {
    low = high;
    high *= 2;
  }
  // Bisection to the last bit: some fifty steps, and no derivative that could go wrong in a heavy tail.
  for (double middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2)
    (beyond(middle) > outside ? low : high) = middle;
  return high;
}

}  // namespace

double t_two_sided_p(double t, double degrees) {
  require_degrees(degrees);
  if (std::isnan(t)) throw Error("Student's t: want a number, got NaN");
  const double ratio = t * t / degrees;
  if (std::isinf(ratio)) return 0;
  return incomplete_beta(1 / (1 + ratio), ratio / (1 + ratio), degrees / 2, 0.5);
}

double t_quantile(double probability, double degrees) {
  require_degrees(degrees);
  require_probability(probability);
  return two_sided_quantile(1 - probability, [&](double t) { return t_two_sided_p(t, degrees); });
}

double normal_quantile(double probability) {
  require_probability(probability);
  return two_sided_quantile(1 - probability, [](double z) { return std::erfc(z / std::numbers::sqrt2); });
}

}  // namespace loadline
