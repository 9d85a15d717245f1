#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/measurement.h"
#include "harness/cli/progress.h"
#include "harness/cli/rank_session.h"
#include "harness/cli/run_output.h"
#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/judge/judgement.h"
#include "harness/measure/resume.h"
#include "harness/show/ceilings_table.h"
#include "harness/show/figures_text.h"
#include "harness/show/schedule_text.h"
#include "harness/show/summary_text.h"
#include "harness/show/warning_text.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/printable.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_stamp.h"

namespace loadline {
namespace {

constexpr MeasuringVerb kRun{scope_text, figures_text, true};
constexpr MeasuringVerb kCeilings{ceilings_scope_text, ceilings_text, false};

// Throws Error if the request differs from the run that it should continue. Says so if there is none.
void check_resume(const RunRequest& request) {
  if (request.resume.empty()) return;
  if (!request.options.find.empty()) {
    throw usage_error(
        fmt::format("--resume: a search by --find {} cannot be continued; run it again", request.options.find));
  }
  if (request.earlier) return check_same_options(request.earlier->options, request.options, request.resume);
  const auto normal = [](const std::string& path) { return std::filesystem::path(path).lexically_normal(); };
  if (normal(request.options.output) != normal(request.resume)) {
    throw usage_error(
        fmt::format("--resume {}: it does not exist, and --output names a different file to start", request.resume));
  }
  Progress(request.options.quiet)
      .milestone(fmt::format("--resume {}: it does not exist, so a new run starts", request.resume));
}

// A result that is complete already is shown and compared with the baseline, and nothing is measured.
int show_finished(const MeasuringVerb& verb, const RunRequest& request) {
  if (!is_same_file(request.options.output, request.resume)) {
    throw usage_error(fmt::format("--resume {}: it is complete, so there is nothing to measure and to write to {}",
                                  request.resume, request.options.output));
  }
  if (!request.trace.empty()) {
    throw usage_error(
        fmt::format("--trace: {} is complete, so --resume measures nothing; trace a new run", request.resume));
  }
  const std::string failure = failure_text(*request.earlier);
  const Judgement judgement = judge_run(*request.earlier);
  if (!request.options.quiet) {
    if (request.details) {
      print_result(verb, *request.earlier, judgement, failure, stdout);
    } else {
      print_summary(*request.earlier, judgement, stdout);
      put_text(stdout, result_text(request.resume));
    }
    put(stdout, fmt::format("\nnothing to do: {} is complete\n", printable(request.resume)));
  }
  if (!failure.empty()) throw Error(failure);
  if (request.ranks != nullptr && !request.ranks->is_first()) return kExitOk;
  return settle_baselines(request, *request.earlier, judgement, request.resume, stdout);
}

int measure_or_show(const MeasuringVerb& verb, const RunRequest& request) {
  check_resume(request);
  if (request.earlier && is_finished(*request.earlier)) return show_finished(verb, request);
  return measure(verb, request);
}

}  // namespace

void load_earlier(RunRequest& request) {
  if (request.resume == "-") throw usage_error("--resume -: want a file, because the run writes to it again");
  if (is_there("read", request.resume)) {
    request.earlier_stamp = stamp_of(request.resume);
    request.earlier = load_result(request.resume);
    if (request.earlier->loop) {
      throw usage_error(
          fmt::format("--resume {}: it is the result of a program's own loop; run the program again with "
                      "loadline.wrap(overwrite=True)",
                      request.resume));
    }
    if (!request.earlier->merged_from.empty()) {
      throw usage_error(fmt::format(
          "--resume {}: it is a merged result; resume the runs it was merged from, then merge again", request.resume));
    }
    request.options = request.earlier->options;
    request.options.quiet = false;
  }
  request.options.output = request.resume;
}

int run_verb(const RunRequest& request) {
  if (!request.summary.empty() && request.summary != "benchy") {
    throw unknown_name("--summary", request.summary, std::vector<std::string_view>{"benchy"});
  }
  if (!request.dump_config) return measure_or_show(kRun, request);
  check_stdout();
  put(stdout, config_json(request.options));
  return kExitOk;
}

int ceilings_verb(const RunRequest& request) {
  RunRequest ceilings = request;
  ceilings.options.modes = {"io", "full"};
  ceilings.options.ceilings = "on";
  // From a configuration file: there are no trials to judge.
  ceilings.options.au.reset();
  ceilings.options.check_verdict = false;
  ceilings.options.find.clear();
  ceilings.options.cache = RunOptions().cache;
  std::erase_if(ceilings.options.axes, [](const Axis& axis) { return axis.option == "cache"; });
  ceilings.options.time_limit.reset();
  ceilings.options.until_ci.reset();
  ceilings.options.max_trials = RunOptions().max_trials;
  return measure_or_show(kCeilings, ceilings);
}

}  // namespace loadline
