// Student's t distribution with real-valued degrees of freedom, as Welch's test needs it, and the normal distribution
// that it comes to for many of them. Pure functions, safe from any thread.
#pragma once

namespace loadline {

// Probability that |T| exceeds |t|, for T with `degrees` > 0 degrees of freedom. Throws Error on bad arguments.
double t_two_sided_p(double t, double degrees);

// The t that |T| stays within with `probability` (0 < probability < 1): 0.95 and 4 degrees give 2.776.
// Throws Error on bad arguments.
double t_quantile(double probability, double degrees);

// The z that |Z| stays within with `probability` (0 < probability < 1), for Z standard normal: 0.95 gives 1.960.
// Throws Error on bad arguments.
double normal_quantile(double probability);

}  // namespace loadline
