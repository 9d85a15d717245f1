// Runs made by hand for tests of reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/show/report/sections.h"
#include "tests/harness/support/results.h"

namespace loadline::test {

// Results with their judgements, as the functions of reports take them.
struct Reported {
  explicit Reported(std::vector<Result> given) : results(std::move(given)) {
    for (const Result& result : results) judgements.push_back(judge_run(result));
  }

  ReportData data() const {
    std::vector<Run> runs = runs_of(results, judgements);
    Names names(runs);
    std::vector<Subject> subjects = subjects_of(runs, names);
    return {.runs = std::move(runs), .names = std::move(names), .subjects = std::move(subjects)};
  }

  std::vector<Result> results;
  std::vector<Judgement> judgements;
};

// IO, SYNTHETIC and FULL of a thread pool with 1 and 2 workers.
inline Result sweep() {
  Result result = result_of({
      {.mode = Mode::kIo, .rates = {900, 1000, 1100}, .loader = "thread-pool", .workers = 1},
      {.mode = Mode::kIo, .rates = {1900, 2000, 2100}, .loader = "thread-pool", .workers = 2},
      {.mode = Mode::kSynthetic, .rates = {3000, 3000, 3000}},
      {.mode = Mode::kFull, .rates = {700, 800, 900}, .loader = "thread-pool", .workers = 1},
      {.mode = Mode::kFull, .rates = {1500, 1600, 1700}, .loader = "thread-pool", .workers = 2},
      overhead(),
  });
  result.run_id = "20261121T095800Z-3fa2c1";
  result.started = "2026-11-21T09:58:00Z";
  result.status = Status::kComplete;
  result.environment.machine.hostname = "node1";
  result.arguments = {"loadline", "run", "--data", "/tmp/<script>alert(1)</script>"};
  return result;
}

}  // namespace loadline::test
