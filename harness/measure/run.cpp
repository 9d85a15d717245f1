#include "harness/measure/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "harness/measure/trial.h"
#include "loaders/error.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

bool same_dataset(const Cell& a, const Cell& b) {
  return a.data == b.data && a.dataset == b.dataset;
}

// Residency must be asked for before the dataset is opened, when only the names around it are known. By file name: all
// files of a dataset lie in one directory. What cannot be looked at belongs to somebody else, or is refused on opening.
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

std::unique_ptr<Dataset> open_for(const Cell& cell) {
  std::error_code ignored;
  if (!cell.how_to_get_it.empty() && !fs::exists(cell.data, ignored)) {
    throw Error(
        fmt::format("cannot open {}: the data of workload {} is not there; get it by `{}` or name another "
                    "place with --data",
                    cell.data.string(), cell.workload, cell.how_to_get_it));
  }
  return open_dataset(cell.data, cell.dataset);
}

// None when a stop was requested.
std::optional<DatasetFacts> inspect(const Cell& cell, const Dataset& dataset,
                                    const std::map<fs::path, Residency>& around, const std::stop_token& stop) {
  DatasetFacts facts{.path = cell.data, .info = dataset.info()};
  for (const fs::path& file : dataset.info().files) {
    if (const auto found = around.find(file.filename()); found != around.end()) facts.found += found->second;
  }
  // Opening such a dataset reads none of its files.
  if (dataset.info().access == Access::kFiles) facts.found = page_cache_residency(dataset);
  const auto fingerprint = content_fingerprint(dataset, stop);
  if (!fingerprint) return std::nullopt;
  facts.fingerprint = *fingerprint;
  facts.storage = storage_of(dataset.info().files.front());
  facts.before = page_cache_residency(dataset);
  return facts;
}

