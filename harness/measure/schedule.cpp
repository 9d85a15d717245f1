#include "harness/measure/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "harness/judge/judgement.h"
#include "harness/judge/phrase.h"
#include "harness/judge/statistics.h"
#include "harness/measure/memory_need.h"
#include "harness/measure/steady.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

constexpr std::size_t kFewestPilot = 5;
constexpr std::size_t kFewestFresh = 5;

constexpr double kSetUpSeconds = 0.02;  // of a trial

const TriedCell& tried_for(const Cell& cell, const TriedCells& tried) {
  static const TriedCell kUnknown;
  const auto found = tried.find(compute_key(cell));
  return found == tried.end() ? kUnknown : found->second;
}

// Threads that fill batches at the same time.
double filling_threads(const Cell& cell) {
  const std::size_t most = std::max<std::size_t>(1, cell.threads_in_force);
  return static_cast<double>(std::clamp<std::size_t>(cell.workers, 1, most));
}

double compute_seconds(const CellResult& cell, const TriedCell& its) {
  return known_step_seconds(cell.cell, cell.slot_bytes).value_or(its.step_seconds);
}

// How long loader and compute take over a batch: as long as the slower one. Where neither is known, no time.
double step_seconds(const CellResult& cell, const TriedCell& its) {
  const double step = compute_seconds(cell, its);
  return cell.cell.loader ? std::max(step, its.fill_seconds / filling_threads(cell.cell)) : step;
}

// How long one thread takes to fill a batch, by the cell's first epoch; nullopt without one.
std::optional<double> filled_seconds(const CellResult& cell) {
  if (!cell.first_epoch || cell.first_epoch->batches == 0) return std::nullopt;
  const double batch = cell.first_epoch->wall_seconds / static_cast<double>(cell.first_epoch->batches);
  return batch * filling_threads(cell.cell);
}

// How many times as long as tried the loaders took to fill a batch in the first epochs; at least 1. First epochs whose
// compute was slower than their loader do not tell.
double slower_than_tried(const Result& result, const TriedCells& tried) {
  constexpr double kSlowerThanCompute = 1.2;
  double took = 0;
  double expected = 0;
  for (const CellResult& cell : result.cells) {
    const auto filled = filled_seconds(cell);
    if (!filled) continue;
    const TriedCell& its = tried_for(cell.cell, tried);
    if (*filled < kSlowerThanCompute * compute_seconds(cell, its) * filling_threads(cell.cell)) continue;
    took += its.fill_seconds > 0 ? *filled : 0;
    expected += its.fill_seconds;
  }
  return std::max(1.0, expected > 0 ? took / expected : 1.0);
}

// Whether it is known how long a step takes. One that only reads takes next to no time.
bool knows_step(const CellResult& cell, const TriedCells& tried) {
  return parse_compute(cell.cell.compute).kind->only_reads || known_step_seconds(cell.cell, cell.slot_bytes) ||
         tried_for(cell.cell, tried).step_seconds > 0;
}

// Whether it is known how long loading takes. Images differ, and decoding takes all of a CPU: beside other programs it
// is several times slower than the few images that were tried.
bool knows_loading(const CellResult& cell, const Result& prepared) {
  if (!cell.cell.loader) return true;
  return !loader_named(*cell.cell.loader).external && !prepared.datasets[cell.dataset].info.encoded;
}

double setup_seconds(const TriedCell& its) {
  return kSetUpSeconds + its.setup_seconds;
}

double batches_of_epoch(const CellResult& cell, const DatasetInfo& info) {
  const double shares = static_cast<double>(cell.cell.sampler.batch_size * cell.cell.sampler.world_size);
  return std::max(1.0, static_cast<double>(info.samples) / shares);
}

// The filling after the timed part, which first circulates every slot.
double fill_seconds(const CellResult& cell, double timed, double step) {
  if (cell.cell.mode != Mode::kIo || starts(cell.cell, CacheState::kCold)) return 0;
  constexpr double kMany = 1e6;
  const auto slots = static_cast<double>(cell.slots);
  return slots * step + fill_share(step > 0 ? std::max(1.0, timed / step) : kMany) * timed;
}

