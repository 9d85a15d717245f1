#include "harness/judge/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/judge/changes.h"
#include "harness/judge/comparable.h"
#include "harness/judge/judgement.h"
#include "harness/judge/matching.h"
#include "harness/plan/settings.h"
#include "loaders/error.h"

namespace loadline {
namespace {

struct Place {
  const Named& named;
  const Judgement& judgement;
};

// A configuration of one workload, or a step without a loader.
struct Station {
  std::optional<std::size_t> io;
  std::optional<std::size_t> synthetic;
  std::optional<std::size_t> full;
  const Verdict* verdict = nullptr;

  std::optional<std::size_t> of(Mode mode) const {
    return mode == Mode::kFull ? full : mode == Mode::kIo ? io : synthetic;
  }
};

bool has_trials(const Result& result, std::optional<std::size_t> cell) {
  return cell && !result.cells[*cell].trials.empty();
}

std::vector<Station> stations_of(const Place& place, const std::string& workload, Mode mode) {
  const Result& result = place.named.result;
  std::vector<Station> stations;
  for (const Configuration& one : place.judgement.configurations) {
    if (one.workload != workload) continue;
    stations.push_back({.io = one.io, .synthetic = one.synthetic, .full = one.full, .verdict = &one.verdict});
  }
  if (mode == Mode::kSynthetic) {
    // A SYNTHETIC that several loaders share counts once.
    stations.clear();
    for (std::size_t i = 0; i < result.cells.size(); ++i) {
      const Cell& cell = result.cells[i].cell;
      if (cell.workload == workload && cell.mode == Mode::kSynthetic) stations.push_back({.synthetic = i});
    }
  }
  std::erase_if(stations, [&](const Station& station) { return !has_trials(result, station.of(mode)); });
  return stations;
}

// The fastest.
const Station& best_of(const Place& place, const std::vector<Station>& stations, Mode mode) {
  return *std::ranges::max_element(stations, {}, [&](const Station& station) {
    return place.judgement.cells[*station.of(mode)].samples_per_second->mean;
  });
}

std::optional<Summary> summary_of(const Place& place, std::optional<std::size_t> cell) {
  return cell ? place.judgement.cells[*cell].samples_per_second : std::nullopt;
}

// "hdf5 x 1, device:profile=sc22-unet-v100, batch size 32".
std::string setting_of(const Cell& cell) {
  std::string text;
  if (cell.loader) text = *cell.loader + (cell.workers > 0 ? fmt::format(" x {}", cell.workers) : "") + ", ";
  if (cell.mode != Mode::kIo) text += cell.compute + ", ";
  return text + fmt::format("batch size {}", cell.sampler.batch_size);
}

Mode mode_of(const Result& first, const std::string& workload, const Metric& metric) {
  if (metric.mode) return *metric.mode;
  for (const Mode mode : {Mode::kFull, Mode::kIo}) {
    const bool any = std::ranges::any_of(
        first.cells, [&](const CellResult& cell) { return cell.cell.workload == workload && cell.cell.mode == mode; });
    if (any) return mode;
  }
  return Mode::kSynthetic;
}

// Cells of a workload that were to be measured in a mode.
struct Attempt {
  bool any = false;
  std::string error;  // of the first that names one
};

Attempt attempt_at(const Result& result, const std::string& workload, Mode mode) {
  Attempt attempt;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.workload != workload || cell.cell.mode != mode) continue;
    attempt.any = true;
    if (attempt.error.empty()) attempt.error = cell.error.value_or("");
  }
  return attempt;
}

void add_new(const std::vector<Difference>& differences, std::vector<Difference>& known) {
  for (const Difference& difference : differences) {
    if (std::ranges::find(known, difference) == known.end()) known.push_back(difference);
  }
}

// A comparison that needs the p values of all others before it is judged, and where to put it.
struct Gain {
  ResultDiff diff;
  std::size_t workload;
  std::size_t from;  // steps
  std::size_t to;
  bool over_first;  // and not over the one before, which may be the first too
};

