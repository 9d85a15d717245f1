#include <fmt/format.h>

#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/baselines.h"
#include "harness/cli/cli.h"
#include "harness/cli/judging.h"
#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/file/listing.h"
#include "harness/file/result_reader.h"
#include "harness/judge/judgement.h"
#include "harness/judge/walk.h"
#include "harness/show/baselines_text.h"
#include "harness/show/report/report.h"
#include "harness/show/trend_text.h"
#include "harness/show/walk_text.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::string_view kVerb = "baseline";

}  // namespace

int baseline_list_verb(const BaselineRequest& request) {
  const auto baselines = listed_baselines();
  if (request.json) {
    put(stdout, baselines_json(baselines));
  } else {
    put_text(stdout, baselines_text(baselines, baselines_directory().string()));
  }
  return kExitOk;
}

int baseline_show_verb(const BaselineRequest& request) {
  const std::vector results{load_result(existing_baseline(kVerb, request.names.front()))};
  const std::vector judgements{judge_run(results.front())};
  put_text(stdout, report_text(results, judgements, width_of(stdout)), request.colours);
  return kExitOk;
}

int baseline_delete_verb(const BaselineRequest& request) {
  // All must exist before the first one is deleted.
  for (const std::string& name : request.names) existing_baseline(kVerb, name);
  for (const std::string& name : request.names) {
    const std::size_t former = delete_baseline(kVerb, name);
    put_text(stdout, fmt::format("baseline {}: deleted{}\n", name,
                                 former > 0 ? fmt::format(", with {} that had its name before", former) : ""));
  }
  return kExitOk;
}

int baseline_history_verb(const BaselineRequest& request) {
  if (request.last < 2) throw usage_error("--last: want at least 2, because one result is no history");
  existing_baseline(kVerb, request.names.front());
  auto files = baseline_history(kVerb, request.names.front());
  if (files.size() > request.last) files.erase(files.begin(), files.end() - static_cast<std::ptrdiff_t>(request.last));
  if (files.size() < 2) {
    put_text(stdout, fmt::format("baseline {}: no earlier result had this name\n", request.names.front()));
    return kExitOk;
  }
  // One that cannot be read does not hide the others.
  std::vector<Result> results;
  std::vector<Judgement> judgements;
  for (const auto& file : files) {
    try {
      results.push_back(load_result(file));
      judgements.push_back(judge_run(results.back()));
    } catch (const Error& error) {
      print_error(error.what());
    }
  }
  const int code = results.size() == files.size() ? kExitOk : kExitFailed;
  if (results.size() < 2) {
    put_text(stdout, fmt::format("baseline {}: no trend, because only {} of {} results can be read\n",
                                 request.names.front(), results.size(), files.size()));
    return code;
  }
  std::vector<Named> named;
  for (const Result& result : results) named.push_back({result.started, result});
  JudgeRequest judging;
  judging.noise = "none";  // the trend contains the differences of runs itself
  judging.allow_mismatch = true;
  DiffOptions options = diff_options(judging, results.front());
  options.allow_missing = true;
  const Walk walk = follow_results(named, judgements, options);
  put_text(stdout, trend_text(walk) + '\n' + walk_text(walk, width_of(stdout)), request.colours);
  return code;
}

}  // namespace loadline
