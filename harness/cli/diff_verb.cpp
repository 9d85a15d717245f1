#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>

#include "harness/cli/baselines.h"
#include "harness/cli/cli.h"
#include "harness/cli/judging.h"
#include "harness/cli/result_file.h"
#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/file/result_reader.h"
#include "harness/show/diff_text.h"
#include "harness/show/table.h"
#include "harness/show/walk_text.h"
#include "loaders/error.h"
#include "loaders/printable.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

constexpr std::string_view kAllowMissing = "; --allow-missing judges the rest";

// Results that are compared, the base among them.
std::size_t count_of(const DiffRequest& request) {
  return request.files.size() + (request.baseline.empty() ? 0 : 1);
}

bool is_walk(const DiffRequest& request) {
  return count_of(request) > 2 && !request.each;
}

// Two sides of one run have no noise between runs.
bool is_side_by_side(const DiffRequest& request) {
  return request.paired || !request.by.empty();
}

void check(const DiffRequest& request) {
  if (is_side_by_side(request) && !request.judging.noise.empty() && request.judging.noise != "none") {
    throw usage_error(fmt::format("--noise: a noise floor describes the difference of two runs, but {}; leave it out",
                                  request.paired
                                      ? "--paired compares trials that one `loadline ab` measured in alternation"
                                      : "--by compares cells of one run"));
  }
  if (!request.by.empty() && !request.judging.fail_on.empty()) {
    throw usage_error("--fail-on: no cell decides with --by, so nothing can fail; leave one out");
  }
  if (!request.by.empty() && (request.files.size() != 1 || !request.baseline.empty() || request.paired)) {
    throw usage_error("--by: it compares cells within one result; give only that");
  }
  if (!request.base_value.empty() && request.by.empty()) {
    throw usage_error("--base-value: it is a value of the setting that --by names; give --by too");
  }
  if (!request.by.empty() && !request.across.empty()) {
    throw usage_error("--across: it matches the cells of two results, but --by compares those of one; leave one out");
  }
  if (!request.by.empty()) return;
  if (count_of(request) < 2) {
    throw usage_error(request.baseline.empty()
                          ? "diff: want a base and at least one other result, such as base.json new.json"
                          : "diff: want at least one result to compare with the baseline");
  }
  if (request.paired && count_of(request) > 2) {
    throw usage_error("--paired: it compares the two results of one `loadline ab`; give only those");
  }
  if (request.paired && !request.across.empty()) {
    throw usage_error("--across: the cells of `loadline ab` are paired by position; leave it out");
  }
  if (is_walk(request) && !request.across.empty()) {
    throw usage_error("--across: a walk compares the fastest cell of each result; give two results, or --each");
  }
}

// Trials of separate runs have rounds too, but those of equal number have nothing in common.
void check_sides(const std::vector<Result>& results) {
  const auto& base = results[0].arguments;
  const bool of_ab = base.size() > 1 && base[1] == "ab" && base == results[1].arguments;
  const bool two = results[0].run_id != results[1].run_id;
  // Another run of the same command took place at another time. Times in UTC are ordered like their texts.
  const auto ended_before = [](const Result& one, const Result& other) {
    return one.finished && *one.finished < other.started;
  };
  if (of_ab && two && !ended_before(results[0], results[1]) && !ended_before(results[1], results[0])) return;
  throw usage_error("--paired: these are not the two results of one `loadline ab`; leave it out");
}

// Keeps a file unchanged, after checking that it can be a baseline.
int save_baseline(const DiffRequest& request) {
  if (request.files.size() != 1) throw usage_error("--save-baseline: want one result to keep");
  const auto path = new_baseline("--save-baseline", request.save_baseline, request.overwrite);
  const std::string& file = request.files.front();
  const std::string text = read_text(file);
  if (const std::string why = why_no_baseline(parse_result(text, file)); !why.empty()) {
    throw Error(fmt::format("{}: {}, so it cannot be a baseline", file, why));
  }
  keep_baseline(path, text);
  put(stdout, fmt::format("baseline {}: {}\n", request.save_baseline, printable(path.string())));
  return kExitOk;
}

