// Statistics of trials. The unit is the trial: one value each, never a batch. Pure functions, safe from any thread;
// nothing here knows what the values mean, so units are the caller's.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace loadline {

struct Interval {
  double low;
  double high;
};

// A figure and its interval, which is absent if there were too few trials.
struct Estimate {
  double value;
  std::optional<Interval> ci95;
};

// Mean and spread in one pass, exact far from zero (Welford, Technometrics 4, 1962).
class Moments {
 public:
  void add(double value) {
    ++count_;
    const double delta = value - mean_;
    mean_ += delta / static_cast<double>(count_);
    squares_ += delta * (value - mean_);
  }

  std::size_t count() const { return count_; }
  double mean() const { return mean_; }  // meaningful once count() > 0

  // Sample variance (n - 1) and its root; absent for fewer than two values.
  std::optional<double> variance() const;
  std::optional<double> stddev() const;

 private:
  std::size_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

struct Summary {
  std::size_t count;
  double mean;
  std::optional<double> stddev;  // n - 1; absent for one value
  double min;
  double median;
  double max;
  std::optional<Interval> ci95;  // t interval of the mean; absent for one value
};

// Throws Error if `values` is empty or holds anything that is not finite.
Summary summarize(std::span<const double> values);
// Their mean with its interval. Throws as above.
Estimate estimate_of_mean(std::span<const double> values);
// `values` is not empty. Infinity is a value like any other here; NaN is not.
double median_of(std::span<const double> values);

// One source of uncertainty in a figure: its contribution to the variance, and the degrees of freedom behind it.
struct VarianceTerm {
  double variance;
  double degrees;
};

// The sum of independent terms with its effective degrees of freedom, (sum v)^2 / sum(v^2 / degrees)
// (Welch-Satterthwaite; JCGM 100:2008, G.2b). If no term has any variance, the degrees are their sum.
VarianceTerm combine(std::span<const VarianceTerm> terms);

// Half the width of the 95 % t interval that `combined` gives.
double half_width_95(const VarianceTerm& combined);

// The ratio of two sets, as a logarithm: there times and rates differ only in sign.
struct LogRatio {
  double value;
  std::optional<VarianceTerm> error;  // of `value`; absent where there were too few trials
  // The variance that `value` would have from one trial, or pair of trials, on each side; with n of them it is 1/n of
  // that.
  std::optional<double> variance_of_one;
};

// The mean logarithm of `changed` less that of `base`, by Welch's test: the sets are independent, and may differ in
// size and spread. Throws Error if a set is empty or holds anything but positive finite values.
LogRatio log_welch(std::span<const double> base, std::span<const double> changed);

// The same for pairs base[i] and changed[i], taken side by side: the mean logarithm of changed / base with its
// variance from pair to pair, and one degree of freedom fewer than pairs. What affects both of a pair, such as a
// machine that slows down, cancels. Throws Error as log_welch(), or if the sets differ in size.
LogRatio log_paired(std::span<const double> base, std::span<const double> changed);

// The t interval that contains the ratio with `probability`; absent where there were too few trials, or its upper end
// exceeds a double.
std::optional<Interval> interval_of(const LogRatio& ratio, double probability);

struct Ratio {
  double value;                  // geometric mean of the second set over that of the first
  std::optional<Interval> ci95;  // absent if a set has one value, or the interval exceeds a double
  std::optional<double> p;       // two-sided, of no difference; absent if a set has one value
};

// The ratio with its 95 % interval and the p value of a t test. Without any variance p is 1 or 0, the limits as it goes
// to nothing.
Ratio ratio_of(const LogRatio& ratio);

// ratio_of(log_welch(base, changed)). Sets of times and sets of rates give reciprocal answers and the same p.
Ratio log_welch_ratio(std::span<const double> base, std::span<const double> changed);

// `factor` times the product of the sets in `over`, divided by the product of those in `under`. Each set stands for
// its geometric mean; variances and degrees of freedom combine as above. No interval where a set has one value.
// Throws Error as log_welch_ratio() does.
Estimate log_product(double factor, std::span<const std::span<const double>> over,
                     std::span<const std::span<const double>> under);

// Indices of values to flag, in ascending order. Never drop them: here a stall is the finding, not an error. Modified
// z-score above 3.5 (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993). Empty for fewer than five
// values, where no value can be told from the rest.
std::vector<std::size_t> outliers(std::span<const double> values);

// The fewest trials on each side, at least 2, that detect a relative difference of `effect` between two sets whose
// coefficient of variation is `variation`, at the two-sided level `alpha` and with the right sign, four times in
// five: the power of the t test with a pooled spread, by the noncentral t distribution (t_power()). A whole number,
// or infinity where `effect` is 0 or more than 1e12 would be needed. About 15.7 (variation / effect)^2 + 1 at 5 %.
double trials_to_detect(double variation, double effect, double alpha = 0.05);

// The same for pairs whose ratios have the coefficient of variation `variation`.
double pairs_to_detect(double variation, double effect, double alpha = 0.05);

// How large the true difference must be for an estimate with this error to be called a difference of the right sign
// four times in five: the estimate must differ from 0 at the two-sided level `alpha`, and exceed `threshold`. In the
// unit of the estimate. Infinity where no double is large enough.
double detectable_difference(const VarianceTerm& error, double alpha, double threshold = 0);

}  // namespace loadline
