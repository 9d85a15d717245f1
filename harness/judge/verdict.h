// What limits one configuration, said with its uncertainty: a pure function of its trials, safe from any thread. The
// formulas and rules, with their assumptions, are in results/README.md, "Formulas".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/judge/statistics.h"

namespace loadline {

// The trials of one configuration: samples per second, one rate a trial. A mode that was not run is empty. Borrows the
// rates.
//
// FULL is bounded by SYNTHETIC and by what the loader fills for a sink that reads nothing, here L. IO pays for the
// drain and is no bound of FULL. L is `fill` where that was measured. Else it lies between what IO and FULL reached and
// `fill_at_most`: IO takes T_io a batch, of which its consumer waits T_wait for the loader and drains in the rest;
// without the drain the loader is faster by no more than that rest, as its threads had all of T_wait without it.
struct Evidence {
  std::string loader;
  std::size_t workers = 0;  // 0 for a loader without workers, such as the serial one
  std::string compute;
  std::size_t batch_size = 0;  // samples; needed where the overhead is given
  std::span<const double> io = {};
  std::span<const double> synthetic = {};
  std::span<const double> full = {};
  std::span<const double> fill = {};          // L itself; empty: not measured
  std::span<const double> fill_at_most = {};  // samples over the waiting of the consumer in IO; empty: no upper bound
  std::span<const double> overhead = {};      // seconds a batch of OVERHEAD; empty: not measured
  std::size_t threads_in_force = 0;           // CPUs there are for workers; 0: unknown
  std::optional<Estimate> ceiling_efficiency = {};  // IO over the lowest ceiling of the machine
  bool drain_binds = false;                         // this ceiling is what the one consumer of IO can read
  bool device_binds = false;                        // it is what the storage of the data delivers
  std::size_t compute_threads = 0;                  // on CPUs that the workers may use too; 0: none
  std::optional<double> au = {};                    // accelerator utilisation asked for
};

enum class Bound : std::uint8_t {
  kCompute,       // the compute hardly waits and loading alone is faster: faster loading gives next to nothing
  kLoader,        // the compute waits, and loading alone is the slower of the two
  kBalanced,      // the two are equally fast and overlap well: neither alone is the limit
  kInterference,  // loading alone keeps up, yet together they are slower than the slower one alone
  kHarness,       // the step is too short for this harness to measure; of IO alone: its one consumer can read no faster
  kUnclear,       // the trials are too few or too noisy to say, or contradict each other
  kIncomplete,    // not all of IO, SYNTHETIC and FULL were measured
};

// "compute", "loader", "balanced", "interference", "harness", "unclear", "incomplete".
std::string_view name(Bound bound);

enum class Standing : std::uint8_t { kMet, kMissed, kUnclear };

// "met", "missed", "unclear".
std::string_view name(Standing standing);

// Where the interval of an accelerator utilisation stands to what was asked for: met with its lower end, missed with
// its upper end. Unclear where it contains that, and without an interval.
Standing standing_of(const Estimate& utilisation, double asked);

// Accelerator utilisation held against what was asked for.
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
  std::optional<Estimate> overlap_efficiency;       // (T_L + T_synthetic - T_full) / min(T_L, T_synthetic)
  // T_synthetic / T_L: what loading alone supplies of what is taken. At least that, where L was not measured: then of
  // the faster of IO and FULL, and `supply_at_most` is the other end where one is known.
  std::optional<Estimate> supply;
  bool supply_measured = false;
  std::optional<Estimate> supply_at_most;
  std::optional<Estimate> of_bound;     // FULL over the slower of SYNTHETIC and L; absent where L was not measured
  std::optional<UtilisationGoal> goal;  // where one was asked for
  std::string sentence;                 // one to four sentences to act on
  std::string brief;                    // what limits it and what to do, and no more
};

// A difference below this share is not worth acting upon: of stall, of L against SYNTHETIC, of FULL against the slower.
inline constexpr double kNoticeable = 0.05;

// From this share on a stall is worth acting upon; between it and kNoticeable either answer is right.
inline constexpr double kTooWide = 0.10;

// Below this overlap efficiency loading and compute spend more of the shorter one's time in turn than side by side.
inline constexpr double kMostlyInTurn = 0.5;

// A step of FULL shorter than this many times the harness's own cost a batch is not a measurement: at 20 the cost is
// 5 % of the step, so it can move a stall by as much as is noticeable.
inline constexpr double kOverheadMargin = 20;

// 1 - T_without / T_with: the share of the time of `with` that `without` spares. Of rates, one a trial; nullopt where
// there are none of one of them. Throws Error on a rate that is not positive and finite.
std::optional<Estimate> stall_between(std::span<const double> without, std::span<const double> with);

// Throws Error on a rate that is not positive and finite, an overhead that is negative or not finite, or an overhead
// without a batch size.
Verdict judge(const Evidence& evidence);

}  // namespace loadline