// The results that were named, the base first.
struct Files {
  explicit Files(const DiffRequest& request) {
    if (!request.baseline.empty()) {
      names.push_back(fmt::format("baseline {}", request.baseline));
      results.push_back(load_result(existing_baseline("--baseline", request.baseline).string()));
    }
    for (const std::string& file : request.files) {
      names.push_back(printable(file));
      results.push_back(load_result(file));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i].of_ceilings()) continue;
      throw Error(fmt::format(
          "{}: a result of `loadline ceilings` has no trials to compare; `loadline report` shows it", names[i]));
    }
  }

  std::vector<Named> named() const {
    std::vector<Named> all;
    for (std::size_t i = 0; i < results.size(); ++i) all.push_back({names[i], results[i]});
    return all;
  }

  std::vector<std::string> names;
  std::vector<Result> results;
};

std::vector<ResultDiff> compare(const DiffRequest& request, const std::vector<Named>& files,
                                const DiffOptions& options) {
  if (!request.by.empty()) return {diff_along(files.front(), request.by, request.base_value, options)};
  if (request.paired) return {diff_pairs(files[0], files[1], options)};
  return diff_each(files.front(), std::span(files).subspan(1), options);
}

std::size_t width_for(const ResultFile& file) {
  return file.to_stdout() ? width_of(stdout) : kUnlimited;
}

// Writes to the file, and if that is not stdout, the verdict to stdout.
void write(const DiffRequest& request, const ResultFile& file, const std::string& text, const std::string& verdict) {
  if (file.to_stdout()) return put_diff(request.format, text, request.colours);
  file.finish(text);
  put_text(stdout, verdict, request.colours);
}

int compare(const DiffRequest& request, const Files& files, const DiffOptions& options, const ResultFile& file) {
  const std::vector<ResultDiff> diffs = compare(request, files.named(), options);
  const int code = exit_code(request.judging, diffs);
  std::string verdicts;
  for (const ResultDiff& diff : diffs) {
    if (diffs.size() > 1) verdicts += fmt::format("{} against {}:\n", diff.changed, diff.base);
    verdicts += verdict_text(diff);
  }
  write(request, file, format_diff(request.format, diffs, width_for(file)), verdicts);
  const bool missing = std::ranges::any_of(
      diffs, [](const ResultDiff& diff) { return std::ranges::any_of(diff.gone, &Unmatched::gate); });
  const std::string lost = lost_text(diffs);
  if (!lost.empty()) print_error(lost + std::string(missing ? kAllowMissing : ""));
  return code;
}

int walk(const DiffRequest& request, const Files& files, const DiffOptions& options, const ResultFile& file) {
  std::vector<Judgement> judgements;
  for (const Result& result : files.results) judgements.push_back(judge_run(result));
  const Walk walk = walk_results(files.named(), judgements, options);
  const int code = exit_code(request.judging, walk);
  write(request, file, format_walk(request.format, walk, width_for(file)), verdict_text(walk));
  if (!walk.lost.empty()) {
    print_error(fmt::format("{}{}", fmt::join(walk.lost, "; "), walk.lost_cells ? kAllowMissing : ""));
  }
  return code;
}

OutputRules output_rules(const DiffRequest& request) {
  OutputRules rules{.kind = OutputRules::Kind::kText,
                    .overwrite = request.overwrite,
                    .inputs = {request.files.begin(), request.files.end()}};
  if (!request.baseline.empty()) rules.inputs.push_back(baseline_path("--baseline", request.baseline));
  if (!request.judging.noise.empty()) rules.inputs.emplace_back(request.judging.noise);
  return rules;
}

}  // namespace

int diff_verb(const DiffRequest& request) {
  if (!request.save_baseline.empty()) return save_baseline(request);
  check(request);
  // Opened before anything is compared, so that it fails early if it cannot be written.
  const ResultFile file(request.output.empty() ? "-" : request.output, output_rules(request));
  const Files files(request);
  if (request.paired) check_sides(files.results);
  JudgeRequest judging = request.judging;
  if (is_side_by_side(request)) judging.noise = "none";
  DiffOptions options = diff_options(judging, files.results.front());
  options.across = request.across;
  options.allow_missing = request.allow_missing;
  return is_walk(request) ? walk(request, files, options, file) : compare(request, files, options, file);
}

}  // namespace loadline
