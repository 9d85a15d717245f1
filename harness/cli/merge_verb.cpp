#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string_view>
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
#include "loaders/printable.h"

namespace loadline {
namespace {

bool is_short_of_trials(const Result& merged) {
  return std::ranges::any_of(merged.cells, [&](const CellResult& cell) {
    return !cell.trials.empty() && !cell.error && rates_of(cell).size() < merged.options.trials;
  });
}

}  // namespace

int merge_verb(const MergeRequest& request) {
  const std::string run_id = make_run_id(std::chrono::system_clock::now(), std::random_device{}());
  std::vector<MergePart> parts;
  for (const std::string& path : request.results) parts.push_back({.source = path, .result = load_result(path)});
  const std::size_t count = parts.size();
  const Result merged = merge_results(std::move(parts), run_id, request.allow_mismatch);
  const ResultFile file(request.output.empty() ? fmt::format("loadline-{}.json", run_id) : request.output,
                        {.kind = OutputRules::Kind::kMerged,
                         .overwrite = request.overwrite,
                         .inputs = {request.results.begin(), request.results.end()}});
  file.finish(merged, judge_run(merged));
  if (file.to_stdout()) return kExitOk;
  const std::string_view lacks = merged.status == Status::kComplete ? ""
                                 : is_short_of_trials(merged)       ? ", some of which have fewer trials than requested"
                                                                    : ", which are not all that were requested";
  put(stdout, fmt::format("merged {} results into {} cells{}\nresult: {}\n", count, merged.cells.size(), lacks,
                          printable(file.path())));
  return kExitOk;
}

}  // namespace loadline