double trial_seconds_by(const TriedCell& its, const CellResult& cell, const DatasetInfo& info,
                        const RunOptions& options) {
  constexpr double kOverheadSeconds = 0.02;
  if (cell.cell.mode == Mode::kOverhead) return kOverheadSeconds + kSetUpSeconds;
  const double step = step_seconds(cell, its);
  const double setup = setup_seconds(its);
  const double timed = options.trial_batches ? static_cast<double>(*options.trial_batches) * step
                                             : std::max(options.trial_seconds, step);
  // It has no warm-up, and ends with its epoch.
  if (starts(cell.cell, CacheState::kCold)) {
    return setup + (step > 0 ? std::min(timed, batches_of_epoch(cell, info) * step) : timed);
  }
  const auto warm_up = static_cast<double>(options.warm_up_batches.value_or(cell.slots + 1));
  return setup + warm_up * step + timed + fill_seconds(cell, timed, step);
}

bool is_narrow(const CellResult& cell, double share) {
  const Summary rate = summarize(rates_of(cell));
  return rate.ci95 && (rate.ci95->high - rate.ci95->low) / 2 <= share * rate.mean;
}

// nullopt: `max_trials` leaves no room for a pilot.
std::optional<std::size_t> pilot_size(const RunOptions& options) {
  const std::size_t pilot = std::max(kFewestPilot, options.trials);
  return pilot + kFewestFresh <= options.max_trials ? std::optional(pilot) : std::nullopt;
}

// The factor by which the true deviation exceeds that of `count` values in one case of five.
double upper_deviation(std::size_t count) {
  constexpr double kFifth = -0.8416;  // quantile of the normal distribution
  const auto degrees = static_cast<double>(count - 1);
  const double part = 2 / (9 * degrees);
  const double chi2_over_degrees = std::pow(1 - part + kFifth * std::sqrt(part), 3);
  return 1 / std::sqrt(chi2_over_degrees);
}

// The fewest values with such a deviation (as a share of their mean) whose interval is this narrow.
std::size_t values_for(double variation, double share, std::size_t most) {
  std::size_t count = kFewestFresh;
  const auto half_width = [&] {
    const auto n = static_cast<double>(count);
    return half_width_95({variation * variation / n, n - 1});
  };
  while (count < most && half_width() > share) ++count;
  return count;
}

const DatasetInfo& info_of(const Result& result, const CellResult& cell) {
  return result.datasets[cell.dataset].info;
}

// The time until every cell has `trials` trials, or all it should have.
double seconds_until(std::size_t trials, const Result& prepared, const RunOptions& options, bool with_cells,
                     const TriedCells& tried) {
  double seconds = 0;
  const auto missing = [](std::size_t wanted, std::size_t there) {
    return static_cast<double>(wanted > there ? wanted - there : 0);
  };
  for (const CeilingResult& ceiling : prepared.ceilings) {
    seconds += missing(trials, ceiling.trials.size()) * ceiling_trial_seconds(ceiling, prepared, options);
  }
  if (!with_cells) return seconds;
  for (const CellResult& cell : prepared.cells) {
    if (stop_of(cell, options)) continue;
    const std::size_t own = std::min(trials, trial_counts(options, cell.cell.mode).most);
    seconds += missing(own, cell.trials.size()) * trial_seconds(cell, info_of(prepared, cell), options, tried);
  }
  return seconds;
}

double first_epochs_seconds(const Result& prepared, const RunOptions& options, const TriedCells& tried) {
  double seconds = 0;
  for (const CellResult& cell : prepared.cells) {
    if (!cell.first_epoch) seconds += first_epoch_seconds(cell, info_of(prepared, cell), options, tried);
  }
  return seconds;
}

