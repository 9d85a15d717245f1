// How many trials cells get, and how long that takes. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "harness/measure/observer.h"
#include "harness/plan/options.h"
#include "harness/result/result.h"

namespace loadline {

struct TrialCounts {
  std::size_t fewest;
  std::size_t most;
};

// The trials of a cell of this mode: `trials`, or with `until_ci` a pilot and the trials that it asks for, up to
// `max_trials` together. What the harness costs is wanted roughly only: it gets as many as a pilot has.
TrialCounts trial_counts(const RunOptions& options, Mode mode);

// With `until_ci` the trials that decide how many there are do not enter the figure: where looking at the interval ends
// the trials, those are kept that happen to lie close together, and throughput, which is skewed to the left, comes out
// too high. The pilot, the first `trials` of a cell (5 at least), fixes the number of fresh trials in advance, and
// figure and interval are of these alone, so that the interval covers what one of a fixed number of trials covers.
//
// The number is the smallest n of at least 5 with t(n - 1) u / sqrt(n) <= until_ci * mean, where mean and deviation s
// are the pilot's and u = s sqrt((p - 1) / chi2(0.2; p - 1)) is what the true deviation exceeds in one case of five:
// the two stages of C. Stein, Annals of Mathematical Statistics 16, 1945, whose own number, from s, is too small for
// fresh trials every other time. The quantile of chi2 is that of E. B. Wilson and M. M. Hilferty, PNAS 17, 1931.
//
// How many trials a cell with this pilot has in all, no more than `max_trials`. Where `max_trials` leaves no room for
// a pilot and 5 fresh trials, there is no pilot and it has that many.
std::size_t planned_trials(const CellResult& cell, const RunOptions& options);

// Marks the trials of the pilot, once the first fresh one is there. Those of a run that ends before that are no
// pilot's.
void mark_pilot(CellResult& cell, const RunOptions& options);

// Why a cell needs no more trials; nullopt: it needs some.
std::optional<Stopped> stop_of(const CellResult& cell, const RunOptions& options);

// Equal for cells whose steps are alike: RunContext::tried has what they take.
using TriedComputes = std::map<std::string, TriedCompute>;
std::string compute_key(const Cell& cell);
// What a step of the cell's compute takes by itself, where its parameters say it.
std::optional<double> known_step_seconds(const Cell& cell, std::size_t slot_bytes);

// About how long it takes, on a prepared cell: one trial with all that stands outside its clock and what the loader
// fills behind it, and the first epoch.
double trial_seconds(const CellResult& cell, const DatasetInfo& info, const RunOptions& options,
                     const TriedComputes& tried = {});
double first_epoch_seconds(const CellResult& cell, const DatasetInfo& info, const RunOptions& options,
                           const TriedComputes& tried = {});
// One trial of a ceiling.
double ceiling_trial_seconds(const CeilingKind& kind, const RunOptions& options);

// What a prepared run is going to do. Trials that are there already count among those of a cell, but take no time.
struct Schedule {
  TrialCounts trials;         // each cell has in the end
  std::size_t asked = 0;      // what `trials.most` would be without a time limit
  std::size_t there = 0;      // trials of cells that are there already
  double fewest_seconds = 0;  // that it takes from now on, with what --check-verdict may measure at the most
  double most_seconds = 0;
  bool open_ended = false;  // a step takes as long as it takes, which is only known when it was taken
};

// The schedule of the cells and ceilings of `prepared`, or of its ceilings alone. `spent_seconds` of the time limit are
// gone. Throws usage Error if the remaining time is too short for one trial of each.
Schedule schedule_of(const Result& prepared, const RunOptions& options, bool with_cells, double spent_seconds,
                     const TriedComputes& tried = {});

}  // namespace loadline
