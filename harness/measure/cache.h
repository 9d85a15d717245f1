// The page cache as a cell asks to find it: brought about, and looked at.
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

// How much of the dataset's files the page cache holds. std::nullopt where a file has gone in the meantime: a fact that
// is missing, not a run that failed.
std::optional<Residency> residency_of(const DatasetInfo& info);

// Reads all files of a dataset, so that what fits the page cache is in it. A requested stop cuts it short. Throws Error
// where a file cannot be read.
void read_files(const DatasetInfo& info, const std::stop_token& stop);

// The datasets of a result that are open, by index; null where one is not, and those beyond the end are not either.
using OpenDatasets = std::span<const std::unique_ptr<Dataset>>;

// Keeps the page cache in the state that each cell asks for, from trial to trial. Not thread-safe: of the thread that
// runs the trials, and only between them.
//
// The system treats these requests as hints, so the outcome is measured and becomes part of the result.
class PageCache {
 public:
  // Borrows all three. A cold cell among `result.cells` or `cells` makes warm ones be read again.
  PageCache(const Result& result, const std::vector<CellResult>& cells, Clock& clock);

  // Before a cell's trial or first epoch; nothing for a cell without a loader. Returns what the page cache then holds.
  // Cold: drops the dataset's files, what this process has mapped of them first. Warm: where cells drop files, reads
  // them again. As-is: only looks. Throws Error where a file cannot be read. A requested stop cuts it short.
  std::optional<Residency> before_trial(const CellResult& cell, OpenDatasets open, const std::stop_token& stop);
  // After the trial. Reading evicts nothing, so warm trials are not checked afterwards.
  std::optional<Residency> after_trial(const CellResult& cell) const;
  // Before a trial of a ceiling on samples of this dataset, which are taken to be in memory.
  void before_ceiling(std::size_t dataset, OpenDatasets open, const std::stop_token& stop);

 private:
  struct State {
    bool read = false;  // since it was dropped last
    Time next_look{};
  };

  Residency drop(std::size_t dataset, OpenDatasets open, const std::stop_token& stop);
  std::optional<Residency> warm(std::size_t dataset, OpenDatasets open, const std::stop_token& stop);
  std::optional<Residency> look_in_passing(std::size_t dataset);
  const DatasetInfo& info(std::size_t dataset) const { return result_.datasets[dataset].info; }

  const Result& result_;
  Clock& clock_;
  bool any_cold_;
  std::vector<State> states_;  // as Result::datasets
};

}  // namespace loadline