Error too_short(const Result& prepared, const RunOptions& options, double round_seconds, double spent_seconds) {
  std::string parts = plural(prepared.cells.size(), "cell");
  std::string remedies = "choose fewer cells or shorten --trial-seconds";
  if (!prepared.ceilings.empty()) {
    parts += " and " + plural(prepared.ceilings.size(), "ceiling");
    remedies = "choose fewer cells, shorten --trial-seconds or leave the ceilings out by --ceilings off";
  }
  return usage_error(fmt::format(
      "--time-limit {}s: one trial of each of {} takes about {}{}; allow more time, {}", *options.time_limit, parts,
      duration(round_seconds),
      spent_seconds < 0.1 ? "" : fmt::format(" and reading the data took {}", duration(spent_seconds)), remedies));
}

}  // namespace

TrialCounts trial_counts(const RunOptions& options, Mode mode) {
  if (!options.until_ci) return {options.trials, options.trials};
  const auto pilot = pilot_size(options);
  if (mode == Mode::kOverhead) {
    const std::size_t rough = pilot.value_or(std::min(kFewestPilot, options.max_trials));
    return {rough, rough};
  }
  return {pilot ? *pilot + kFewestFresh : options.max_trials, options.max_trials};
}

std::size_t planned_trials(const CellResult& cell, const RunOptions& options) {
  const auto pilot = pilot_size(options);
  if (!pilot || cell.trials.size() < *pilot) return options.max_trials;
  Moments rates;
  for (const Trial& trial : cell.trials | std::views::take(*pilot)) rates.add(trial.samples_per_second());
  const double variation = upper_deviation(*pilot) * *rates.stddev() / rates.mean();
  return *pilot + values_for(variation, *options.until_ci, options.max_trials - *pilot);
}

void mark_pilot(CellResult& cell, const RunOptions& options) {
  const auto pilot = pilot_size(options);
  if (!options.until_ci || !pilot || cell.trials.size() <= *pilot || cell.cell.mode == Mode::kOverhead) return;
  for (Trial& trial : cell.trials | std::views::take(*pilot)) trial.pilot = true;
}

std::optional<Stopped> stop_of(const CellResult& cell, const RunOptions& options) {
  if (cell.error) return Stopped::kError;
  const TrialCounts counts = trial_counts(options, cell.cell.mode);
  const std::size_t trials = cell.trials.size();
  if (trials < counts.fewest) return std::nullopt;
  if (!options.until_ci || cell.cell.mode == Mode::kOverhead) return Stopped::kTrials;
  if (trials < planned_trials(cell, options)) return std::nullopt;
  return is_narrow(cell, *options.until_ci) ? Stopped::kInterval : Stopped::kMaxTrials;
}

std::string compute_key(const Cell& cell) {
  return key_of(cell, {SettingPart::kSubject, SettingPart::kCompute}) + key_of(cell, {SettingPart::kMachine});
}

std::optional<double> known_step_seconds(const Cell& cell, std::size_t slot_bytes) {
  const std::size_t batch = cell.sampler.batch_size;
  const auto rate = parse_compute(cell.compute).samples_per_second(batch, slot_bytes);
  return rate ? std::optional(static_cast<double>(batch) / *rate) : std::nullopt;
}

double trial_seconds(const CellResult& cell, const DatasetInfo& info, const RunOptions& options,
                     const TriedCells& tried) {
  return trial_seconds_by(tried_for(cell.cell, tried), cell, info, options);
}

double first_epoch_seconds(const CellResult& cell, const DatasetInfo& info, const RunOptions& options,
                           const TriedCells& tried) {
  if (!uses_loader(cell.cell.mode) || options.first_epoch_seconds == 0) return 0;
  const TriedCell& its = tried_for(cell.cell, tried);
  const double steps = batches_of_epoch(cell, info) * step_seconds(cell, its);
  return std::min(options.first_epoch_seconds, steps) + setup_seconds(its) + its.open_seconds;
}

