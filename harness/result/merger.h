// Puts what several runs measured into one result.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/result/result.h"

namespace loadline {

// The measurements of the parts of a merge, one after the other. For one thread.
class Merger {
 public:
  // With the options of the merged result, and without any measurement.
  Result& result() { return merged_; }

  // Adds what a part measured: its trials get later rounds than those of all earlier parts, and count their time from
  // the start of the first.
  void add(Result part, double seconds_after_the_first);

 private:
  using Indices = std::map<std::string, std::size_t>;

  std::size_t add_dataset(DatasetFacts facts);
  std::size_t add_ceiling(CeilingResult& ceiling, const Cell& cell);
  // Why a cell that two parts have has no further trials. `into` has the trials of both. Whether they reach the
  // interval together is left to those who judge them.
  std::optional<Stopped> stopped_of_both(const CellResult& into, std::optional<Stopped> other) const;
  std::size_t add_cell(CellResult cell, Indices& indices, std::vector<CellResult>& cells) const;

  Result merged_;
  std::size_t rounds_ = 0;
  Indices cell_indices_;
  Indices check_indices_;
  Indices ceiling_indices_;
  std::size_t ceilings_with_cells_ = 0;  // whose index of a cell is that of the merged result
};

}  // namespace loadline
