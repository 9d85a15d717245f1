#include "harness/measure/rig_store.h"

#include "harness/ceilings/requests.h"
#include "harness/machine/machine.h"
#include "harness/measure/memory_need.h"
#include "harness/measure/prepare.h"
#include "harness/measure/within_run.h"
#include "loaders/datasets/memory.h"
#include "loaders/error.h"

namespace loadline {
namespace {

// A part of the dataset, or all of it. If nothing is copied, the dataset is mapped if possible. Throws Error if the
// memory is not available.
std::unique_ptr<Dataset> samples_in_memory(const Cell& cell, const Dataset& dataset, const Machine& machine) {
  const std::uint64_t copied_bytes = copied_for_ceilings_bytes(dataset.info(), machine);
  if (dataset.info().labelled()) return copy_to_memory(dataset, copied_bytes);
  DatasetOptions options = cell.dataset;
  options.in_memory = copied_bytes > 0;
  if (!options.in_memory && dataset.info().volume) options.access = Access::kMapped;
  return open_dataset(cell.data, options);
}

}  // namespace

RigStore::RigStore(const Result& result, const std::vector<CellResult>& cells, const RunContext& context)
    : result_(result), cells_(cells), context_(context), datasets_(result.datasets.size()), rigs_(cells.size()) {}

const Rig& RigStore::rig(std::size_t i) {
  if (rigs_[i]) return *rigs_[i];
  if (context_.rigs != nullptr) {
    rigs_[i] = context_.rigs->make(cells_[i]);
    return *rigs_[i];
  }
  return real_rig(i);
}

const CellRig& RigStore::real_rig(std::size_t i) {
  const CellResult& cell = cells_[i];
  const auto cache_bytes = result_.environment.machine.last_level_cache_bytes;
  if (!rigs_[i]) {
    rigs_[i] = std::make_unique<CellRig>(cell.cell, dataset_of(cell), cache_bytes, gradients_of(context_));
  }
  const CellRig* real = rigs_[i]->as_cell_rig();
  if (real == nullptr) throw Error("ceilings: the cells need datasets");
  return *real;
}

const Dataset& RigStore::dataset_of(const CellResult& cell) {
  auto& dataset = datasets_[cell.dataset];
  if (!dataset) dataset = open_for(cell.cell);
  return *dataset;
}

const CellRig& RigStore::rig_in_memory(std::size_t i) {
  const CellRig& original = real_rig(i);
  const Dataset& dataset = original.assembler().dataset();
  const DatasetInfo& info = dataset.info();
  const auto memory = memory_in_force(result_.environment.machine);
  if (info.access == Access::kResident || stays_mapped(info, memory)) return original;
  const CellResult& cell = cells_[i];
  // The same in every format; a dataset without a fingerprint has no such ceilings.
  const std::uint64_t fingerprint = result_.datasets[cell.dataset].fingerprint.value();
  if (!copies_.contains(fingerprint)) {
    datasets_.push_back(samples_in_memory(cell.cell, dataset, result_.environment.machine));
    copies_.emplace(fingerprint, datasets_.size() - 1);
  }
  const Dataset& copy = *datasets_[copies_.at(fingerprint)];
  auto& found = rigs_in_memory_[i];
  const auto cache_bytes = result_.environment.machine.last_level_cache_bytes;
  if (!found) found = std::make_unique<CellRig>(cell.cell, copy, cache_bytes);
  return *found;
}

}  // namespace loadline
