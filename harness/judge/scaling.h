// The shape of a curve of throughput over workers, by two laws to show side by side with their residuals: in one,
// workers get in each other's way; in the other, they run into the limit of something else. Pure functions, safe from
// any thread.
//
// Both describe only the counts that were measured. What happens with more workers than the largest count measured,
// or than there are cores in force, nobody knows; callers must not ask for it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace loadline {

// One trial, or the mean of the trials, of one worker count.
struct ScalingPoint {
  std::size_t workers;  // at least 1
  double samples_per_second;
  double weight = 1;  // trials that the rate is the mean of; above 0
};

// Universal Scalability Law, X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)), with sigma and kappa at least 0
// (Gunther, Guerrilla Capacity Planning, 2007, chapter 4).
struct ScalabilityFit {
  double lambda;    // samples per second of one worker
  double sigma;     // contention: the share of the work for which workers queue
  double kappa;     // coherency: what each pair of workers costs each other
  double residual;  // see fit_scalability()

  double samples_per_second(double workers) const;

  // The count at which the law is highest, the smallest N of at least 1 with N (N + 1) >= (1 - sigma) / kappa; nullopt
  // where kappa is 0, because then it only rises or only falls. A peak beyond the largest count measured means only
  // that it was not reached.
  std::optional<double> peak_workers() const;
};

// X(N) = min(per_worker N, cap).
struct CappedLinearFit {
  double per_worker;  // samples per second; where even the fewest workers reach the cap, at least this
  // Samples per second; nullopt where no count reaches a cap. A cap that only the largest count reaches rests on that
  // rate alone.
  std::optional<double> cap;
  double residual;  // see fit_capped_linear()

  double samples_per_second(double workers) const;
};

// Both fits minimise the weighted sum of the squares of (rate - fit) / fit, because the noise of a rate is
// proportional to it, and `residual` is the root of its weighted mean: 0.02 means a curve that misses its points by 2
// %. In that measure each law (each piece of the second) is linear in the reciprocals 1 / lambda, sigma / lambda and
// kappa / lambda, or 1 / per_worker and 1 / cap. So the best fit is found directly, without a start value or
// iteration.
//
// A term that makes no difference is left out: for a straight line, sigma and kappa are exactly 0 and there is no
// cap. Three counts determine the three parameters of the first law, so its residual says nothing with fewer than
// four.
//
// Both return std::nullopt for fewer than three different counts; fit_scalability() also where the best lambda would
// be infinite, as for a fall that levels off in a curve without a count of 1. Both throw Error on a count of 0, and
// on a rate or weight that is not positive and finite. Points may come in any order, and several may share a count.
std::optional<ScalabilityFit> fit_scalability(std::span<const ScalingPoint> points);
std::optional<CappedLinearFit> fit_capped_linear(std::span<const ScalingPoint> points);

}  // namespace loadline
