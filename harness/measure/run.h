// The run over all cells of a plan.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/result/result.h"
#include "synthetic/clock.h"

namespace loadline {

// What happens while a run goes on. Called between trials, never while the clock runs, on the thread of run_plan().
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  virtual void on_dataset(const DatasetFacts& /*facts*/) {}
  virtual void on_first_epoch(const CellResult& /*cell*/) {}
  // After each trial, and after each cell that failed: `result` is valid as it stands.
  virtual void on_trial(const Result& /*result*/, const CellResult& /*cell*/) {}
  // The same of each ceiling.
  virtual void on_ceiling(const Result& /*result*/, const CeilingResult& /*ceiling*/) {}
  // After each value that a search has tried, which is the last of its probes; after each rung of --find best.
  virtual void on_probe(const Result& /*result*/) {}
};

struct RunContext {
  Clock& clock;
  std::stop_token stop;
  RunObserver& observer;
  Time start = clock.now();    // of the run, or of this part of one that is gone on with
  double earlier_seconds = 0;  // that its earlier parts took
};

// The dataset of a cell. Throws Error, where it is not there saying how to get it.
std::unique_ptr<Dataset> open_for(const Cell& cell);

// What a cell will need of its dataset and this machine. Throws Error where the two do not fit, or memory is short.
CellResult prepare_cell(const Cell& cell, const Dataset& dataset, std::size_t dataset_index, const Machine& machine);

// Opens each dataset once to look at it, and checks that every cell fits its dataset and the memory there is. Reads all
// samples, so that what fits the page cache is in it, but for datasets whose cells want the page cache as it is: these
// have no fingerprint yet. Fills result.datasets, result.cells and, unless they are switched
// off, result.ceilings, which have no trials yet.
// Throws Error for the first thing that is wrong. Returns whether it came to its end, rather than to a requested stop;
// without that there is nothing to run.
bool prepare_run(const Plan& plan, Result& result, RunContext& context);

// The same for a plan whose datasets are all among those of `result`, which are not read again. Replaces the cells.
void prepare_again(const Plan& plan, Result& result);

// Measures the first epoch of each cell that has a loader, on a dataset opened anew, then the trials: in rounds over
// all cells and ceilings, each round in an order of its own, until every cell has as many as it is to have
// (schedule.h). A ceiling goes on as long as a cell that it bounds does. With a time limit no round is begun that would
// end behind it, going by the time that trials took so far, no trial behind it, and no first epoch that would cost the
// first round. What cells and ceilings have already counts: that is left out. A cell or ceiling that fails keeps what
// it has and its error; the others go on. Of a plan for ceilings alone only those. Returns whether the run came to its
// end, rather than to a requested stop.
bool run_plan(const Plan& plan, Result& result, RunContext& context);

// Takes the fingerprints that prepare_run() left for later, when there are no more trials that reading could spoil.
// What can no longer be read stays without. Returns as run_plan() does.
bool take_fingerprints(Result& result, RunContext& context);

// Two sides that are to be compared: the first half of the result's cells, as prepare_run() made them, against the
// second. So many rounds of trials in the order of pair_order(), after one that is not kept, in which caches, clocks
// and what loaders learn come to their state. Neither first epochs nor ceilings. Returns as run_plan() does.
bool run_pairs(std::size_t pairs, Result& result, RunContext& context);

// Cells that are not of the plan but on its datasets, such as those of a prediction: `cells` have cell and dataset, and
// get the rest as if they were of the plan, in rounds of their own. No first epochs. What does not fit is the error of
// its cell; what does not fit the time limit has fewer trials, or none. Returns as run_plan() does.
bool run_further(const RunOptions& options, Result& result, std::vector<CellResult>& cells, RunContext& context);

}  // namespace loadline
