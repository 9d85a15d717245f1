#include "harness/judge/cell_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/ceilings/requests.h"
#include "harness/judge/cold.h"
#include "harness/judge/judgement.h"
#include "harness/judge/phrase.h"
#include "harness/judge/verdict.h"
#include "harness/machine/machine.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

using Warnings = std::vector<Warning>;

constexpr double kWideSpread = 0.10;  // standard deviation over mean
constexpr std::size_t kFewTrials = 3;
constexpr std::uint64_t kFewBatches = 10;
constexpr double kIdleShare = 0.02;  // of a CPU; a sleeping thread that looks around now and then takes less

void warn_of_chunks(const Cell& cell, Warnings& warnings) {
  if (cell.dataset.access != Access::kChunks || cell.sampler.order != Order::kShuffled) return;
  warnings.push_back({"chunks-shuffled",
                      fmt::format("{} decodes a whole chunk for each sample of a batch: use --order page-shuffled with "
                                  "the chunk's samples as --page-samples and the batch as --window-samples",
                                  cell.name())});
}

void warn_of_cold(const CellResult& cell, const DatasetFacts& facts, Warnings& warnings) {
  if (!starts(cell.cell, CacheState::kCold)) return;
  std::map<Coldness, std::size_t> trials;
  double most_stayed = 0;
  double least_from_device = 1;
  for (const Trial& trial : cell.trials) {
    const ColdProof proof = cold_proof(trial, cell.cell, facts.info);
    ++trials[proof.coldness()];
    most_stayed = std::max(most_stayed, proof.stayed.value_or(0));
    least_from_device = std::min(least_from_device, proof.from_device.value_or(1));
  }
  const auto warn = [&](Coldness coldness, const std::string& why) {
    if (trials[coldness] == 0) return;
    warnings.push_back(
        {"not-cold",
         fmt::format("{} of {} of {} {}", trials[coldness], plural(cell.trials.size(), "trial"), cell.cell.name(), why),
         static_cast<double>(trials[coldness])});
  };
  const std::string path = facts.path.string();
  warn(Coldness::kStayed,
       fmt::format(
           "{} not cold: up to {:.0f} % of {} stayed in the page cache, held by the file system or by another process",
           was(trials[Coldness::kStayed]), std::ceil(100 * most_stayed), path));
  warn(Coldness::kDoubted,
       fmt::format("may not have been cold: as little as {:.0f} % of the bytes came from a device; a cache below the "
                   "page cache, such as that of a network file system, may have held the rest",
                   100 * least_from_device));
  warn(Coldness::kUnknown, fmt::format("may not have been cold: the system reports neither what the page cache holds "
                                       "of {} nor what came from a device",
                                       path));
}

// In random order the first samples each need their own block of the files, which later serves others.
void warn_of_part_of_epoch(const CellResult& cell, const DatasetFacts& facts, const Machine& machine,
                           Warnings& warnings) {
  constexpr double kForOthers = 2;  // times the bytes of the samples
  if (!starts(cell.cell, CacheState::kCold) || !stays_mapped(facts.info, memory_in_force(machine))) return;
  std::size_t trials = 0;
  double most = 0;
  double least_of_epoch = 1;
  for (const Trial& trial : cell.trials) {
    const double of_epoch = static_cast<double>(trial.samples) / static_cast<double>(facts.info.samples);
    const auto from_device = cold_proof(trial, cell.cell, facts.info).from_device;
    if (ends_with_epoch(cell.cell, trial, facts.info) || from_device.value_or(0) < kForOthers) continue;
    ++trials;
    most = std::max(most, *from_device);
    least_of_epoch = std::min(least_of_epoch, of_epoch);
  }
  if (trials == 0) return;
  warnings.push_back(
      {"part-of-epoch",
       fmt::format("{} of {} of {} ended after as little as {:.2g} % of an epoch, and storage gave up to "
                   "{:.2g} times the bytes of their samples: the rest of an epoch finds those bytes in "
                   "the page cache and is faster",
                   trials, plural(cell.trials.size(), "trial"), cell.cell.name(), 100 * least_of_epoch, most),
       most});
}