class Walker {
 public:
  Walker(std::span<const Named> results, std::span<const Judgement> judgements, const DiffOptions& options)
      : options_(options) {
    walk_.metric = options.metric;
    walk_.alpha = options.alpha;
    for (std::size_t i = 0; i < results.size(); ++i) {
      walk_.results.push_back(results[i].name);
      places_.push_back({.named = results[i], .judgement = judgements[i]});
    }
  }

  Walk walk() {
    const Result& first = places_.front().named.result;
    for (const std::string& workload : workloads_of(first, *options_.metric)) follow(workload);
    look_at_likeness();
    judge();
    return std::move(walk_);
  }

 private:
  void follow(const std::string& workload) {
    WorkloadWalk followed{
        .workload = workload, .mode = mode_of(places_.front().named.result, workload, *options_.metric), .steps = {}};
    std::vector<std::optional<std::size_t>> cells;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      WalkStep step = step_of(places_[i], followed, cells);
      if (step.cell.empty()) lose(i, followed);
      followed.steps.push_back(std::move(step));
    }
    add_gains(cells);
    walk_.workloads.push_back(std::move(followed));
  }

  // A result that has nothing to follow. Cells that failed are never accepted.
  void lose(std::size_t result, const WorkloadWalk& followed) {
    const Attempt attempt = attempt_at(places_[result].named.result, followed.workload, followed.mode);
    if (!attempt.any && options_.allow_missing) return;
    walk_.lost_cells = walk_.lost_cells || !attempt.any;
    walk_.lost.push_back(fmt::format("{} has no {}{} of {}{}{}", walk_.results[result], attempt.any ? "trials of " : "",
                                     name(followed.mode), followed.workload, attempt.error.empty() ? "" : ": ",
                                     attempt.error));
  }

  // Adds the cell that the step follows to `cells`.
  WalkStep step_of(const Place& place, const WorkloadWalk& followed,
                   std::vector<std::optional<std::size_t>>& cells) const {
    const auto stations = stations_of(place, followed.workload, followed.mode);
    if (stations.empty()) {
      cells.emplace_back();
      return {};
    }
    const Station& station = best_of(place, stations, followed.mode);
    const std::size_t index = *station.of(followed.mode);
    const Cell& cell = place.named.result.cells[index].cell;
    WalkStep step{.cell = cell.name(),
                  .best = stations.size() > 1,
                  .changes = {},
                  .setting = {},
                  .io = summary_of(place, station.io),
                  .synthetic = summary_of(place, station.synthetic),
                  .full = summary_of(place, station.full)};
    if (station.verdict != nullptr) step.bottleneck = Bottleneck{station.verdict->stall, station.verdict->bound};
    if (const auto before = last_of(cells)) {
      step.changes = changes_between(places_[*before].named.result, *cells[*before], place.named.result, index);
    } else {
      step.setting = setting_of(cell);
    }
    cells.emplace_back(index);
    return step;
  }

  // The last result that has a cell.
  static std::optional<std::size_t> last_of(const std::vector<std::optional<std::size_t>>& cells) {
    const auto found = std::find_if(cells.rbegin(), cells.rend(), [](const auto& cell) { return cell.has_value(); });
    if (found == cells.rend()) return std::nullopt;
    return static_cast<std::size_t>(std::distance(found, cells.rend())) - 1;
  }

  void add_gains(const std::vector<std::optional<std::size_t>>& cells) {
    std::optional<std::size_t> before;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i]) continue;
      if (before) gains_.push_back(gain(cells, *before, i, false));
      if (before && *before != 0 && cells[0]) gains_.push_back(gain(cells, 0, i, true));
      before = i;
    }
  }

  Gain gain(const std::vector<std::optional<std::size_t>>& cells, std::size_t from, std::size_t to,
            bool over_first) const {
    const Match pair{.base = *cells[from], .changed = *cells[to], .by = MatchedBy::kConfiguration};
    const auto& [base, base_judgement] = places_[from];
    const auto& [changed, changed_judgement] = places_[to];
    ResultDiff diff = diff_cells(base, changed, {&pair, 1}, options_);
    CellDiff& cell = diff.cells.front();
    if (cell.mode == Mode::kFull && !cell.changes.empty()) {
      cell.shares =
          shares_between(base.result, base_judgement, pair.base, changed.result, changed_judgement, pair.changed);
    }
    return {
        .diff = std::move(diff), .workload = walk_.workloads.size(), .from = from, .to = to, .over_first = over_first};
  }

  // Compares every step with the first by machine, build and data.
  void look_at_likeness() {
    for (std::size_t i = 1; i < places_.size(); ++i) {
      std::vector<Match> pairs;
      const Named& first = places_.front().named;
      for (const WorkloadWalk& followed : walk_.workloads) {
        const auto ours = index_of(first.result, followed.steps.front().cell);
        const auto theirs = index_of(places_[i].named.result, followed.steps[i].cell);
        if (ours && theirs) pairs.push_back({.base = *ours, .changed = *theirs});
      }
      add_new(accepted_differences(first, places_[i].named, pairs, options_.across, options_.allow_mismatch,
                                   options_.anyway),
              walk_.unlike);
      add_new(noteworthy(first.result, places_[i].named.result), walk_.noteworthy);
      add_new(changed_files(first.result, places_[i].named.result), walk_.noteworthy);
      for (const std::string& workload : workloads_of(places_[i].named.result, *options_.metric)) {
        if (std::ranges::find(walk_.workloads, workload, &WorkloadWalk::workload) != walk_.workloads.end()) continue;
        walk_.notes.push_back(fmt::format("{} of {} is left out: {} does not have it", workload, walk_.results[i],
                                          walk_.results.front()));
      }
    }
  }

  static std::optional<std::size_t> index_of(const Result& result, const std::string& cell) {
    for (std::size_t i = 0; i < result.cells.size(); ++i) {
      if (result.cells[i].cell.name() == cell) return i;
    }
    return std::nullopt;
  }

  void judge() {
    std::vector<ResultDiff> diffs;
    std::vector<Compared> compared;
    for (const Gain& gain : gains_) {
      diffs.push_back(gain.diff);
      compared.push_back({places_[gain.from].named, places_[gain.to].named});
    }
    judge_together(diffs, compared, options_);
    std::vector<Change> changes;
    if (!walk_.lost.empty()) changes.push_back(Change::kInconclusive);
    for (std::size_t i = 0; i < gains_.size(); ++i) {
      WalkStep& step = walk_.workloads[gains_[i].workload].steps[gains_[i].to];
      const CellDiff& cell = diffs[i].cells.front();
      changes.push_back(cell.change);
      if (gains_[i].over_first) {
        step.over_first = cell;
        continue;
      }
      step.over_before = cell;
      if (gains_[i].from == 0) step.over_first = cell;
    }
    for (const ResultDiff& diff : diffs) {
      for (const std::string& note : diff.notes) {
        if (std::ranges::find(walk_.notes, note) == walk_.notes.end()) walk_.notes.push_back(note);
      }
    }
    walk_.verdict = worst_of(changes);
  }

  const DiffOptions& options_;
  std::vector<Place> places_;
  std::vector<Gain> gains_;
  Walk walk_;
};

}  // namespace

bool has_steps(const Walk& walk) {
  return std::ranges::any_of(walk.workloads, [](const WorkloadWalk& followed) {
    return std::ranges::any_of(followed.steps, [](const WalkStep& step) { return step.over_before.has_value(); });
  });
}

Walk follow_results(std::span<const Named> results, std::span<const Judgement> judgements, const DiffOptions& options) {
  if (results.size() < 2 || judgements.size() != results.size()) {
    throw Error(fmt::format("a walk: want two results or more and a judgement of each, got {} and {}", results.size(),
                            judgements.size()));
  }
  return Walker(results, judgements, options).walk();
}

Walk walk_results(std::span<const Named> results, std::span<const Judgement> judgements, const DiffOptions& options) {
  Walk walk = follow_results(results, judgements, options);
  if (!has_steps(walk)) refuse_nothing_to_compare(results.front(), results.back(), *options.metric, {});
  return walk;
}

}  // namespace loadline
