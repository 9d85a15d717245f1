#include "harness/measure/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "harness/ceilings/ceilings.h"
#include "harness/machine/machine.h"
#include "harness/measure/attempt.h"
#include "harness/measure/cache.h"
#include "harness/measure/memory_need.h"
#include "harness/measure/memory_trial.h"
#include "harness/measure/named_files.h"
#include "harness/measure/schedule.h"
#include "harness/measure/trial.h"
#include "harness/plan/data_kinds.h"
#include "harness/plan/refusals.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/residency.h"
#include "loaders/datasets/script.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/system/affinity.h"
#include "loaders/system/numa.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

bool same_dataset(const Cell& a, const Cell& b) {
  return a.data == b.data && a.dataset == b.dataset;
}

// Residency must be checked before the dataset is opened, when only the names around it are known. By file name: all
// files of a dataset are in one directory. Files that cannot be checked are not the dataset's, or opening refuses
// them.
std::map<fs::path, Residency> residency_around(const fs::path& path) {
  std::map<fs::path, Residency> found;
  std::error_code ignored;
  const fs::path directory = fs::is_directory(path, ignored) ? path : fs::absolute(path, ignored).parent_path();
  for (auto entry = fs::directory_iterator(directory, ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    if (!entry->is_regular_file(ignored)) continue;
    try {
      found[entry->path().filename()] = page_cache_residency(entry->path());
    } catch (const Error&) {
    }
  }
  return found;
}

// Whether reading the whole dataset beforehand would change the cache state that its cells should find.
bool spoilt_by_reading(const Plan& plan, const Cell& first, const Dataset& dataset) {
  if (dataset.info().access == Access::kResident) return false;  // opening it has read it
  const auto any = [&](CacheState state) {
    return std::ranges::any_of(plan.cells,
                               [&](const Cell& cell) { return same_dataset(first, cell) && starts(cell, state); });
  };
  return any(CacheState::kAsIs) && !any(CacheState::kWarm);
}

// False when a stop was requested.
bool take_fingerprint(const Dataset& dataset, DatasetFacts& facts, const std::stop_token& stop) {
  facts.fingerprint = run_fingerprint(dataset, stop);
  if (facts.fingerprint) facts.fingerprint_samples = fingerprint_samples(dataset.info());
  return facts.fingerprint.has_value();
}

// Reads what the fingerprint of a large dataset has not read, for warm cells; cells read what does not fit in memory
// themselves.
bool wants_reading(const Plan& plan, const Cell& first, const DatasetFacts& facts, const Machine& machine) {
  if (!facts.fingerprint_samples || facts.info.access == Access::kResident) return false;
  return facts.info.stored_bytes <= memory_left_bytes(machine) &&
         std::ranges::any_of(plan.cells, [&](const Cell& cell) {
           return same_dataset(first, cell) && starts(cell, CacheState::kWarm);
         });
}

// None where nothing has this path, as for what a script makes.
std::optional<fs::path> canonical_path_of(const fs::path& path) {
  std::error_code failure;
  const fs::path found = fs::canonical(path, failure);
  return failure ? std::nullopt : std::optional(found);
}

// None when a stop was requested.
std::optional<DatasetFacts> inspect(const Cell& cell, const Dataset& dataset, bool read_all,
                                    const std::map<fs::path, Residency>& around, const std::stop_token& stop) {
  DatasetFacts facts{.path = cell.data, .canonical_path = canonical_path_of(cell.data), .info = dataset.info()};
  for (const fs::path& file : dataset.info().files) {
    if (const auto found = around.find(file.filename()); found != around.end()) facts.found += found->second;
  }
  // Opening such a dataset reads none of its files.
  if (dataset.info().access == Access::kFiles) facts.found = page_cache_residency(dataset);
  facts.files_looked_at = files_looked_at(dataset.info().files);
  if (read_all && !take_fingerprint(dataset, facts, stop)) return std::nullopt;
  facts.storage = storage_of(dataset.info().files.front());
  facts.before = page_cache_residency(dataset);
  facts.memory_nodes = pages_by_node(dataset.memory());
  return facts;
}

// The memory use, after trying to take it if limits are not visible.
MemoryUse checked_use(const MemoryNeed& need, Machine& machine, std::size_t processes) {
  try_memory(need.total_bytes(), machine);
  return memory_use(need, machine, processes);
}

// For this one cell, before anything is made for it: its step and batches are tried before all needs are added up.
void check_cell(const CellResult& cell, const DatasetInfo& info, Machine& machine, std::size_t processes) {
  Result alone;
  alone.environment.machine = machine;
  alone.datasets.push_back({.path = cell.cell.data, .info = info});
  alone.cells.push_back(cell);
  alone.cells.front().dataset = 0;
  check_memory(checked_use(memory_need(alone, processes), machine, processes));
}

// A container may refuse to bind threads to CPUs.
void check_placement(const Cell& cell) {
  try {
    const PinnedThread as_compute(cell.placement.compute_cpus);
    const PinnedThread as_worker(cell.placement.worker_cpus);
  } catch (const Error& error) {
    throw Error(fmt::format("--placement {}: {}", cell.placement.name, error.what()));
  }
}

// Opening a dataset may fill memory before anything else about it is known.
void check_opening(const Cell& cell, Machine& machine, std::size_t processes) {
  const std::uint64_t bytes = resident_bytes(cell.data, cell.dataset);
  if (bytes == 0) return;
  MemoryNeed need;
  need.parts.push_back({fmt::format("the samples of {} in memory", cell.data.string()), bytes * processes});
  check_memory(checked_use(need, machine, processes));
}

// Only now is the kind of the data known.
void check_given(const Plan& plan, const Result& result) {
  DataKinds kinds = 0;
  std::string held;
  for (const DatasetFacts& facts : result.datasets) {
    kinds |= kinds_of(facts.info);
    held += fmt::format("{}{}", held.empty() ? "" : ", nor to ", holding(facts.path, facts.info));
  }
  check_heeded(plan.options, kinds, held);
}

void add_up_memory(Result& result, std::size_t processes) {
  Machine& machine = result.environment.machine;
  try_memory(memory_need(result, processes).total_bytes(), machine);
  // Ceilings adapt to the available memory.
  result.memory = memory_use(memory_need(result, processes), machine, processes);
  check_memory(*result.memory);
}

// For the cells of a dataset that has been read.
void try_loading(const Plan& plan, const Cell& first, const Dataset& dataset, double open_seconds,
                 RunContext& context) {
  for (const Cell& cell : plan.cells) {
    if (!cell.loader || !same_dataset(first, cell)) continue;
    context.tried[compute_key(cell)].open_seconds = open_seconds;
    try_filling(CellRig(cell, dataset, std::nullopt), context);
  }
}

// Each ceiling once, for any number of cells.
void plan_ceilings(const Plan& plan, Result& result) {
  const auto memory_bytes = memory_in_force(result.environment.machine);
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    CellResult& cell = result.cells[i];
    const DatasetInfo& info = result.datasets[cell.dataset].info;
    for (Ceiling& wanted : ceilings_of(cell.cell, cell.dataset, info, memory_bytes, plan.ceilings_alone)) {
      // A ceiling on samples in memory would change the cache that as-is cells should find unchanged.
      if (wanted.dataset && !result.datasets[cell.dataset].fingerprint) continue;
      const auto known = std::ranges::find(result.ceilings, wanted, &CeilingResult::ceiling);
      const auto index = static_cast<std::size_t>(known - result.ceilings.begin());
      if (binds(wanted, cell.cell)) cell.bounds.push_back(index);
      if (known == result.ceilings.end()) result.ceilings.push_back({.ceiling = std::move(wanted), .cell = i});
    }
  }
}

}  // namespace

