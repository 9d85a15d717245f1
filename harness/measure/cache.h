// Putting the page cache into the state that a cell requests, and checking it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "harness/result/result.h"
#include "loaders/datasets/dataset.h"
#include "loaders/storage/mapping.h"
#include "synthetic/clock.h"

namespace loadline {

// How much of the dataset's files the page cache holds. nullopt if a file has disappeared: then a fact is missing,
// but the run does not fail.
std::optional<Residency> residency_of(const DatasetInfo& info);

// Reads all files of a dataset, so that the page cache holds as much as fits. A requested stop ends it early. Throws
// Error if a file cannot be read.
void read_files(const DatasetInfo& info, const std::stop_token& stop);

// The open datasets of a result, by index. Null, or beyond the end: not open. Behind those of the result, others that
// may map the same files.
using OpenDatasets = std::span<const std::unique_ptr<Dataset>>;

// Keeps the page cache in the state that each cell requests, from trial to trial. Not thread-safe: use it on the
// thread that runs the trials, and only between trials.
//
// The system treats these requests as hints, so the outcome is measured and becomes part of the result.
class PageCache {
 public:
  // Borrows all three. If `result.cells` or `cells` has a cold cell, the datasets of warm cells are read again.
  PageCache(const Result& result, const std::vector<CellResult>& cells, Clock& clock);

  // Call before a cell's trial or first epoch; does nothing for a cell without a loader. Returns what the page cache
  // then holds. Cold: drops the dataset's files, after unmapping what `open` has mapped. Warm: reads the files
  // again if cells drop them. As-is: only looks. Throws Error if a file cannot be read. A requested stop ends it
  // early.
  std::optional<Residency> before_trial(const CellResult& cell, OpenDatasets open, const std::stop_token& stop);
  // Call after the trial. Reading evicts nothing, so warm trials are not checked afterwards.
  std::optional<Residency> after_trial(const CellResult& cell) const;
  // Call before a trial of a ceiling that needs the samples of this dataset in memory.
  void before_ceiling(std::size_t dataset, OpenDatasets open, const std::stop_token& stop);

 private:
  struct State {
    bool read = false;  // since it was last dropped
    Time next_look{};
  };

  Residency drop(std::size_t dataset, OpenDatasets open, const std::stop_token& stop);
  std::optional<Residency> warm(std::size_t dataset, OpenDatasets open, const std::stop_token& stop);
  std::optional<Residency> look_in_passing(std::size_t dataset);
  const DatasetInfo& info(std::size_t dataset) const { return result_.datasets[dataset].info; }
  // Of open[i], which is not null.
  const DatasetInfo& info_of(std::size_t i, OpenDatasets open) const;

  const Result& result_;
  Clock& clock_;
  bool any_cold_;
  std::vector<State> states_;  // as Result::datasets
};

}  // namespace loadline
