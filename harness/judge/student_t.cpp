#include "harness/judge/student_t.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "loaders/error.h"

namespace loadline {
namespace {

namespace bm = boost::math;
// Doubles are precise enough here, and what exceeds them is infinite. Arguments are checked below.
using Policy =
    bm::policies::policy<bm::policies::promote_double<false>, bm::policies::overflow_error<bm::policies::ignore_error>>;
using StudentT = bm::students_t_distribution<double, Policy>;
using ChiSquared = bm::chi_squared_distribution<double, Policy>;

void require_degrees(double degrees) {
  if (!(degrees > 0) || !std::isfinite(degrees))
    throw Error(fmt::format("Student's t: want positive degrees of freedom, got {}", degrees));
}

void require_probability(double probability) {
  if (!(probability > 0 && probability < 1))
    throw Error(fmt::format("quantile: want a probability between 0 and 1, got {}", probability));
}

// Simpson's rule.
template <typename Function>
double integral(double from, double to, const Function& f) {
  static constexpr int kIntervals = 256;  // even
  const double step = (to - from) / kIntervals;
  double sum = f(from) + f(to);
  for (int i = 1; i < kIntervals; ++i) sum += (i % 2 == 1 ? 4 : 2) * f(from + i * step);
  return sum * step / 3;
}

double normal_above(double value) {
  return std::erfc(value / std::numbers::sqrt2) / 2;
}

// How often the estimate exceeds what it must, averaged over the estimated standard error (in true ones).
double power_beyond(double threshold, double difference, double degrees, double critical) {
  const ChiSquared squares(degrees);
  const auto errors_below = [&](double error) {
    const double square = degrees * error * error;
    return std::isfinite(square) ? bm::cdf(squares, square) : 1;
  };
  const double half = degrees / 2;
  const double log_scale = std::numbers::ln2 + half * std::log(half) - bm::lgamma(half, Policy()) - half;
  const auto error_density = [&](double error) {
    return error > 0 ? std::exp(log_scale + (degrees - 1) * std::log(error) - half * (error * error - 1)) : 0;
  };
  const auto found = [&](double asked) { return normal_above(asked - difference); };
  const double bend = threshold / critical;  // above it the quantile asks for more than the threshold
  const double below = errors_below(bend) * found(threshold);
  // Beyond this many standard errors an estimate is found always or never.
  static constexpr double kFar = 8;
  static constexpr double kNever = 1e-12;
  const double always = std::max(bend, (difference - kFar) / critical);
  const double certain = always > bend ? errors_below(always) - errors_below(bend) : 0;
  const double start = std::max(always, std::sqrt(bm::quantile(squares, kNever) / degrees));
  const double end =
      std::min(std::sqrt(bm::quantile(bm::complement(squares, kNever)) / degrees), (difference + kFar) / critical);
  if (end <= start) return below + certain;
  // Integrates over the root, since with few degrees the density rises from 0 like a root, which Simpson's rule
  // handles badly.
  return below + certain + integral(std::sqrt(start), std::sqrt(end), [&](double root) {
           const double error = root * root;
           return 2 * root * error_density(error) * found(critical * error);
         });
}

}  // namespace

double t_two_sided_p(double t, double degrees) {
  require_degrees(degrees);
  if (std::isnan(t)) throw Error("Student's t: want a number, got NaN");
  if (std::isinf(t)) return 0;
  return 2 * bm::cdf(bm::complement(StudentT(degrees), std::abs(t)));
}

double t_quantile(double probability, double degrees) {
  require_degrees(degrees);
  require_probability(probability);
  return bm::quantile(bm::complement(StudentT(degrees), (1 - probability) / 2));
}

double t_power(double difference, double degrees, double alpha, double threshold) {
  const double critical = t_quantile(1 - alpha, degrees);
  if (!std::isfinite(difference) || !(threshold >= 0))
    throw Error(fmt::format("power: want a finite difference and a threshold of at least 0, got {} and {}", difference,
                            threshold));
  static constexpr double kAsGoodAsKnown = 1e6;  // then the estimated error is the true one to a thousandth
  if (degrees > kAsGoodAsKnown) return normal_above(std::max(threshold, critical) - difference);
  return power_beyond(threshold, difference, degrees, critical);
}

double t_difference(double power, double degrees, double alpha, double threshold) {
  require_probability(power);
  const auto lacking = [&](double difference) { return power - t_power(difference, degrees, alpha, threshold); };
  if (lacking(0) <= 0) throw Error(fmt::format("power: want more than without a difference, got {}", power));
  double high = 1 + threshold;
  while (lacking(high) > 0) high *= 2;
  static constexpr int kBits = 36;  // 1e-11
  std::uintmax_t most_steps = 100;
  // Alefeld, Potra and Shi's algorithm 748. The upper end of its bracket is found often enough.
  return bm::tools::toms748_solve(lacking, 0.0, high, bm::tools::eps_tolerance<double>(kBits), most_steps).second;
}

}  // namespace loadline