// Besides the pages that it faults in, a kernel has threads to start and samples to copy.
double ceiling_trial_seconds(const CeilingResult& ceiling, const Result& prepared, const RunOptions& options) {
  constexpr double kKernelSeconds = 0.03;
  constexpr double kFaultedBytesPerSecond = 2e9;  // of a virtual machine; without one, twice as many
  return std::min(ceiling_seconds(*ceiling.ceiling.kind), options.trial_seconds) + kKernelSeconds +
         static_cast<double>(ceiling_bytes(ceiling, prepared)) / kFaultedBytesPerSecond;
}

double round_seconds(const Result& prepared, const RunOptions& options, const TriedCells& tried) {
  const double slower = slower_than_tried(prepared, tried);
  double seconds = 0;
  for (const CeilingResult& one : prepared.ceilings) seconds += ceiling_trial_seconds(one, prepared, options);
  for (const CellResult& cell : prepared.cells) {
    TriedCell known = tried_for(cell.cell, tried);
    known.fill_seconds = filled_seconds(cell).value_or(slower * known.fill_seconds);
    seconds += trial_seconds_by(known, cell, info_of(prepared, cell), options);
  }
  return seconds;
}

// For each workload's best configuration at most two more cells, which take as long as a FULL cell.
double checks_seconds(const Result& prepared, const RunOptions& options, const TriedCells& tried) {
  constexpr double kMostChecks = 2;
  std::map<std::string, double> longest;  // by workload
  for (const CellResult& cell : prepared.cells) {
    if (cell.cell.mode != Mode::kFull) continue;
    double& seconds = longest[cell.cell.workload];
    seconds = std::max(seconds, trial_seconds(cell, info_of(prepared, cell), options, tried));
  }
  double seconds = 0;
  for (const auto& [workload, each] : longest) {
    seconds += kMostChecks * static_cast<double>(trial_counts(options, Mode::kFull).fewest) * each;
  }
  return options.check_verdict ? seconds : 0;
}

Schedule schedule_of(const Result& prepared, const RunOptions& options, bool with_cells, double spent_seconds,
                     const TriedCells& tried) {
  Schedule schedule{.trials = trial_counts(options, Mode::kFull)};
  schedule.asked = schedule.trials.most;
  for (const CellResult& cell : prepared.cells) {
    schedule.there += cell.trials.size();
    schedule.open_ended = schedule.open_ended || !knows_loading(cell, prepared) || !knows_step(cell, tried);
  }
  const double first_epochs = with_cells ? first_epochs_seconds(prepared, options, tried) : 0;
  const auto until = [&](std::size_t trials) { return seconds_until(trials, prepared, options, with_cells, tried); };
  if (options.time_limit) {
    const double left = *options.time_limit - spent_seconds;
    std::size_t next = schedule.asked;  // of the cell that has the fewest trials
    for (const CellResult& cell : prepared.cells) {
      if (!stop_of(cell, options)) next = std::min(next, cell.trials.size() + 1);
    }
    // First epochs are left out rather than trials.
    if (until(next) > left) throw too_short(prepared, options, until(next), spent_seconds);
    const auto further = std::views::iota(next, schedule.asked);
    const auto fits = [&](std::size_t trials) { return first_epochs + until(trials + 1) <= left; };
    const auto behind = std::ranges::partition_point(further, fits) - further.begin();
    schedule.trials.most = next + static_cast<std::size_t>(behind);
    schedule.trials.fewest = std::min(schedule.trials.fewest, schedule.trials.most);
  }
  const double checks = with_cells ? checks_seconds(prepared, options, tried) : 0;
  const auto with_checks = [&](double seconds) {
    if (!options.time_limit) return seconds + checks;
    return seconds + std::clamp(*options.time_limit - spent_seconds - seconds, 0.0, checks);
  };
  schedule.fewest_seconds = with_checks(first_epochs + until(schedule.trials.fewest));
  schedule.most_seconds = with_checks(first_epochs + until(schedule.trials.most));
  return schedule;
}

}  // namespace loadline
