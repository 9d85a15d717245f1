// The shape of a curve of throughput over workers, by two laws to be shown beside each other with their residuals: one
// in which workers get into each other's way, one in which they run into something else's limit. Pure functions, safe
// from any thread.
//
// Both describe the counts that were measured and no others: what a law says of more workers than the largest count
// measured, or than there are cores in force, is not known to anyone. It is for the caller to ask for nothing beyond.
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
  double kappa;     // coherency: the cost of each pair of workers to each other
  double residual;  // as of fit_scalability()

  double samples_per_second(double workers) const;

  // Where the law has its maximum, sqrt((1 - sigma) / kappa), rounded down, and at least 1; nullopt where kappa is 0,
  // for then it rises, or falls, throughout. More than the largest count measured means only that it was not reached.
  std::optional<double> peak_workers() const;
};

// X(N) = min(per_worker N, cap).
struct CappedLinearFit {
  double per_worker;  // samples per second; where even the fewest workers reach the cap, at least this
  // Samples per second; nullopt where no count reaches it. One that only the largest count reaches rests on that rate
  // alone.
  std::optional<double> cap;
  double residual;  // as of fit_capped_linear()

  double samples_per_second(double workers) const;
};

// Both fits minimise the weighted sum of the squares of (rate - fit) / fit, because the noise of a rate is in
// proportion to it, and `residual` is the root of its weighted mean: 0.02 is a curve that misses its points by 2 %. In
// that measure each law, as far as it has one formula, is linear in the reciprocals 1 / lambda, sigma / lambda and
// kappa / lambda, or 1 / per_worker and 1 / cap. So the best fit is found outright, without a start value and without
// iteration.
//
// A term that makes no difference is left out: of a straight line sigma and kappa are exactly 0 and there is no cap.
// Three counts determine the three parameters of the first law, so that its residual says nothing before there are
// four.
//
// Both give none for fewer than three different counts; and fit_scalability() also where the rates call for a lambda
// without limit, such as a fall that levels off in a curve without a count of 1. Both throw Error on no workers, on a
// rate or weight that is not positive and finite. Points may come in any order, and several may share a count.
std::optional<ScalabilityFit> fit_scalability(std::span<const ScalingPoint> points);
std::optional<CappedLinearFit> fit_capped_linear(std::span<const ScalingPoint> points);

}  // namespace loadline
