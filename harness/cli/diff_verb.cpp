#include <fmt/format.h>

#include <cstdio>

#include "harness/cli/baselines.h"
#include "harness/cli/cli.h"
#include "harness/cli/judging.h"
#include "harness/cli/result_file.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/result/result_reader.h"
#include "harness/show/diff_text.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

void check(const DiffRequest& request) {
  const std::size_t files = request.files.size();
  if (!request.by.empty() && (files != 1 || !request.baseline.empty() || request.paired)) {
    throw usage_error("--by: it compares cells of one result, give that alone");
  }
  if (!request.base_value.empty() && request.by.empty()) {
    throw usage_error("--base-value: it is a value of the setting that --by names, give that too");
  }
  if (!request.by.empty()) return;
  const std::size_t wanted = request.baseline.empty() ? 2 : 1;
  if (files < wanted) {
    throw usage_error(wanted == 2 ? "diff: want a base and at least one other result, such as base.json new.json"
                                  : "diff: want at least one result to compare with the baseline");
  }
}

// Keeps a file as it is, once it is known to be a complete result.
int save_baseline(const DiffRequest& request) {
  if (request.files.size() != 1) throw usage_error("--save-baseline: want one result to keep, and nothing else");
  const auto path = baseline_path("--save-baseline", request.save_baseline);
  const std::string& file = request.files.front();
  const std::string text = read_text(file);
  if (parse_result(text, file).status != Status::kComplete) {
    throw Error(fmt::format("{}: of a run that was stopped, which is no baseline", file));
  }
  keep(path, text);
  put(stdout, fmt::format("baseline {}: {}\n", request.save_baseline, path.string()));
  return kExitOk;
}

std::vector<ResultDiff> compare_files(const DiffRequest& request) {
  const bool by_name = !request.baseline.empty();
  const Result base =
      load_result(by_name ? existing_baseline("--baseline", request.baseline).string() : request.files.front());
  const Named named{by_name ? fmt::format("baseline {}", request.baseline) : request.files.front(), base};
  const DiffOptions options = diff_options(request.judging, base);
  if (!request.by.empty()) return {diff_along(named, request.by, request.base_value, options)};
  std::vector<ResultDiff> diffs;
  for (std::size_t i = by_name ? 0 : 1; i < request.files.size(); ++i) {
    const Result changed = load_result(request.files[i]);
    const Named other{request.files[i], changed};
    diffs.push_back(request.paired ? diff_pairs(named, other, options) : diff_results(named, other, options));
  }
  return diffs;
}

}  // namespace

int diff_verb(const DiffRequest& request) {
  if (!request.save_baseline.empty()) return save_baseline(request);
  check(request);
  // Made before anything is compared, so that what cannot be written is known by then.
  const ResultFile file(request.output.empty() ? "-" : request.output);
  const std::vector<ResultDiff> diffs = compare_files(request);
  const int code = exit_code(request.judging, diffs);
  file.finish(format_diff(request.format, diffs));
  if (file.to_stdout()) return code;
  for (const ResultDiff& diff : diffs) put(stdout, verdict_text(diff));
  return code;
}

}  // namespace loadline
