// What limits one configuration, said with its uncertainty: a pure function of its trials, safe from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/judge/statistics.h"

namespace loadline {

// The trials of one configuration: samples per second, one rate a trial. A mode that was not run is empty.
// Borrows the rates.
struct Evidence {
  std::string loader;
  std::size_t workers = 0;  // 0 for a loader that has none to raise, such as the serial one
  std::string compute;
  std::size_t batch_size = 0;  // samples; needed where the overhead is given
  std::span<const double> io = {};
  std::span<const double> synthetic = {};
  std::span<const double> full = {};
  std::optional<double> overhead_seconds_per_batch = {};  // from OVERHEAD trials
  std::size_t threads_in_force = 0;                       // CPUs there are for workers; 0: unknown
  std::optional<double> io_efficiency = {};               // IO over the lowest ceiling of the machine
  std::size_t compute_threads = 0;                        // on CPUs that the workers may use too; 0: none
  std::optional<double> au = {};                          // accelerator utilisation asked for
};

enum class Bound {
  kCompute,       // the compute hardly waits and loading alone is faster: faster loading cannot help
  kLoader,        // the compute waits, and loading alone is the slower of the two
  kBalanced,      // the two are equally fast and overlap well: neither alone is the limit
  kInterference,  // loading alone keeps up, yet together they are slower than the slower one alone
  kHarness,       // the step is too short for this harness to measure
  kUnclear,       // the trials are too noisy to say, or contradict each other
  kIncomplete,    // not all of IO, SYNTHETIC and FULL were measured
};

// "compute", "loader", "balanced", "interference", "harness", "unclear", "incomplete".
std::string_view name(Bound bound);

enum class Standing { kMet, kMissed, kUnclear };

// "met", "missed", "unclear".
std::string_view name(Standing standing);

// Accelerator utilisation held against what was asked for. Unclear where its interval contains that; without an
// interval the value decides.
struct UtilisationGoal {
  double asked;
  Standing standing;
};

// With T = 1 / throughput. Each figure is absent where a trial it needs was not run; its interval is absent where one
// of those modes has a single trial. No figure is clamped: noise can carry stall below 0 and utilisation above 1.
struct Verdict {
  Bound bound;
  std::optional<Estimate> stall;                    // 1 - T_synthetic / T_full
  std::optional<Estimate> accelerator_utilisation;  // T_synthetic / T_full
  std::optional<Estimate> overlap_efficiency;       // (T_io + T_synthetic - T_full) / min(T_io, T_synthetic)
  std::optional<Estimate> supply;                   // T_synthetic / T_io: what loading alone supplies of what is taken
  std::optional<UtilisationGoal> goal;              // where one was asked for
  std::string sentence;                             // one to four sentences to act on
};

// A difference below this share is not worth acting upon: of stall, of IO against SYNTHETIC, of FULL against the
// slower.
inline constexpr double kNoticeable = 0.05;

// A stall interval that reaches from nothing to above this share leaves open whether there is anything to act upon.
inline constexpr double kTooWide = 0.10;

// Below this overlap efficiency loading and compute spend more of the shorter one's time in turn than side by side.
inline constexpr double kMostlyInTurn = 0.5;

// A step of FULL shorter than this many times the harness's own cost a batch is not a measurement: at 20 the cost is
// 5 % of the step, so it can move a stall by as much as is noticeable.
inline constexpr double kOverheadMargin = 20;

// 1 - T_without / T_with: the share of the time of `with` that `without` spares. Of rates, one a trial; none where
// there are none of one of them. Throws Error on a rate that is not positive and finite.
std::optional<Estimate> stall_between(std::span<const double> without, std::span<const double> with);

// Throws Error on a rate that is not positive and finite, or an overhead without a batch size.
Verdict judge(const Evidence& evidence);

}  // namespace loadline
