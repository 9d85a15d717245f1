#include "harness/judge/statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "harness/judge/student_t.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// `sorted` is not empty.
double middle_of(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : sorted[middle - 1] / 2 + sorted[middle] / 2;
}

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double log_of(double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw Error(fmt::format("ratio of trials: want positive finite values, got {}", value));
  return std::log(value);
}

Moments moments_of_logs(std::span<const double> values) {
  if (values.empty()) throw Error("ratio of trials: want at least one value on each side, got none");
  Moments moments;
  for (const double value : values) moments.add(log_of(value));
  return moments;
}

// The uncertainty of the mean of the logarithms.
VarianceTerm term_of(const Moments& moments) {
  const auto count = static_cast<double>(moments.count());
  return {*moments.variance() / count, count - 1};
}

double half_width(const VarianceTerm& combined, double probability) {
  if (combined.variance == 0) return 0;
  return t_quantile(probability, combined.degrees) * std::sqrt(combined.variance);
}

constexpr double kPower = 0.8;

// The smallest number for which `enough` holds; it holds for all larger ones.
template <typename Enough>
double fewest(double least, const Enough& enough) {
  static constexpr double kMost = 1e12;
  double more = least;
  while (!enough(more)) {
    if (more > kMost) return std::numeric_limits<double>::infinity();
    more *= 2;
  }
  double too_few = std::max(least - 1, std::floor(more / 2));
  while (more - too_few > 1) {
    const double middle = std::floor((too_few + more) / 2);
    (enough(middle) ? more : too_few) = middle;
  }
  return more;
}

}  // namespace

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
                  .median = middle_of(sorted),
                  .max = sorted.back(),
                  .ci95 = std::nullopt};
  if (const auto variance = moments.variance()) {
    const auto count = static_cast<double>(values.size());
    const double half = half_width_95({*variance / count, count - 1});
    summary.ci95 = Interval{summary.mean - half, summary.mean + half};
  }
  return summary;
}

Estimate estimate_of_mean(std::span<const double> values) {
  const Summary summary = summarize(values);
  return {.value = summary.mean, .ci95 = summary.ci95};
}

double median_of(std::span<const double> values) {
  return middle_of(sorted_copy(values));
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
  return half_width(combined, 0.95);
}

LogRatio log_welch(std::span<const double> base, std::span<const double> changed) {
  const Moments before = moments_of_logs(base);
  const Moments after = moments_of_logs(changed);
  LogRatio ratio{.value = after.mean() - before.mean(), .error = std::nullopt, .variance_of_one = std::nullopt};
  if (before.count() < 2 || after.count() < 2) return ratio;
  ratio.error = combine(std::array{term_of(before), term_of(after)});
  ratio.variance_of_one = *before.variance() + *after.variance();
  return ratio;
}

LogRatio log_paired(std::span<const double> base, std::span<const double> changed) {
  if (base.size() != changed.size())
    throw Error(fmt::format("ratio of pairs: want as many values on one side as on the other, got {} and {}",
                            base.size(), changed.size()));
  if (base.empty()) throw Error("ratio of pairs: want at least one pair, got none");
  Moments moments;
  for (std::size_t i = 0; i < base.size(); ++i) moments.add(log_of(changed[i]) - log_of(base[i]));
  LogRatio ratio{.value = moments.mean(), .error = std::nullopt, .variance_of_one = moments.variance()};
  if (moments.count() >= 2) ratio.error = term_of(moments);
  return ratio;
}

std::optional<Interval> interval_of(const LogRatio& ratio, double probability) {
  if (!ratio.error) return std::nullopt;
  const double half = half_width(*ratio.error, probability);
  const Interval interval{std::exp(ratio.value - half), std::exp(ratio.value + half)};
  return std::isfinite(interval.high) ? std::optional(interval) : std::nullopt;
}

Ratio ratio_of(const LogRatio& ratio) {
  Ratio result{.value = std::exp(ratio.value), .ci95 = interval_of(ratio, 0.95), .p = std::nullopt};
  if (!ratio.error) return result;
  if (ratio.error->variance > 0)
    result.p = t_two_sided_p(ratio.value / std::sqrt(ratio.error->variance), ratio.error->degrees);
  else
    result.p = ratio.value == 0 ? 1 : 0;
  return result;
}

Ratio log_welch_ratio(std::span<const double> base, std::span<const double> changed) {
  return ratio_of(log_welch(base, changed));
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

  LogRatio product{.value = sum, .error = std::nullopt, .variance_of_one = std::nullopt};
  if (spread_known && !terms.empty()) product.error = combine(terms);
  return {std::exp(sum), interval_of(product, 0.95)};
}

std::vector<std::size_t> outliers(std::span<const double> values) {
  static constexpr std::size_t kFewest = 5;
  static constexpr double kLimit = 3.5;
  // Both make a deviation comparable with the standard deviation of a normal distribution.
  static constexpr double kOfMedianDeviation = 1.4826;
  static constexpr double kOfMeanDeviation = 1.2533;
  if (values.size() < kFewest) return {};

  const double median = median_of(values);
  std::vector<double> deviations;
  Moments mean_deviation;
  for (const double value : values) {
    deviations.push_back(std::abs(value - median));
    mean_deviation.add(deviations.back());
  }
  // More than half of the values can be equal with a coarse clock; then the mean deviation has to do.
  const double median_deviation = median_of(deviations);
  const double scale =
      median_deviation > 0 ? kOfMedianDeviation * median_deviation : kOfMeanDeviation * mean_deviation.mean();
  std::vector<std::size_t> flagged;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (deviations[i] > kLimit * scale) flagged.push_back(i);
  return flagged;
}

double trials_to_detect(double variation, double effect, double alpha) {
  const double relative = effect / variation;
  if (!(relative > 0)) return std::numeric_limits<double>::infinity();
  if (std::isinf(relative)) return 2;
  return fewest(
      2, [&](double trials) { return t_power(relative * std::sqrt(trials / 2), 2 * (trials - 1), alpha) >= kPower; });
}

double pairs_to_detect(double variation, double effect, double alpha) {
  const double relative = effect / variation;
  if (!(relative > 0)) return std::numeric_limits<double>::infinity();
  if (std::isinf(relative)) return 2;
  return fewest(2, [&](double pairs) { return t_power(relative * std::sqrt(pairs), pairs - 1, alpha) >= kPower; });
}

double detectable_difference(const VarianceTerm& error, double alpha, double threshold) {
  const double deviation = std::sqrt(error.variance);
  if (deviation == 0) return threshold;
  if (!std::isfinite(deviation)) return std::numeric_limits<double>::infinity();
  return t_difference(kPower, error.degrees, alpha, threshold / deviation) * deviation;
}

}  // namespace loadline