std::unique_ptr<Dataset> open_for(const Cell& cell) {
  std::error_code ignored;
  if (!cell.how_to_get_it.empty() && !fs::exists(cell.data, ignored)) {
    throw Error(
        fmt::format("cannot open {}: workload {} has no data there; get it with `{}`, or give its path with --data",
                    cell.data.string(), cell.workload, cell.how_to_get_it));
  }
  return open_dataset(cell.data, cell.dataset);
}

CellResult prepare_cell(const Cell& cell, const Dataset& dataset, std::size_t dataset_index, Machine& machine,
                        std::size_t processes) {
  if (starts(cell, CacheState::kCold) && dataset.info().format == kScriptFormat) {
    throw usage_error(
        "--cache cold: only a loader in Python knows which files it reads, so loadline cannot drop them from the page "
        "cache; leave out cold, or name the data with --data");
  }
  if (starts(cell, CacheState::kCold) && dataset.info().access == Access::kResident) {
    throw usage_error(
        fmt::format("--cache cold: {} is read into memory completely when it is opened, so trials read no file; unpack "
                    "it or leave out cold",
                    cell.data.string()));
  }
  check_placement(cell);
  const CellRig rig(cell, dataset, machine.last_level_cache_bytes);
  CellResult result{.cell = cell, .dataset = dataset_index};
  result.prefetch = rig.slots().prefetch;
  result.slots = rig.slots().slots;
  result.slot_bytes = rig.slots().slot_bytes;
  result.compute_bytes = rig.compute_bytes();
  if (uses_loader(cell.mode) && rig.sampler().shuffle() == Shuffle::kKeyed) result.shuffle = kKeyedShuffle;
  check_cell(result, dataset.info(), machine, processes);
  return result;
}