// What was in the page cache before the first trial may have been evicted since.
void warn_of_warm(const CellResult& cell, const DatasetFacts& facts, Warnings& warnings) {
  if (!starts(cell.cell, CacheState::kWarm) || facts.info.access == Access::kResident) return;
  if (facts.before.resident_pages < facts.before.pages) return;  // said of the dataset already
  bool seen = false;
  // A few pages, such as the last of a file that is being written elsewhere, slow no trial.
  constexpr std::uint64_t kMostPagesLacking = 100;  // one in
  const auto lacks = [&](const Trial& trial) {
    const auto& before = trial.page_cache.before;
    if (!before || !before->resident_pages) return false;
    if ((before->pages - *before->resident_pages) * kMostPagesLacking <= before->pages) return false;
    seen = seen || came_from_storage(trial);
    return !shows_what_it_reads(facts) || came_from_storage(trial);
  };
  const auto count = std::ranges::count_if(cell.trials, lacks);
  if (count == 0) return;
  warnings.push_back({"not-resident",
                      fmt::format("the page cache did not hold all of {} before {} of {} of {}: {} {} storage too",
                                  facts.path.string(), count, plural(cell.trials.size(), "trial"), cell.cell.name(),
                                  count == 1 ? "it" : "they", seen ? "measured" : "may have measured"),
                      static_cast<double>(count)});
}

void warn_of_trials(const CellResult& cell, const DatasetFacts& facts, Warnings& warnings) {
  const std::string name = cell.cell.name();
  warn_of_chunks(cell.cell, warnings);
  if (!cell.skipped.empty()) {
    warnings.push_back({"samples-skipped",
                        fmt::format("{} left out {} that cannot be decoded; the first: {}", name,
                                    plural(cell.skipped_count(), "sample"), cell.skipped.begin()->second),
                        static_cast<double>(cell.skipped_count())});
  }
  if (cell.error) warnings.push_back({"cell-failed", fmt::format("{}: {}", name, *cell.error)});
  if (cell.trials.empty()) return;
  const auto suspended = std::ranges::count_if(cell.trials, &Trial::suspended);
  if (suspended > 0) {
    warnings.push_back({"suspended",
                        fmt::format("the process was stopped and continued during {} of {} of {}: {} the pause",
                                    suspended, plural(cell.trials.size(), "trial"), name,
                                    suspended == 1 ? "its time includes" : "their times include"),
                        static_cast<double>(suspended)});
  }
  const auto shortest = std::ranges::min(cell.trials, {}, &Trial::batches).batches;
  if (shortest < kFewBatches) {
    const bool whole_epoch =
        starts(cell.cell, CacheState::kCold) && std::ranges::any_of(cell.trials, [&](const Trial& trial) {
          return ends_with_epoch(cell.cell, trial, facts.info);
        });
    warnings.push_back({"short-trials",
                        fmt::format("a trial of {} has {}: {} would be steadier", name,
                                    shortest == 1 ? "1 batch" : fmt::format("{} batches", shortest),
                                    whole_epoch ? "more data, as a cold one is an epoch at the most,"
                                                : "longer ones (--trial-seconds)"),
                        -static_cast<double>(shortest)});
  }
}

void warn_of_spread(const CellResult& cell, const CellSummary& summary, Warnings& warnings) {
  if (!summary.samples_per_second) return;
  const std::string name = cell.cell.name();
  const auto& rate = *summary.samples_per_second;
  for (const std::size_t trial : summary.outliers) {
    const double value = cell.trials[trial].samples_per_second();
    const double apart = std::abs(value - rate.median) / rate.median;
    if (apart < kNoticeable) continue;
    warnings.push_back({"outlier-trial",
                        fmt::format("trial {} of {} stands apart from the others at {:.4g} samples/s; "
                                    "it is counted",
                                    number_of(cell.trials, trial), name, value),
                        apart});
  }
  if (rate.stddev && *rate.stddev > kWideSpread * rate.mean) {
    warnings.push_back(
        {"wide-spread",
         fmt::format("the trials of {} vary by {:.0f} % of their mean", name, 100 * *rate.stddev / rate.mean),
         *rate.stddev / rate.mean});
  }
}

void warn_of_few_trials(const Result& result, const CellResult& cell, Warnings& warnings) {
  const bool stopped = cell.stopped == Stopped::kTimeLimit || (!cell.stopped && result.status == Status::kPartial);
  const bool wanted_more = result.options.until_ci || result.options.trials >= kFewTrials;
  const std::size_t count = count_of(cell.trials);
  if (cell.trials.empty() || count >= kFewTrials) return;
  // Where all else failed, nothing is compared with OVERHEAD.
  const auto measured = [](const CellResult& one) { return one.cell.mode != Mode::kOverhead && !one.trials.empty(); };
  if (std::ranges::none_of(result.cells, measured)) return;
  warnings.push_back({"few-trials",
                      fmt::format("{} has {}{}: too few for a reliable interval", cell.cell.name(),
                                  plural(count, "trial"), count < cell.trials.size() ? " besides its pilot" : ""),
                      -static_cast<double>(count)});
  if (!stopped || !wanted_more) return;
  warnings.back().stopped = true;
  if (result.resumable()) warnings.back().message += "; --resume continues the run";
}

