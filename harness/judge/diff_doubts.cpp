#include "harness/judge/diff_doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/busy_pairs.h"
#include "harness/judge/judgement.h"
#include "harness/judge/noise.h"
#include "harness/judge/phrase.h"
#include "harness/judge/statistics.h"
#include "harness/plan/settings.h"
#include "synthetic/compute/compute.h"

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

namespace {

constexpr std::string_view kSideBySide = "both side by side with `loadline ab`";

// Nullopt without trials.
std::optional<double> mean_log(const std::vector<double>& rates) {
  Moments logs;
  for (const double rate : rates) logs.add(std::log(rate));
  return logs.count() > 0 ? std::optional(logs.mean()) : std::nullopt;
}

// What others took from one side of a comparison.
struct SideLoad {
  OtherLoad others;
  double at_most = 0;  // how far they can have lowered the logarithm of its rate, which its step limits too
};

// Null for a compute whose steps take CPU time, or may do so.
const ComputeKind* device_of(const Cell& cell) {
  const std::string_view kind = std::string_view(cell.compute).substr(0, cell.compute.find(':'));
  const auto found = std::ranges::find(computes(), kind, &ComputeKind::name);
  return found != computes().end() && found->launches_ahead != nullptr ? &*found : nullptr;
}

// What a device's steps can take, which other processes do not lower: its known rate, or for FULL that of SYNTHETIC.
// Nullopt where the steps take CPU time, or nothing is known.
std::optional<double> log_step_rate(const Result& result, const CellResult& cell) {
  const bool with_step = cell.cell.mode == Mode::kFull || cell.cell.mode == Mode::kSynthetic;
  const ComputeKind* const device = with_step ? device_of(cell.cell) : nullptr;
  if (device == nullptr) return std::nullopt;
  if (device->samples_per_second != nullptr) {
    const auto rate =
        parse_compute(cell.cell.compute).samples_per_second(cell.cell.sampler.batch_size, cell.slot_bytes);
    const double ranks = cell.trials.empty() ? 1 : static_cast<double>(cell.trials.front().rank_count());
    return std::log(*rate * ranks);
  }
  if (cell.cell.mode != Mode::kFull) return std::nullopt;
  for (const CellResult& other : result.cells) {
    if (other.cell.mode != Mode::kSynthetic || step_key(other.cell) != step_key(cell.cell)) continue;
    return mean_log(rates_of(other));
  }
  return std::nullopt;
}

SideLoad side_load(const Result& result, const CellResult& cell) {
  SideLoad side{.others = other_load(cell, run_cpus(result))};
  side.at_most = side.others.slowed;
  const auto rate = mean_log(rates_of(cell));
  const auto step = log_step_rate(result, cell);
  if (rate && step) side.at_most = std::min(side.at_most, std::max(0.0, *step - *rate));
  return side;
}

// Whether a change still is one, and more than the margin, after this much of the logarithm of its ratio is taken away.
bool exceeds(const Ratio& ratio, double explained, double margin) {
  if (!ratio.ci95) return false;
  const bool slower = ratio.value < 1;
  const double least = slower ? -std::log(ratio.ci95->high) : std::log(ratio.ci95->low);
  return least > explained && std::abs(std::log(ratio.value)) - explained > std::log1p(margin);
}

}  // namespace

void heed_other_load(ResultDiff& diff, const Named& base, const Named& changed) {
  if (diff.paired || !diff.along.empty() || diff.metric->unit != Unit::kPerSecond) return;
  for (CellDiff& cell : diff.cells) {
    if (cell.change != Change::kRegression && cell.change != Change::kImprovement) continue;
    const SideLoad before = side_load(base.result, base.result.cells[cell.base]);
    const SideLoad after = side_load(changed.result, changed.result.cells[cell.changed]);
    const bool fell = cell.change == Change::kRegression;
    const SideLoad& slower = fell ? after : before;
    const SideLoad& faster = fell ? before : after;
    if (slower.others.taken < kBusyPairShare || slower.at_most <= 0) continue;
    const bool both = faster.others.taken >= kBusyPairShare;
    const double explained = std::min(slower.at_most, std::max(0.0, slower.others.slowed - faster.others.slowed));
    // The shares that the bound is made of: those of all CPUs may rank the two sides the other way round.
    const auto kept_off = [](const SideLoad& side) { return -100 * std::expm1(-side.others.slowed); };
    const std::string taken =
        fmt::format("other work kept it off the CPUs for at most {:.0f} % of its time in {}, and {:.0f} % in {}",
                    kept_off(before), base.name, kept_off(after), changed.name);
    if (explained > 0 && !exceeds(cell.comparison->ratio, explained, cell.margin)) {
      cell.change = Change::kInconclusive;
      if (cell.obstacle.empty()) {
        cell.obstacle = fmt::format("{}, which may be the whole reason: measure {}", taken,
                                    both ? kSideBySide : "it again on a quiet machine");
      }
    } else if (explained > std::log1p(cell.margin)) {
      diff.notes.push_back(fmt::format("{}: {}, which may explain a part of the change{}", cell.name, taken,
                                       both ? fmt::format("; measure {}", kSideBySide) : ""));
    } else if (both && slower.at_most > std::log1p(cell.margin)) {
      diff.notes.push_back(fmt::format("{}: {}; measure {}", cell.name, taken, kSideBySide));
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
