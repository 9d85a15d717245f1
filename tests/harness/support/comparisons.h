// Results made by hand as a run leaves them, and comparisons of two or several of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/judge/diff.h"
#include "harness/judge/judgement.h"
#include "harness/judge/walk.h"
#include "tests/harness/support/results.h"

namespace loadline::test {

// A cell of a thread pool.
inline CellRequest request(Mode mode, std::vector<double> rates, std::size_t workers = 2,
                           std::string workload = "mnist") {
  return {.mode = mode,
          .rates = std::move(rates),
          .loader = "thread-pool",
          .workers = workers,
          .workload = std::move(workload)};
}

// A complete result whose trials have rounds, as after a run.
inline Result result(const std::vector<CellRequest>& requests) {
  Result made = result_of(requests);
  made.status = Status::kComplete;
  for (CellResult& cell : made.cells) {
    for (std::size_t i = 0; i < cell.trials.size(); ++i) cell.trials[i].round = i;
  }
  return made;
}

// Compares the results as "base.json" and "new.json".
inline ResultDiff diff(const Result& base, const Result& changed, const DiffOptions& options = {}) {
  return diff_results({"base.json", base}, {"new.json", changed}, options);
}

// Compares the results in order, as "s1.json", "s2.json" and so on.
inline Walk walk(const std::vector<Result>& results, const DiffOptions& options = {}) {
  std::vector<Named> named;
  std::vector<Judgement> judgements;
  for (std::size_t i = 0; i < results.size(); ++i) {
    named.push_back({"s" + std::to_string(i + 1) + ".json", results[i]});
    judgements.push_back(judge_run(results[i]));
  }
  return walk_results(named, judgements, options);
}

}  // namespace loadline::test
