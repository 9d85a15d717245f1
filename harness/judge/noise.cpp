#include "harness/judge/noise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "harness/judge/judgement.h"
#include "harness/judge/phrase.h"
#include "harness/judge/student_t.h"
#include "harness/machine/machine.h"
#include "harness/machine/run_id.h"
#include "harness/result/counted.h"
#include "loaders/error.h"

namespace loadline {
namespace {

double mean_log_rate(const CellResult& cell) {
  Moments logs;
  for (const double rate : rates_of(cell)) logs.add(std::log(rate));
  return logs.mean();
}

double trials_of(const CellResult& cell) {
  return static_cast<double>(rates_of(cell).size());
}

double seconds_of(const CellResult& cell) {
  double seconds = 0;
  for (const Trial& trial : counted(cell.trials)) seconds += trial.wall_seconds;
  return seconds;
}

std::vector<const CellResult*> cells_of(const Result& run) {
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : run.cells) {
    if (cell.cell.mode != Mode::kOverhead) cells.push_back(&cell);
  }
  return cells;
}

void require_alike(const std::vector<const CellResult*>& first, const std::vector<const CellResult*>& cells) {
  const auto name_of = [](const CellResult* cell) { return cell->cell.name(); };
  const auto count_of = [](const CellResult* cell) { return trials_of(*cell); };
  if (!std::ranges::equal(first, cells, {}, name_of, name_of)) {
    throw Error("noise floor: want runs of the same cells, got others");
  }
  if (!std::ranges::equal(first, cells, {}, count_of, count_of)) {
    throw Error("noise floor: want the same number of trials of each cell in every run");
  }
}

// The cells of one host that stand for `cell`, of the best kind available.
std::vector<const NoiseFloor::Part*> parts_for(const NoiseFloor& noise, const Cell& cell) {
  std::vector<const NoiseFloor::Part*> same_mode;
  for (const NoiseFloor::Part& part : noise.parts) {
    if (part.mode != cell.mode) continue;
    if (!uses_loader(cell.mode) || part.cache == cell.cache) same_mode.push_back(&part);
  }
  const auto those = [&](auto wanted) {
    std::vector<const NoiseFloor::Part*> found;
    std::ranges::copy_if(same_mode, std::back_inserter(found), wanted);
    return found;
  };
  const std::string name = cell.name();
  if (auto same = those([&](const auto* part) { return part->cell == name; }); !same.empty()) return same;
  if (auto near = those([&](const auto* part) { return part->workload == cell.workload; }); !near.empty()) return near;
  return same_mode;
}

// The factor by which the logarithm of a floor grows for results with fewer or shorter trials than its runs had.
double widening(const NoiseFloor& noise, const NoiseFloor::Part& part, const CellResult& base,
                const CellResult& changed) {
  const auto trials = static_cast<double>(noise.trials);
  const auto share = [](double measured, double of_base, double of_changed) {
    return of_base > 0 && of_changed > 0 ? measured * (1 / of_base + 1 / of_changed) / 2 : 1;
  };
  const double by_count = share(trials, trials_of(base), trials_of(changed));
  const double by_time = share(trials * part.trial_seconds, seconds_of(base), seconds_of(changed));
  // Trials end with a batch, so they never take exactly equally long: that is no reason for a warning.
  constexpr double kAlike = 1.1;
  const double most = std::max(by_count, by_time);
  return most > kAlike ? std::sqrt(most) : 1;
}

std::string date_of(const std::string& timestamp) {
  return timestamp.substr(0, timestamp.find('T'));
}

std::string host_of(const NoiseFloor& noise) {
  return noise.machine.hostname.value_or("this host");
}

// "two identical runs differ by up to 20 % on vm (10 pairs of runs, 2026-11-22)".
std::string range_text(const CellFloor& floor) {
  return fmt::format("two identical runs differ by up to {} on {} ({} pairs of runs{}, {})", plain_percent(floor.floor),
                     host_of(*floor.noise), floor.noise->pairs,
                     floor.widened ? fmt::format(" of {}, widened because these results have fewer or shorter ones",
                                                 plural(floor.noise->trials, "trial"))
                                   : "",
                     date_of(floor.noise->measured));
}

std::optional<double> days_between(const std::string& a, const std::string& b) {
  const auto first = parse_utc_timestamp(a);
  const auto second = parse_utc_timestamp(b);
  if (!first || !second) return std::nullopt;
  using Days = std::chrono::duration<double, std::chrono::days::period>;
  return std::abs(Days(*second - *first).count());
}

std::string build_text(const Build& build) {
  std::string text = build.version;
  for (const auto& part : {build.git_revision, build.build_type, build.compiler}) {
    if (part) text += " " + *part;
  }
  return text;
}

std::string cpus_text(const Machine& machine) {
  return fmt::format("{:.4g}", cpus_in_force(machine));
}

// What differs from `base`; facts that either does not have are skipped.
template <typename T>
void add_other(std::vector<std::string>& texts, std::string_view what, const std::optional<T>& then,
               const std::optional<T>& now, const std::string& base) {
  if (then && now && *then != *now) texts.push_back(fmt::format("with {} {} ({} has {})", what, *then, base, *now));
}

std::vector<std::string> circumstances(const NoiseFloor& noise, const Named& base, const Named& changed) {
  std::vector<std::string> texts;
  const Named* farthest = nullptr;
  double days = kFreshNoiseDays;
  for (const Named* run : {&base, &changed}) {
    const auto apart = days_between(noise.measured, run->result.started);
    if (!apart || *apart <= days) continue;
    days = *apart;
    farthest = run;
  }
  if (farthest != nullptr) texts.push_back(fmt::format("{:.0f} days from {}", days, farthest->name));
  const Machine& then = noise.machine;
  const Machine& now = base.result.environment.machine;
  add_other(texts, "kernel", then.kernel_release, now.kernel_release, base.name);
  add_other(texts, "CPUs in force", std::optional(cpus_text(then)), std::optional(cpus_text(now)), base.name);
  add_other(texts, "CPU governor", then.cpu_governor, now.cpu_governor, base.name);
  add_other(texts, "build", std::optional(build_text(noise.build)),
            std::optional(build_text(base.result.environment.build)), base.name);
  return texts;
}

}  // namespace

