#include "harness/judge/statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "harness/judge/student_t.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// `sorted` is not empty.
double median_of(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2;
}

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

Moments moments_of_logs(std::span<const double> values) {
  if (values.empty()) throw Error("ratio of trials: want at least one value on each side, got none");
  Moments moments;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value))
      throw Error(fmt::format("ratio of trials: want positive finite values, got {}", value));
    moments.add(std::log(value));
  }
  return moments;
}

// How far the mean of the logarithms is from the truth.
VarianceTerm term_of(const Moments& moments) {
  const auto count = static_cast<double>(moments.count());
  return {*moments.variance() / count, count - 1};
}

}  // namespace

bool overlap(const Estimate& a, const Estimate& b) {
  const Interval left = a.ci95.value_or(Interval{a.value, a.value});
  const Interval right = b.ci95.value_or(Interval{b.value, b.value});
  return left.low <= right.high && right.low <= left.high;
}

std::optional<double> Moments::variance() const {
  if (count_ < 2) return std::nullopt;
  return squares_ / static_cast<double>(count_ - 1);
}

std::optional<double> Moments::stddev() const {
  const auto spread = variance();
  return spread ? std::optional(std::sqrt(*spread)) : std::nullopt;
}

Summary summarize(std::span<const double> values) {
  if (values.empty()) throw Error("summary of trials: want at least one value, got none");
  Moments moments;
  for (const double value : values) {
    if (!std::isfinite(value)) throw Error(fmt::format("summary of trials: want finite values, got {}", value));
    moments.add(value);
  }
  const std::vector<double> sorted = sorted_copy(values);
  Summary summary{.count = values.size(),
                  .mean = moments.mean(),
                  .stddev = moments.stddev(),
                  .min = sorted.front(),
                  .median = median_of(sorted),
                  .max = sorted.back(),
                  .ci95 = std::nullopt};
  if (const auto variance = moments.variance()) {
    const auto count = static_cast<double>(values.size());
    const double half = half_width_95({*variance / count, count - 1});
    summary.ci95 = Interval{summary.mean - half, summary.mean + half};
  }
  return summary;
}

VarianceTerm combine(std::span<const VarianceTerm> terms) {
  VarianceTerm sum{0, 0};
  for (const VarianceTerm& term : terms) {
    sum.variance += term.variance;
    sum.degrees += term.degrees;
  }
  if (sum.variance == 0) return sum;
  double inverse_degrees = 0;
  for (const VarianceTerm& term : terms) {
    const double share = term.variance / sum.variance;  // squared only now: variances of times underflow
    inverse_degrees += share * share / term.degrees;
  }
  return {sum.variance, 1 / inverse_degrees};
}

double half_width_95(const VarianceTerm& combined) {
  if (combined.variance == 0) return 0;
  return t_quantile(0.95, combined.degrees) * std::sqrt(combined.variance);
}

Ratio log_welch_ratio(std::span<const double> base, std::span<const double> changed) {
  const Moments before = moments_of_logs(base);
  const Moments after = moments_of_logs(changed);
  const double difference = after.mean() - before.mean();
  Ratio ratio{.value = std::exp(difference), .ci95 = std::nullopt, .p = std::nullopt};
  if (before.count() < 2 || after.count() < 2) return ratio;

  const VarianceTerm combined = combine(std::array{term_of(before), term_of(after)});
  const double half = half_width_95(combined);
  const Interval interval{std::exp(difference - half), std::exp(difference + half)};
  if (std::isfinite(interval.high)) ratio.ci95 = interval;
  if (combined.variance > 0)
    ratio.p = t_two_sided_p(difference / std::sqrt(combined.variance), combined.degrees);
  else
    ratio.p = difference == 0 ? 1 : 0;  // the limits as the variance goes to nothing
  return ratio;
}

Estimate log_product(double factor, std::span<const std::span<const double>> over,
                     std::span<const std::span<const double>> under) {
  double sum = std::log(factor);
  bool spread_known = true;
  std::vector<VarianceTerm> terms;
  const auto add = [&](std::span<const double> values, double sign) {
    const Moments moments = moments_of_logs(values);
    sum += sign * moments.mean();
    if (moments.count() < 2) spread_known = false;
    if (spread_known) terms.push_back(term_of(moments));
  };
  for (const auto& values : over) add(values, 1);
  for (const auto& values : under) add(values, -1);

  Estimate product{std::exp(sum), std::nullopt};
  if (!spread_known || terms.empty()) return product;
  const double half = half_width_95(combine(terms));
  const Interval interval{std::exp(sum - half), std::exp(sum + half)};
  if (std::isfinite(interval.high)) product.ci95 = interval;
  return product;
}

std::vector<std::size_t> outliers(std::span<const double> values) {
  static constexpr std::size_t kFewest = 5;
  static constexpr double kLimit = 3.5;
  // Both make a deviation comparable with the standard deviation of a normal distribution.
  static constexpr double kOfMedianDeviation = 1.4826;
  static constexpr double kOfMeanDeviation = 1.2533;
  if (values.size() < kFewest) return {};

  const double median = median_of(sorted_copy(values));
  std::vector<double> deviations;
  Moments mean_deviation;
  for (const double value : values) {
    deviations.push_back(std::abs(value - median));
    mean_deviation.add(deviations.back());
  }
  // More than half the values can be equal, where a clock is coarse; then the mean deviation has to serve.
  const double median_deviation = median_of(sorted_copy(deviations));
  const double scale =
      median_deviation > 0 ? kOfMedianDeviation * median_deviation : kOfMeanDeviation * mean_deviation.mean();
  std::vector<std::size_t> flagged;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (deviations[i] > kLimit * scale) flagged.push_back(i);
  return flagged;
}

double trials_to_detect(double variation, double effect) {
  return 15.7 * (variation / effect) * (variation / effect) + 1;
}

}  // namespace loadline