// SYNTHETIC shows what the step takes while nothing else runs.
void warn_of_loop(const CellResult& cell, Warnings& warnings) {
  if (cell.cell.mode != Mode::kSynthetic) return;
  double most = 0;
  std::size_t count = 0;
  for (const Trial& trial : cell.trials) {
    const double share = trial.loader_cpu_seconds.value_or(0) / trial.wall_seconds;
    most = std::max(most, share);
    if (share > kIdleShare) ++count;
  }
  if (count == 0) return;
  warnings.push_back({"loader-not-idle",
                      fmt::format("the loader worked during {} of {} of {}, for up to {:.0f} % of a CPU's time: the "
                                  "step was not measured alone",
                                  count, plural(cell.trials.size(), "trial"), cell.cell.name(), 100 * most),
                      most});
}

// Once per cell, since each trial repeats it.
void warn_of_cpus(const CellResult& cell, const Machine& machine, Warnings& warnings) {
  const auto changed = std::ranges::count_if(cell.trials, [](const Trial& t) { return t.changed_cpus.has_value(); });
  if (changed == 0) return;
  const auto first = std::ranges::find_if(cell.trials, [](const Trial& t) { return t.changed_cpus.has_value(); });
  const CpuLimits before{.affinity_list = machine.affinity_list, .cgroup_cpu_limit = machine.cgroup_cpu_limit};
  warnings.push_back({"cpus-changed",
                      fmt::format("{} of {} of {} ran when the process could use other CPUs than at the start: {}, "
                                  "not {}",
                                  changed, plural(cell.trials.size(), "trial"), cell.cell.name(),
                                  text_of(*first->changed_cpus), text_of(before)),
                      static_cast<double>(changed)});
}

void warn_of_throttling(const CellResult& cell, Warnings& warnings) {
  const auto throttled = std::ranges::count_if(cell.trials, &Trial::throttled);
  if (throttled == 0) return;
  double most = 0;
  for (const Trial& trial : cell.trials) {
    most = std::max(most, trial.usage.throttled_seconds.value_or(0) / trial.wall_seconds);
  }
  warnings.push_back(
      {"throttled",
       fmt::format("{} of {} of {} {} throttled by the CPU quota, for up to {:.0f} % of {} time", throttled,
                   plural(cell.trials.size(), "trial"), cell.cell.name(), was(static_cast<std::size_t>(throttled)),
                   100 * most, throttled == 1 ? "its" : "their"),
       most});
}

// What a batch costs the harness matters only where a batch takes hardly longer.
bool overhead_matters(const Result& result) {
  constexpr double kFarAway = 10;
  const auto cost = overhead_seconds_per_batch(result);
  return std::ranges::any_of(result.cells, [&](const CellResult& cell) {
    if (cell.cell.mode == Mode::kOverhead) return false;
    const auto batch = seconds_per_batch(cell);
    return !cost || (batch && *batch < kFarAway * kOverheadMargin * *cost);
  });
}

}  // namespace

bool came_from_storage(const Trial& trial) {
  return trial.usage.device_read_bytes.value_or(0) > 0 || trial.usage.major_faults > 0;
}

bool shows_what_it_reads(const DatasetFacts& facts) {
  return facts.info.access == Access::kMapped;
}

void warn_of_cell(const Result& result, const CellResult& cell, const CellSummary& summary,
                  std::vector<Warning>& warnings) {
  warn_of_trials(cell, result.datasets[cell.dataset], warnings);
  if (cell.cell.mode != Mode::kOverhead || overhead_matters(result)) warn_of_spread(cell, summary, warnings);
  warn_of_few_trials(result, cell, warnings);
  warn_of_cold(cell, result.datasets[cell.dataset], warnings);
  warn_of_part_of_epoch(cell, result.datasets[cell.dataset], result.environment.machine, warnings);
  warn_of_warm(cell, result.datasets[cell.dataset], warnings);
  warn_of_loop(cell, warnings);
  warn_of_cpus(cell, result.environment.machine, warnings);
  warn_of_throttling(cell, warnings);
}

}  // namespace loadline