double NoiseFloor::Part::spread() const {
  double squares = 0;
  for (const double ratio : ratios) squares += std::log(ratio) * std::log(ratio);
  return ratios.empty() ? 0 : std::sqrt(squares / static_cast<double>(ratios.size()));
}

double NoiseFloor::Part::floor() const {
  if (ratios.empty()) return 0;
  return std::expm1(t_quantile(0.95, static_cast<double>(ratios.size())) * spread());
}

std::optional<double> NoiseFloor::of(Mode mode) const {
  std::optional<double> largest;
  for (const Part& part : parts) {
    if (part.mode == mode) largest = std::max(largest.value_or(0), part.floor());
  }
  return largest;
}

NoiseFloor noise_floor(std::span<const Result> runs, const Environment& environment) {
  if (runs.empty() || runs.size() % 2 != 0) {
    throw Error(fmt::format("noise floor: want runs in pairs, got {}", runs.size()));
  }
  NoiseFloor noise{.measured = {},
                   .pairs = runs.size() / 2,
                   .machine = environment.machine,
                   .boost = {},
                   .build = environment.build,
                   .parts = {}};
  const auto first = cells_of(runs.front());
  std::vector<Moments> seconds(first.size());
  for (const CellResult* cell : first) {
    noise.parts.push_back({.cell = cell->cell.name(),
                           .workload = cell->cell.workload,
                           .mode = cell->cell.mode,
                           .cache = cell->cell.cache,
                           .ratios = {}});
    noise.trials = std::max(noise.trials, cell->trials.size());
  }
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const auto cells = cells_of(runs[run]);
    require_alike(first, cells);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i]->trials.empty()) throw Error(fmt::format("noise floor: {} has no trials", noise.parts[i].cell));
      for (const Trial& trial : cells[i]->trials) seconds[i].add(trial.wall_seconds);
      if (run % 2 == 0) continue;
      const CellResult& other = *cells_of(runs[run - 1])[i];
      noise.parts[i].ratios.push_back(std::exp(mean_log_rate(*cells[i]) - mean_log_rate(other)));
    }
  }
  for (std::size_t i = 0; i < first.size(); ++i) noise.parts[i].trial_seconds = seconds[i].mean();
  return noise;
}

std::string poor_noise(const NoiseFloor& noise) {
  std::size_t fewest = noise.pairs;
  const NoiseFloor::Part* widest = nullptr;
  for (const NoiseFloor::Part& part : noise.parts) {
    fewest = std::min(fewest, part.ratios.size());
    if (widest == nullptr || part.floor() > widest->floor()) widest = &part;
  }
  if (fewest < kFewestNoisePairs) {
    return fmt::format("a noise floor from {} pairs of runs says too little; want at least {}", fewest,
                       kFewestNoisePairs);
  }
  if (widest == nullptr || widest->floor() <= kWidestNoise) return "";
  return fmt::format("two runs of {} differ by up to {}; above {} a noise floor says nothing", widest->cell,
                     plain_percent(widest->floor()), plain_percent(kWidestNoise));
}

std::optional<CellFloor> floor_for(std::span<const NoiseFloor> noise, const CellResult& base,
                                   const CellResult& changed) {
  std::optional<CellFloor> largest;
  for (const NoiseFloor& host : noise) {
    for (const NoiseFloor::Part* part : parts_for(host, base.cell)) {
      const double factor = widening(host, *part, base, changed);
      const double floor = std::expm1(std::log1p(part->floor()) * factor);
      if (largest && floor <= largest->floor) continue;
      largest = CellFloor{.floor = floor, .widened = factor > 1, .noise = &host, .part = part};
    }
  }
  return largest;
}

Weakened weakened(Change change, double ratio, double margin, const CellFloor& floor) {
  const bool decided = change == Change::kRegression || change == Change::kImprovement;
  // As for a margin: 1 / 1.03 is as far from 1 as 1.03.
  const bool within = std::max(ratio, 1 / ratio) <= 1 + floor.floor;
  if (decided) return within ? Weakened{Change::kInconclusive, range_text(floor)} : Weakened{change, ""};
  if (floor.floor <= margin) return {change, ""};
  return {Change::kInconclusive,
          fmt::format("{}, more than the margin of {}", range_text(floor), plain_percent(margin))};
}

std::vector<std::string> noise_notes(std::span<const NoiseFloor> noise, const Named& base, const Named& changed) {
  std::vector<std::string> notes;
  std::vector<std::string> known;
  for (const NoiseFloor& host : noise) {
    known.push_back(host_of(host));
    const auto texts = circumstances(host, base, changed);
    if (texts.empty()) continue;
    notes.push_back(fmt::format("the noise floor of {} was measured {}; `loadline aa` measures it again", host_of(host),
                                fmt::join(texts, ", ")));
  }
  if (noise.empty()) return notes;
  for (const std::string& host : hosts_of(changed.result.environment.machine)) {
    if (std::ranges::find(known, host) != known.end()) continue;
    notes.push_back(
        fmt::format("{} was measured on {}, and the noise floor on {}: it does not cover differences between hosts",
                    changed.name, host, fmt::join(known, ", ")));
  }
  return notes;
}

}  // namespace loadline
