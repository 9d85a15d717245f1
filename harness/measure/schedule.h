// How many trials cells get, and how long these take. Pure functions, safe from any thread.
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

// The number of trials of a cell of this mode: `trials`, or with `until_ci` a pilot and the trials that the pilot
// calls for, up to `max_trials` in all. OVERHEAD only needs to be known roughly: it gets as many trials as a pilot.
TrialCounts trial_counts(const RunOptions& options, Mode mode);

// With `until_ci`, the trials that determine the number of trials do not enter the figure. If we stopped as soon as
// the interval is narrow, we would prefer trials that happen to lie close together, and throughput, whose
// distribution is skewed to the left, would come out too high. Instead the pilot, the first `trials` of a cell (at
// least 5), fixes the number of fresh trials in advance. Figure and interval use only the fresh trials, so the
// interval has the coverage of one from a fixed number of trials.
//
// The number is the smallest n of at least 5 with t(n - 1) u / sqrt(n) <= until_ci * mean, where mean and deviation s
// are those of the pilot's p trials, and the true deviation exceeds u = s sqrt((p - 1) / chi2(0.2; p - 1)) in one
// case of five. This is the two-stage method of C. Stein, Annals of Mathematical Statistics 16, 1945; his own number,
// from s, is too small for fresh trials every other time. The quantile of chi2 is the approximation of E. B. Wilson
// and M. M. Hilferty, PNAS 17, 1931.
//
// How many trials a cell with this pilot has in all, at most `max_trials`. If `max_trials` leaves no room for a pilot
// and 5 fresh trials, there is no pilot and the cell has `max_trials` trials.
std::size_t planned_trials(const CellResult& cell, const RunOptions& options);

// Marks the pilot's trials as soon as the first fresh trial exists. If the run ends before that, its trials stay
// unmarked.
void mark_pilot(CellResult& cell, const RunOptions& options);

// Why a cell needs no more trials; nullopt: it needs more.
std::optional<Stopped> stop_of(const CellResult& cell, const RunOptions& options);

// A key that is equal for cells with equal samples and steps; RunContext::tried holds what these take.
using TriedCells = std::map<std::string, TriedCell>;
std::string compute_key(const Cell& cell);
// How long a step of the cell's compute takes by itself, if its parameters say so.
std::optional<double> known_step_seconds(const Cell& cell, std::size_t slot_bytes);

// Estimates for a prepared cell: how long one trial takes, including everything outside its clock and the filling
// after it, and how long the first epoch takes, with opening the dataset.
double trial_seconds(const CellResult& cell, const DatasetInfo& info, const RunOptions& options,
                     const TriedCells& tried = {});
double first_epoch_seconds(const CellResult& cell, const DatasetInfo& info, const RunOptions& options,
                           const TriedCells& tried = {});
// The same for one trial of a ceiling.
double ceiling_trial_seconds(const CeilingResult& ceiling, const Result& prepared, const RunOptions& options);
// One trial of each cell and ceiling. Cells that have a first epoch go on at its pace; the others are slower than tried
// by as much as these, whose first epochs show more of the data and of the machine than the few samples tried.
double round_seconds(const Result& prepared, const RunOptions& options, const TriedCells& tried);
// What --check-verdict may measure at most after the trials; 0 if it was not requested.
double checks_seconds(const Result& prepared, const RunOptions& options, const TriedCells& tried = {});

// What a prepared run is going to do. Existing trials count among those of a cell, but take no time.
struct Schedule {
  TrialCounts trials;         // that each cell has in the end
  std::size_t asked = 0;      // `trials.most` without a time limit
  std::size_t there = 0;      // existing trials of cells
  double fewest_seconds = 0;  // from now on, including the most that --check-verdict may measure
  double most_seconds = 0;
  bool open_ended = false;  // how long a step, an external loader or decoding takes is not known in advance
};

// The schedule of the cells and ceilings of `prepared`, or of its ceilings alone. `spent_seconds` of the time limit
// are used up. Throws usage Error if the remaining time is too short for one trial of each.
Schedule schedule_of(const Result& prepared, const RunOptions& options, bool with_cells, double spent_seconds,
                     const TriedCells& tried = {});

}  // namespace loadline