bool prepare_run(const Plan& plan, Result& result, RunContext& context) {
  std::vector<const Cell*> first_of;  // of each dataset
  for (const Cell& cell : plan.cells) {
    const bool known = std::ranges::any_of(first_of, [&](const Cell* first) { return same_dataset(*first, cell); });
    if (!known) first_of.push_back(&cell);
  }
  result.cells.resize(plan.cells.size());
  for (const Cell* first : first_of) {
    const auto around = residency_around(first->data);
    check_opening(*first, result.environment.machine, context.processes);
    const Time begin = context.clock.now();
    const auto dataset = open_for(*first);
    const double open_seconds = seconds(context.clock.now() - begin);
    context.watches.emplace_back(dataset->info());
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
      if (!same_dataset(*first, plan.cells[i])) continue;
      result.cells[i] =
          prepare_cell(plan.cells[i], *dataset, result.datasets.size(), result.environment.machine, context.processes);
      if (!context.try_computes) continue;
      const CellRig rig(plan.cells[i], *dataset, result.environment.machine.last_level_cache_bytes);
      try_compute(rig, !spoilt_by_reading(plan, *first, *dataset), context);
    }
    auto facts = inspect(*first, *dataset, !spoilt_by_reading(plan, *first, *dataset), around, context.stop);
    if (!facts) return false;
    if (wants_reading(plan, *first, *facts, result.environment.machine)) {
      read_files(facts->info, context.stop);
      facts->before = page_cache_residency(*dataset);
    }
    if (context.stop.stop_requested()) return false;
    if (facts->fingerprint && !plan.ceilings_alone) try_loading(plan, *first, *dataset, open_seconds, context);
    result.datasets.push_back(std::move(*facts));
    if (result.datasets.back().fingerprint) context.observer.on_dataset(result.datasets.back());
  }
  check_given(plan, result);
  note_loaders(result);
  note_named_files(result);
  if (plan.options.ceilings == "on") plan_ceilings(plan, result);
  add_up_memory(result, context.processes);
  return true;
}

void prepare_again(const Plan& plan, Result& result, const RunContext& context) {
  std::vector<CellResult> cells(plan.cells.size());
  for (std::size_t dataset = 0; dataset < result.datasets.size(); ++dataset) {
    const auto first = std::ranges::find(result.cells, dataset, &CellResult::dataset);
    const auto opened = context.rigs == nullptr ? open_for(first->cell) : nullptr;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!same_dataset(first->cell, plan.cells[i])) continue;
      cells[i] = opened ? prepare_cell(plan.cells[i], *opened, dataset, result.environment.machine, context.processes)
                        : context.rigs->prepare(plan.cells[i], dataset);
    }
  }
  result.cells = std::move(cells);
  if (context.rigs == nullptr) {
    note_loaders(result);
    note_named_files(result);
  }
  result.ceilings.clear();
  if (plan.options.ceilings == "on") plan_ceilings(plan, result);
  if (context.rigs == nullptr) add_up_memory(result, context.processes);
}

void note_loaders(Result& result) {
  for (const CellResult& cell : result.cells) {
    if (!cell.cell.loader) continue;
    const LoaderKind& kind = loader_named(*cell.cell.loader);
    if (!kind.external) continue;
    const auto known = std::ranges::find(result.loaders, kind.name, &ExternalLoader::loader);
    if (known == result.loaders.end()) {
      result.loaders.push_back({.loader = kind.name, .origin = kind.origin, .delivered = std::nullopt});
    } else {
      known->origin = kind.origin;
    }
  }
}

void note_delivered(const Cell& cell, const std::optional<DeliveredFormat>& delivered, Result& result) {
  if (!cell.loader || !delivered) return;
  const auto known = std::ranges::find(result.loaders, *cell.loader, &ExternalLoader::loader);
  if (known != result.loaders.end()) known->delivered = delivered;
}

bool take_fingerprints(Result& result, RunContext& context) {
  for (std::size_t i = 0; i < result.datasets.size(); ++i) {
    DatasetFacts& facts = result.datasets[i];
    if (facts.fingerprint) continue;
    const auto first = std::ranges::find(result.cells, i, &CellResult::dataset);
    try {
      if (!take_fingerprint(*open_for(first->cell), facts, context.stop)) return false;
    } catch (const Error&) {
      continue;  // it has disappeared since; the trials stay valid
    }
    context.observer.on_dataset(facts);
  }
  return true;
}

}  // namespace loadline
