// How many trials cells get, and how long that takes. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "harness/plan/options.h"
#include "harness/result/result.h"

namespace loadline {

struct TrialCounts {
  std::size_t fewest;
  std::size_t most;
};

// The trials of a cell of this mode: `trials`, or with `until_ci` up to `max_trials`, of which the first 3 (or
// `trials`, if those are fewer) are not looked at. What the harness costs is wanted roughly only: it gets those alone.
TrialCounts trial_counts(const RunOptions& options, Mode mode);

// Why a cell needs no more trials; none: it needs some.
std::optional<Stopped> stop_of(const CellResult& cell, const RunOptions& options);

// What a step of computes takes that were tried (attempt.h), by compute_key(); 0: not known.
using StepSeconds = std::map<std::string, double>;

// Equal for cells whose steps are alike.
std::string compute_key(const Cell& cell);
// What a step of the cell's compute takes by itself, where its parameters say it.
std::optional<double> known_step_seconds(const Cell& cell, std::size_t slot_bytes);

// About how long it takes, on a prepared cell: one trial with all that stands outside its clock and what the loader
// fills behind it, and the first epoch.
double trial_seconds(const CellResult& cell, const DatasetInfo& info, const RunOptions& options,
                     const StepSeconds& steps);
double first_epoch_seconds(const CellResult& cell, const DatasetInfo& info, const RunOptions& options,
                           const StepSeconds& steps);
// One trial of a ceiling.
double ceiling_trial_seconds(const RunOptions& options);

// What a prepared run is going to do. Trials that are there already count among those of a cell, but take no time.
struct Schedule {
  TrialCounts trials;         // each cell has in the end
  std::size_t asked = 0;      // what `trials.most` would be without a time limit
  std::size_t there = 0;      // trials of cells that are there already
  double fewest_seconds = 0;  // that it takes from now on
  double most_seconds = 0;
  double check_seconds = 0;  // of these, for --check-verdict, at the most: what it predicts is not known yet
  bool open_ended = false;   // a step takes as long as it takes, which is only known when it was taken
};

// The schedule of the cells and ceilings of `prepared`, or of its ceilings alone. `spent_seconds` of the time limit are
// gone. Throws usage Error where what is left of it is too short for a trial of each.
Schedule schedule_of(const Result& prepared, const RunOptions& options, bool with_cells, double spent_seconds,
                     const StepSeconds& steps = {});

}  // namespace loadline