// None where a file has gone in the meantime: a fact that is missing, not a run that failed.
std::optional<Residency> residency_of(const DatasetInfo& info) {
  try {
    Residency sum;
    for (const fs::path& file : info.files) sum += page_cache_residency(file);
    return sum;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void check_memory(const CellResult& result, const DatasetInfo& info, const Machine& machine) {
  constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t available =
      std::min(machine.memory_available_bytes.value_or(kNoLimit), machine.cgroup_memory_limit_bytes.value_or(kNoLimit));
  // The machine was looked at before the dataset was opened.
  const std::size_t resident = info.access == Access::kResident ? info.all_bytes() : 0;
  const std::size_t needed = resident + result.slots * result.slot_bytes;
  if (needed <= available) return;
  throw usage_error(fmt::format("{}: its slots need {} x {} bytes of memory{}, and {} bytes are available",
                                result.cell.name(), result.slots, result.slot_bytes,
                                resident == 0 ? "" : fmt::format(" beside {} bytes of samples", resident), available));
}

CellResult prepare_cell(const Cell& cell, const Dataset& dataset, std::size_t dataset_index, const Machine& machine) {
  const CellRig rig(cell, dataset, machine.last_level_cache_bytes);
  CellResult result{.cell = cell, .dataset = dataset_index};
  result.prefetch = rig.slots().prefetch;
  result.slots = rig.slots().slots;
  result.slot_bytes = rig.slots().slot_bytes;
  check_memory(result, dataset.info(), machine);
  return result;
}

// A first epoch is measured on a dataset of its own: only a fresh mapping has its page faults still before it.
void measure_first_epoch(CellResult& result, Time limit, const Machine& machine, RunContext& context) {
  const Time begin = context.clock.now();
  const auto dataset = open_for(result.cell);
  const double open_seconds = seconds(context.clock.now() - begin);
  const CellRig rig(result.cell, *dataset, machine.last_level_cache_bytes);
  result.first_epoch = run_first_epoch(rig, limit, context.clock, context.stop);
  if (result.first_epoch) result.first_epoch->open_seconds = open_seconds;
}

void measure_first_epochs(const Plan& plan, Result& result, RunContext& context) {
  if (plan.options.first_epoch_seconds == 0) return;
  const auto limit = std::chrono::duration_cast<Time>(std::chrono::duration<double>(plan.options.first_epoch_seconds));
  for (CellResult& cell : result.cells) {
    if (!uses_loader(cell.cell.mode)) continue;
    if (context.stop.stop_requested()) return;
    try {
      measure_first_epoch(cell, limit, result.environment.machine, context);
      if (cell.first_epoch) context.observer.on_first_epoch(cell);
    } catch (const Error& error) {
      cell.error = error.what();
      context.observer.on_trial(result, cell);
    }
  }
}

// The datasets and rigs that the trials share.
class Bench {
 public:
  Bench(Result& result, RunContext& context) {
    datasets_.resize(result.datasets.size());
    rigs_.resize(result.cells.size());
    for (std::size_t i = 0; i < result.cells.size(); ++i) {
      CellResult& cell = result.cells[i];
      if (cell.error) continue;
      try {
        auto& dataset = datasets_[cell.dataset];
        if (!dataset) dataset = open_for(cell.cell);
        rigs_[i] = std::make_unique<CellRig>(cell.cell, *dataset, result.environment.machine.last_level_cache_bytes);
      } catch (const Error& error) {
        cell.error = error.what();
        context.observer.on_trial(result, cell);
      }
    }
  }

  const CellRig& rig(std::size_t cell) const { return *rigs_[cell]; }

 private:
  std::vector<std::unique_ptr<Dataset>> datasets_;
  std::vector<std::unique_ptr<CellRig>> rigs_;
};

TrialOptions trial_options(const RunOptions& options, std::size_t round) {
  const auto time = std::chrono::duration_cast<Time>(std::chrono::duration<double>(options.trial_seconds));
  return {.length = options.trial_batches ? Length(Batches{*options.trial_batches}) : Length(time),
          .warm_up_batches = options.warm_up_batches,
          .first_epoch = round + 1};  // the first epoch is a measurement of its own
}

}  // namespace

bool prepare_run(const Plan& plan, Result& result, RunContext& context) {
  std::vector<const Cell*> first_of;  // of each dataset
  for (const Cell& cell : plan.cells) {
    const bool known = std::ranges::any_of(first_of, [&](const Cell* first) { return same_dataset(*first, cell); });
    if (!known) first_of.push_back(&cell);
  }
  result.cells.resize(plan.cells.size());
  for (const Cell* first : first_of) {
    const auto around = residency_around(first->data);
    const auto dataset = open_for(*first);
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
      if (!same_dataset(*first, plan.cells[i])) continue;
      result.cells[i] = prepare_cell(plan.cells[i], *dataset, result.datasets.size(), result.environment.machine);
    }
    auto facts = inspect(*first, *dataset, around, context.stop);
    if (!facts) return false;
    result.datasets.push_back(std::move(*facts));
    context.observer.on_dataset(result.datasets.back());
  }
  return true;
}

bool run_plan(const Plan& plan, Result& result, RunContext& context) {
  const Time start = context.clock.now();
  measure_first_epochs(plan, result, context);
  if (context.stop.stop_requested()) return false;
  const Bench bench(result, context);
  std::size_t place = 0;
  for (std::size_t round = 0; round < plan.options.trials; ++round) {
    // What the harness costs is of no use alone.
    const bool any_left = std::ranges::any_of(
        result.cells, [](const CellResult& cell) { return !cell.error && cell.cell.mode != Mode::kOverhead; });
    if (!any_left) break;
    for (const std::size_t i : round_order(plan.options.seed, round, result.cells.size())) {
      CellResult& cell = result.cells[i];
      if (cell.error) continue;
      if (context.stop.stop_requested()) return false;
      const double started_seconds = seconds(context.clock.now() - start);
      try {
        auto trial = run_trial(bench.rig(i), trial_options(plan.options, round), context.clock, context.stop);
        if (!trial) return false;
        trial->round = round;
        trial->place = place++;
        trial->started_seconds = started_seconds;
        cell.trials.push_back(*trial);
      } catch (const Error& error) {
        cell.error = error.what();
      }
      cell.skipped = bench.rig(i).assembler().skipped();
      context.observer.on_trial(result, cell);
    }
  }
  for (DatasetFacts& facts : result.datasets) facts.after = residency_of(facts.info);
  return true;
}

}  // namespace loadline
