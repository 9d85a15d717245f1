// Student's t distribution with real-valued degrees of freedom, as Welch's test needs it, and the power of tests by it.
// Pure functions, safe from any thread.
#pragma once

namespace loadline {

// Probability that |T| exceeds |t|, for T with `degrees` > 0 degrees of freedom. Throws Error on bad arguments.
double t_two_sided_p(double t, double degrees);

// The t that |T| stays within with `probability` (0 < probability < 1): 0.95 and 4 degrees give 2.776.
// Throws Error on bad arguments.
double t_quantile(double probability, double degrees);

// How often a true difference is detected with the right sign, by an estimate that is normal about it and whose
// standard error is itself estimated with `degrees`: the estimate must exceed both `threshold` and t_quantile(1 -
// alpha, degrees) estimated standard errors. `difference` and `threshold` (at least 0) are in true standard errors.
// With a threshold of 0 that is the probability that a noncentral t variable with noncentrality `difference` exceeds
// the quantile (Johnson, Kotz and Balakrishnan, Continuous Univariate Distributions 2, chapter 31); with another the
// same integral over the distribution of the estimated error, numerically. Throws Error on bad arguments.
double t_power(double difference, double degrees, double alpha, double threshold = 0);

// The difference whose t_power() is `power`, to 1e-11 of it. Throws Error on bad arguments, and on a power that no
// difference has.
double t_difference(double power, double degrees, double alpha, double threshold = 0);

}  // namespace loadline
