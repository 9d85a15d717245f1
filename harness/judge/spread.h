// How noisy the machine was during a run, and how small a change can still be seen. Pure functions, safe from any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/judgement.h"

namespace loadline {

// Over the cells with at least two trials, except OVERHEAD.
struct Spread {
  std::size_t cells = 0;
  double variation = 0;        // standard deviation over mean of a cell's trials: the median of the cells
  double worst = 0;            // the largest
  std::size_t worst_cell = 0;  // index in Result::cells
  std::size_t fewest_trials = 0;
  std::size_t most_trials = 0;
  // The relative change that two runs such as this one would show four times in five at the level 0.05, by exact
  // power (detectable_difference()): the median of the cells. It covers only the spread within a run; other
  // differences between runs are in the noise floor of the host.
  double detectable = 0;
};

// std::nullopt where no cell has two trials. `summaries`: as Judgement::cells.
std::optional<Spread> spread_of(const Result& result, const std::vector<CellSummary>& summaries);

// "Trials vary by 1.2 % of their mean (median of 12 cells; worst 4.1 %, cifar10/IO/hdf5/workers:2/batch:512): with 5
// trials each, two runs show a change of 2.3 % four times in five."
std::string spread_sentence(const Spread& spread, const Result& result);

}  // namespace loadline
