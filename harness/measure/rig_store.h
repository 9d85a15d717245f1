// The datasets and rigs that the trials of a result's cells share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "harness/measure/cache.h"
#include "harness/measure/observer.h"
#include "harness/measure/rig.h"
#include "harness/result/result.h"
#include "loaders/datasets/dataset.h"

namespace loadline {

// Each is made when first requested and lives as long as the store. Not thread-safe: use it on the thread that runs
// the trials. Every function throws Error if a dataset cannot be opened or read.
class RigStore {
 public:
  // Borrows all three.
  RigStore(const Result& result, const std::vector<CellResult>& cells, const RunContext& context);

  // The rig of the i-th cell.
  const Rig& rig(std::size_t i);
  // The same for ceilings: a ceiling uses the rig of the first cell that needed it. Throws Error if the cell has no
  // dataset.
  const CellRig& real_rig(std::size_t i);
  // The same with the samples in memory, because such a ceiling does not depend on how they are stored.
  const CellRig& rig_in_memory(std::size_t i);
  // Null: not requested yet.
  const Rig* made(std::size_t i) const { return rigs_[i].get(); }

  const Dataset& dataset_of(const CellResult& cell);
  // Also those that rig_in_memory() has opened. Valid until it opens another one.
  OpenDatasets datasets() const { return datasets_; }

 private:
  const Result& result_;
  const std::vector<CellResult>& cells_;
  const RunContext& context_;
  std::vector<std::unique_ptr<Dataset>> datasets_;  // as Result::datasets, then the copies
  std::vector<std::unique_ptr<Rig>> rigs_;          // as the cells
  std::map<std::uint64_t, std::size_t> copies_;     // by fingerprint: index of the copy in datasets_
  std::map<std::size_t, std::unique_ptr<CellRig>> rigs_in_memory_;
};

}  // namespace loadline
