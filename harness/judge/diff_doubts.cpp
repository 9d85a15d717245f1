#include "harness/judge/diff_doubts.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "harness/judge/busy_pairs.h"
#include "harness/judge/noise.h"
#include "harness/judge/phrase.h"

namespace loadline {

void heed_noise(ResultDiff& diff, const DiffOptions& options, const Named& base, const Named& changed) {
  if (diff.paired || !diff.along.empty() || diff.metric->unit != Unit::kPerSecond) return;
  bool heeded = false;
  for (CellDiff& cell : diff.cells) {
    const auto floor = floor_for(options.noise, base.result.cells[cell.base], changed.result.cells[cell.changed]);
    if (!floor || !cell.comparison) continue;
    heeded = true;
    cell.noise_floor = floor->floor;
    Weakened left = weakened(cell.change, cell.comparison->ratio.value, cell.margin, *floor);
    cell.change = left.change;
    if (cell.obstacle.empty()) cell.obstacle = std::move(left.why);
  }
  if (heeded) diff.notes = noise_notes(options.noise, base, changed);
}

void heed_other_load(ResultDiff& diff, const Named& base, const Named& changed) {
  if (diff.paired || !diff.along.empty() || diff.metric->unit != Unit::kPerSecond) return;
  for (CellDiff& cell : diff.cells) {
    const bool slower = cell.change == Change::kRegression;
    if (!slower && cell.change != Change::kImprovement) continue;
    // The side with the lower rates.
    const Named& side = slower ? changed : base;
    const OtherLoad load = other_load(side.result.cells[slower ? cell.changed : cell.base], run_cpus(side.result));
    if (load.taken < kBusyPairShare) continue;
    const std::string taken =
        fmt::format("during {}, other work took {:.0f} % of the time of all its CPUs", side.name, 100 * load.taken);
    const Interval& ratio = *cell.comparison->ratio.ci95;
    const double least = slower ? -std::log(ratio.high) : std::log(ratio.low);
    if (least - load.slowed > std::log1p(cell.margin)) {
      diff.notes.push_back(fmt::format("{}: {}, which explains a part of the change", cell.name, taken));
      continue;
    }
    cell.change = Change::kInconclusive;
    if (cell.obstacle.empty()) {
      cell.obstacle = fmt::format("{}, which may be the whole reason: measure it again on a quiet machine", taken);
    }
  }
}

void heed_busy_pairs(ResultDiff& diff) {
  for (CellDiff& cell : diff.cells) {
    if (cell.busy.busy == 0) continue;
    const std::string busy = fmt::format("other work took {:.0f} % or more of the time of all CPUs in {} of {}",
                                         100 * kBusyPairShare, cell.busy.busy, plural(cell.busy.pairs, "pair"));
    if (cell.busy.may_be_set_aside()) {
      diff.notes.push_back(
          fmt::format("{}: {}, which {} set aside", cell.name, busy, cell.busy.busy == 1 ? "is" : "are"));
    } else if (cell.change != Change::kInconclusive) {
      diff.notes.push_back(fmt::format("{}: {}; p covers only what this does not explain", cell.name, busy));
    } else if (cell.obstacle.empty()) {
      cell.obstacle = busy + ": no verdict, run it again on a quiet machine";
    }
  }
}

}  // namespace loadline
