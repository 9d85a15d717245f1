#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/result_file.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/file/result_reader.h"
#include "harness/judge/judgement.h"
#include "harness/machine/run_id.h"
#include "harness/result/merge.h"
#include "harness/result/merge_completeness.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

bool is_short_of_trials(const Result& merged) {
  return std::ranges::any_of(merged.cells, [&](const CellResult& cell) {
    return !cell.trials.empty() && !cell.error && rates_of(cell).size() < merged.options.trials;
  });
}

// What the cells of a merge lack, after their number; empty for a complete one. `missing`: of missing_shares().
std::string lacks_of(const Result& merged, const std::string& missing) {
  if (merged.status == Status::kComplete) return "";
  const bool is_short = is_short_of_trials(merged);
  if (lacks_shares(merged)) {
    return fmt::format(", which are not all that were requested{}{}",
                       missing.empty() ? "" : fmt::format(" ({})", printable(missing)),
                       is_short ? ", and some of which have fewer trials than requested" : "");
  }
  return is_short ? ", some of which have fewer trials than requested" : ", of runs that did not finish";
}

}  // namespace

int merge_verb(const MergeRequest& request) {
  const std::string run_id = make_run_id(std::chrono::system_clock::now(), std::random_device{}());
  std::vector<MergePart> parts;
  for (const std::string& path : request.results) parts.push_back({.source = path, .result = load_result(path)});
  const std::size_t count = parts.size();
  const std::string missing = missing_shares(parts);
  const Result merged = merge_results(std::move(parts), run_id, request.allow_mismatch);
  const ResultFile file(request.output.empty() ? fmt::format("loadline-{}.json", run_id) : request.output,
                        {.kind = OutputRules::Kind::kMerged,
                         .overwrite = request.overwrite,
                         .inputs = {request.results.begin(), request.results.end()}});
  file.finish(merged, judge_run(merged));
  if (file.to_stdout()) return kExitOk;
  put(stdout, fmt::format("merged {} results into {} cells{}\nresult: {}\n", count, merged.cells.size(),
                          lacks_of(merged, missing), printable(file.path())));
  return kExitOk;
}

}  // namespace loadline
