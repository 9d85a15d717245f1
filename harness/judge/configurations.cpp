#include "harness/judge/configurations.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "harness/plan/settings.h"

namespace loadline {
namespace {

using P = SettingPart;

// That of the batches themselves, where the loader does not use the run's.
std::size_t batch_size_of(const Result& result, const Cell& cell) {
  const auto loader = std::ranges::find(result.loaders, *cell.loader, &ExternalLoader::loader);
  const bool own = loader != result.loaders.end() && loader->delivered && loader->delivered->batch_size;
  return own ? *loader->delivered->batch_size : cell.sampler.batch_size;
}

Configuration configuration_of(const Result& result, const Cell& cell) {
  const auto axes_that = [&](bool are_task) {
    Cell part = cell;
    // The ranks of a program's own loop are one job.
    std::erase_if(part.axes, [&](const std::string& axis) { return (!result.loop && is_task(axis)) != are_task; });
    return axes_text(part, {P::kSubject, P::kStorage, P::kOrder, P::kLoading, P::kCompute});
  };
  return {.workload = cell.workload,
          .loader = *cell.loader,
          .workers = cell.workers,
          .batch_size = batch_size_of(result, cell),
          .further = axes_text(cell, {P::kSubject, P::kStorage, P::kOrder, P::kLoading, P::kCompute}),
          .task = axes_that(true),
          .choices = axes_that(false)};
}

using CellsByKey = std::unordered_map<std::string, std::size_t>;

std::optional<std::size_t> cell_at(const CellsByKey& cells, const std::string& key) {
  const auto found = cells.find(key);
  return found == cells.end() ? std::nullopt : std::optional(found->second);
}

// Without FULL, SYNTHETIC is found by the settings that do not depend on the compute.
std::optional<std::size_t> synthetic_for(const Result& result, const Cell& cell) {
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& other = result.cells[i].cell;
    if (other.mode == Mode::kSynthetic && key_of(other, {P::kSubject}) == key_of(cell, {P::kSubject})) return i;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Configuration> configurations_of(const Result& result) {
  CellsByKey io;
  CellsByKey synthetic;
  std::unordered_set<std::string> with_full;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& cell = result.cells[i].cell;
    if (cell.mode == Mode::kIo) io.emplace(loading_key(cell), i);
    if (cell.mode == Mode::kSynthetic) synthetic.emplace(step_key(cell), i);
    if (cell.mode == Mode::kFull) with_full.insert(loading_key(cell));
  }
  std::vector<Configuration> configurations;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& cell = result.cells[i].cell;
    // A file may claim that a SYNTHETIC cell has a loader.
    if (!cell.loader || !uses_loader(cell.mode)) continue;
    if (cell.mode == Mode::kIo && with_full.contains(loading_key(cell))) continue;
    Configuration configuration = configuration_of(result, cell);
    configuration.io = cell_at(io, loading_key(cell));
    if (cell.mode == Mode::kFull) {
      configuration.full = i;
      configuration.synthetic = cell_at(synthetic, step_key(cell));
    } else {
      configuration.synthetic = synthetic_for(result, cell);
    }
    configurations.push_back(std::move(configuration));
  }
  return configurations;
}

}  // namespace loadline
