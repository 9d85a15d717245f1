// What the sections of a report are about: configurations, with the same labels and order in all sections.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// One result and its judgement. Borrows both.
struct Run {
  const Result& result;
  const Judgement& judgement;
  std::string name;  // of run_name()
};

// "A" to "Z", then "AA": short, for legends and tables. The charts take colours and shapes from these letters.
std::string run_name(std::size_t index);

// Zips them; throws Error unless there is a judgement for each result.
std::vector<Run> runs_of(std::span<const Result> results, std::span<const Judgement> judgements);

// Labels of configurations: loader and workers, and those other settings in which two cells of the same workload,
// loader and worker count differ anywhere in the runs.
class Names {
 public:
  explicit Names(std::span<const Run> runs);

  // "thread-pool x 2, batch size 512".
  std::string configuration(const Cell& cell) const { return text(cell, true, ""); }
  // Without the workers: "thread-pool, batch size 512".
  std::string series(const Cell& cell) const { return text(cell, false, ""); }
  // Without the setting of this name.
  std::string without(const Cell& cell, std::string_view setting) const { return text(cell, true, setting); }

 private:
  std::string text(const Cell& cell, bool workers, std::string_view left_out) const;

  std::vector<std::size_t> telling_;  // indices in settings()
};

// A configuration of one run, or SYNTHETIC of a run without loaders, which has no configurations.
struct Subject {
  std::size_t run = 0;                           // index
  const Configuration* configuration = nullptr;  // of the run's judgement; null: SYNTHETIC alone
  std::string workload;
  std::string name;
  std::vector<std::size_t> cells;  // indices of its IO, SYNTHETIC and FULL, in this order: those that have trials
  std::size_t rank = 0;  // within its workload by the last of these, from 0 for the fastest; the same name has the same
                         // rank in all runs
};

// Workloads in the order of the runs; within each, by loader, then workers, batch size and name, in the same order
// for all workloads, then run by run. Leaves out those without trials. Borrows the judgements of the runs.
std::vector<Subject> subjects_of(std::span<const Run> runs, const Names& names);

}  // namespace loadline
