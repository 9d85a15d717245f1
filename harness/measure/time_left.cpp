#include "harness/measure/time_left.h"

#include <algorithm>
#include <cstddef>

namespace loadline {
namespace {

// How many trials a cell will have in the end, as far as is known.
std::size_t trials_of(const CellResult& cell, const RunOptions& options) {
  if (stop_of(cell, options)) return cell.trials.size();
  const std::size_t most = trial_counts(options, cell.cell.mode).most;
  return options.until_ci && cell.cell.mode != Mode::kOverhead ? planned_trials(cell, options) : most;
}

// A ceiling goes on as long as a cell that it bounds.
std::size_t trials_of(std::size_t ceiling, const Result& result, const RunOptions& options, bool with_cells) {
  if (result.ceilings[ceiling].error) return 0;
  if (!with_cells) return options.trials;
  const std::size_t fewest = trial_counts(options, Mode::kFull).fewest;
  std::size_t most = 0;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.mode == Mode::kOverhead) continue;
    const bool bounded = std::ranges::find(cell.bounds, ceiling) != cell.bounds.end();
    const std::size_t trials = trials_of(cell, options);
    most = std::max(most, bounded ? trials : std::min(trials, fewest));
  }
  return most;
}

double missing(std::size_t wanted, std::size_t there) {
  return static_cast<double>(wanted > there ? wanted - there : 0);
}

}  // namespace

TimeLeft::Part& TimeLeft::part(Kind kind, const std::string& name, const std::function<double()>& expected_seconds) {
  const auto [found, fresh] = parts_.try_emplace({kind, name});
  if (fresh) found->second.expected_seconds = expected_seconds();
  return found->second;
}

TimeLeft::Part& TimeLeft::first_epoch(const Result& result, const CellResult& cell) {
  return part(Kind::kFirstEpoch, cell.cell.name(),
              [&] { return first_epoch_seconds(cell, result.datasets[cell.dataset].info, options_, tried_); });
}

TimeLeft::Part& TimeLeft::trial(const Result& result, const CellResult& cell) {
  return part(Kind::kTrial, cell.cell.name(),
              [&] { return trial_seconds(cell, result.datasets[cell.dataset].info, options_, tried_); });
}

TimeLeft::Part& TimeLeft::trial(const Result& result, const CeilingResult& ceiling) {
  return part(Kind::kCeiling, ceiling.ceiling.id(), [&] { return ceiling_trial_seconds(ceiling, result, options_); });
}

void TimeLeft::took(Kind kind, Part& part, double seconds) {
  part.took_seconds.add(seconds);
  Sums& sums = sums_[static_cast<std::size_t>(kind)];
  sums.expected_seconds += part.expected_seconds;
  sums.took_seconds += seconds;
}

void TimeLeft::first_epoch_took(const Result& result, const CellResult& cell, double seconds) {
  took(Kind::kFirstEpoch, first_epoch(result, cell), seconds);
}

void TimeLeft::trial_took(const Result& result, const CellResult& cell, double seconds) {
  took(Kind::kTrial, trial(result, cell), seconds);
}

void TimeLeft::trial_took(const Result& result, const CeilingResult& ceiling, double seconds) {
  took(Kind::kCeiling, trial(result, ceiling), seconds);
}

double TimeLeft::seconds_each(Kind kind, const Part& part) const {
  if (part.took_seconds.count() > 0) return part.took_seconds.mean();
  const Sums& sums = sums_[static_cast<std::size_t>(kind)];
  return part.expected_seconds * (sums.expected_seconds > 0 ? sums.took_seconds / sums.expected_seconds : 1);
}

TimeLeft::Rest TimeLeft::rest(const Result& result) {
  Rest rest;
  for (std::size_t i = 0; i < result.ceilings.size(); ++i) {
    const CeilingResult& ceiling = result.ceilings[i];
    const std::size_t wanted = trials_of(i, result, options_, with_cells_);
    rest.seconds += missing(wanted, ceiling.trials.size()) * seconds_each(Kind::kCeiling, trial(result, ceiling));
  }
  if (!with_cells_) return rest;
  const auto add = [&](const CellResult& cell) {
    const std::size_t wanted = trials_of(cell, options_);
    const double trials = missing(wanted, cell.trials.size());
    rest.seconds += trials * seconds_each(Kind::kTrial, trial(result, cell));
    rest.at_most = rest.at_most || (options_.until_ci && trials > 0 && wanted == options_.max_trials);
  };
  for (const CellResult& cell : result.cells) add(cell);
  for (const CellResult& cell : result.checks) add(cell);
  if (result.checks.empty()) rest.seconds += checks_seconds(result, options_, tried_);
  if (result.has_trials()) return rest;  // first epochs come before them
  for (const CellResult& cell : result.cells) {
    if (cell.first_epoch || cell.error || !uses_loader(cell.cell.mode)) continue;
    rest.seconds += seconds_each(Kind::kFirstEpoch, first_epoch(result, cell));
  }
  return rest;
}

}  // namespace loadline
