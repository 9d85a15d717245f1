#include "harness/result/merger.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/plan/settings.h"
#include "harness/result/counted.h"

namespace loadline {
namespace {

// Calls visit(trial) for all trials of a result, whatever they belong to.
template <typename Visit>
void each_trial(Result& result, Visit visit) {
  for (CellResult& cell : result.cells) std::ranges::for_each(cell.trials, visit);
  for (CeilingResult& ceiling : result.ceilings) std::ranges::for_each(ceiling.trials, visit);
  for (CellResult& check : result.checks) std::ranges::for_each(check.trials, visit);
}

// Whether the run ended before the cell had all its trials.
bool was_cut_short(const std::optional<Stopped>& stopped) {
  return !stopped || stopped == Stopped::kTimeLimit;
}

template <typename AnyTrial>
void append(std::vector<AnyTrial>& trials, std::vector<AnyTrial>& further) {
  trials.insert(trials.end(), std::make_move_iterator(further.begin()), std::make_move_iterator(further.end()));
}

}  // namespace

void Merger::add(Result part, double seconds_after_the_first) {
  std::size_t rounds = 0;
  each_trial(part, [&](auto& trial) {
    rounds = std::max(rounds, trial.round + 1);
    trial.round += rounds_;
    trial.started_seconds += seconds_after_the_first;
    if constexpr (requires { trial.clock_started_seconds; }) {
      if (trial.clock_started_seconds) *trial.clock_started_seconds += seconds_after_the_first;
    }
  });
  rounds_ += rounds;
  std::vector<std::size_t> datasets;
  for (DatasetFacts& facts : part.datasets) datasets.push_back(add_dataset(std::move(facts)));
  for (ExternalLoader& loader : part.loaders) {
    const auto known = std::ranges::find(merged_.loaders, loader.loader, &ExternalLoader::loader);
    if (known == merged_.loaders.end()) merged_.loaders.push_back(std::move(loader));
  }
  for (NamedFile& file : part.named_files) {
    const auto known = std::ranges::find(merged_.named_files, file.named_by, &NamedFile::named_by);
    if (known == merged_.named_files.end()) merged_.named_files.push_back(std::move(file));
  }
  for (CellResult& cell : part.cells) cell.dataset = datasets[cell.dataset];
  for (CellResult& check : part.checks) check.dataset = datasets[check.dataset];
  // The cells that ceilings belong to tell them apart.
  std::vector<std::size_t> ceilings;
  for (CeilingResult& ceiling : part.ceilings) {
    auto& dataset = ceiling.ceiling.dataset;
    if (dataset) dataset = datasets[*dataset];
    ceilings.push_back(add_ceiling(ceiling, part.cells[ceiling.cell].cell));
  }
  std::vector<std::size_t> cells;
  for (CellResult& cell : part.cells) {
    for (std::size_t& bound : cell.bounds) bound = ceilings[bound];
    cells.push_back(add_cell(std::move(cell), cell_indices_, merged_.cells));
  }
  for (std::size_t i = 0; i < part.ceilings.size(); ++i) {
    if (ceilings[i] >= ceilings_with_cells_) merged_.ceilings[ceilings[i]].cell = cells[part.ceilings[i].cell];
  }
  ceilings_with_cells_ = merged_.ceilings.size();
  for (CellResult& check : part.checks) add_cell(std::move(check), check_indices_, merged_.checks);
}

std::size_t Merger::add_dataset(DatasetFacts facts) {
  const auto found = std::ranges::find_if(merged_.datasets, [&](const DatasetFacts& known) {
    return known.path == facts.path && !samples_differ(known, facts) && known.info.format == facts.info.format &&
           known.info.access == facts.info.access && known.info.files == facts.info.files;
  });
  const auto index = static_cast<std::size_t>(found - merged_.datasets.begin());
  if (found == merged_.datasets.end()) {
    merged_.datasets.push_back(std::move(facts));
    return index;
  }
  if (!found->canonical_path) found->canonical_path = std::move(facts.canonical_path);
  if (!found->fingerprint) {
    found->fingerprint = facts.fingerprint;
    found->fingerprint_samples = facts.fingerprint_samples;
  }
  return index;
}

std::size_t Merger::add_ceiling(CeilingResult& ceiling, const Cell& cell) {
  const bool of_batches = ceiling.ceiling.kind->scope == CeilingScope::kBatch;
  Ceiling bare = ceiling.ceiling;
  bare.further.clear();
  const std::string key = bare.id() + (of_batches ? key_of(cell, {SettingPart::kSubject, SettingPart::kOrder}) : "");
  const auto [known, is_new] = ceiling_indices_.emplace(key, merged_.ceilings.size());
  if (is_new) {
    merged_.ceilings.push_back(ceiling);
  } else {
    CeilingResult& into = merged_.ceilings[known->second];
    append(into.trials, ceiling.trials);
    if (!into.error) into.error = ceiling.error;
  }
  return known->second;
}

std::optional<Stopped> Merger::stopped_of_both(const CellResult& into, std::optional<Stopped> other) const {
  if (!was_cut_short(into.stopped)) return into.stopped;
  if (merged_.options.until_ci) return was_cut_short(other) ? into.stopped : other;
  return count_of(into.trials) >= merged_.options.trials ? Stopped::kTrials : into.stopped;
}

std::size_t Merger::add_cell(CellResult cell, Indices& indices, std::vector<CellResult>& cells) const {
  const std::string key = cell.cell.mode == Mode::kOverhead ? cell.cell.name() : key_of(cell.cell);
  const auto [known, is_new] = indices.emplace(key, cells.size());
  if (is_new) {
    cells.push_back(std::move(cell));
    return known->second;
  }
  CellResult& into = cells[known->second];
  append(into.trials, cell.trials);
  into.stopped = stopped_of_both(into, cell.stopped);
  if (!into.first_epoch) into.first_epoch = cell.first_epoch;
  if (!into.error) into.error = cell.error;
  into.skipped.merge(cell.skipped);
  into.skipped_unnamed = std::max(into.skipped_unnamed, cell.skipped_unnamed);
  for (const std::size_t bound : cell.bounds) {
    if (std::ranges::find(into.bounds, bound) == into.bounds.end()) into.bounds.push_back(bound);
  }
  into.cell.axes.insert(into.cell.axes.end(), cell.cell.axes.begin(), cell.cell.axes.end());
  return known->second;
}

}  // namespace loadline
