#include "harness/cli/run_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "harness/cli/baselines.h"
#include "harness/cli/child.h"
#include "harness/cli/cli.h"
#include "harness/cli/judging.h"
#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/judge/comparable.h"
#include "harness/plan/command.h"
#include "harness/show/diff_text.h"
#include "harness/show/job_text.h"
#include "harness/show/monitor_text.h"
#include "harness/show/setting_text.h"
#include "harness/show/summary_text.h"
#include "harness/show/warning_text.h"
#include "harness/show/wrap.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::string_view kResultFile = "RESULT";  // stands for the name of a file that is not known

std::string name_of_base(const RunRequest& request) {
  return fmt::format("baseline {}", request.baseline);
}

// `run` cannot compare unlike results, but `diff` can.
std::string diff_of(const RunRequest& request, std::string_view file) {
  return fmt::format("`loadline diff --allow-mismatch --baseline {} {}`", request.baseline, file);
}

int compare_with_baseline(const RunRequest& request, const Result& result, const std::string& file, std::FILE* out) {
  const Result base = load_result(existing_baseline("--baseline", request.baseline));
  const JudgeRequest judging;
  DiffOptions options = diff_options(judging, base);
  options.anyway = diff_of(request, file.empty() ? std::string(kResultFile) : shell_quoted(file));
  const std::vector diffs{diff_results({name_of_base(request), base}, {"this run", result}, options)};
  const std::string_view gap = request.options.quiet ? "" : "\n";  // below the summary
  put_text(out, fmt::format("{}{}", gap, diff_text(diffs, width_of(out))), request.colours);
  if (const std::string lost = lost_text(diffs); !lost.empty()) print_error(lost);
  return exit_code(judging, diffs);
}

// Options that the result does not hold, so that --resume must be given them again.
std::string options_to_repeat(const RunRequest& request) {
  std::string text;
  const auto repeat = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  repeat("--trace", request.trace);
  if (request.trace_trials != RunRequest().trace_trials) {
    repeat("--trace-trials", fmt::format("{}", request.trace_trials));
  }
  repeat("--baseline", request.baseline);
  repeat("--save-baseline", request.save_baseline);
  if (request.overwrite && !(request.trace.empty() && request.save_baseline.empty())) text += " --overwrite";
  return text;
}

// "continue with loadline run --resume r.json".
std::string continuation_text(const RunRequest& request, const Result& result, const std::string& path) {
  const std::string ranks =
      result.ranks ? fmt::format(" on {} ranks, started as before", result.ranks->places.size()) : "";
  // What a cell with Python functions needs runs all the others too.
  std::string_view program = "loadline";
  for (const CellResult& cell : result.cells) {
    if (program == "loadline") program = program_of(cell.cell);
  }
  return fmt::format("continue with {} run --resume {}{}{}", program, shell_quoted(path), options_to_repeat(request),
                     ranks);
}

}  // namespace

std::FILE* stream_for_text(const std::optional<ResultFile>& file) {
  return file && file->to_stdout() ? stderr : stdout;
}

void print_summary(const Result& result, const Judgement& judgement, std::FILE* out) {
  const std::size_t width = std::min(width_of(out), kSummaryColumns);
  put_text(out, summary_text(result, judgement, width));
  for (const std::string& text : {job_text(result), counters_text(result, judgement, width), monitor_text(result)}) {
    if (!text.empty()) put_text(out, wrapped('\n' + text, width));
  }
  put_text(out, warning_names_text(judgement));
  flush(out);
}

void print_result(const MeasuringVerb& verb, const Result& result, const Judgement& judgement, std::string_view failure,
                  std::FILE* out) {
  put_text(out, fmt::format("{}\n{}", setting_text(result), verb.figures(result, judgement, width_of(out))));
  if (const std::string job = job_text(result); !job.empty()) put_text(out, '\n' + job);
  for (const std::string& text : {counters_text(result, judgement, width_of(out)), monitor_text(result)}) {
    if (!text.empty()) put_text(out, '\n' + text);
  }
  flush(out);
  put_text(stderr, warnings_beside(failure, result, judgement));
}

void check_baseline(const RunRequest& request, const Result& begun, std::span<const Cell> cells) {
  if (request.baseline.empty()) return;
  const Result base = load_result(existing_baseline("--baseline", request.baseline));
  const DiffOptions options = diff_options({}, base);
  Result planned = begun;
  for (const Cell& cell : cells) planned.cells.push_back({.cell = cell});
  check_in_common({name_of_base(request), base}, {"this run", planned}, *options.metric);
  const bool named = !request.options.output.empty() && !names_stdout(request.options.output);
  const std::string file = named ? shell_quoted(request.options.output) : std::string(kResultFile);
  accepted_differences({name_of_base(request), base}, {"this run", begun}, {}, {}, false,
                       fmt::format("a run without --baseline, and then {},", diff_of(request, file)));
}

int settle_baselines(const RunRequest& request, const Result& result, const Judgement& judgement,
                     const std::string& file, std::FILE* out) {
  if (result.status != Status::kComplete) return kExitOk;
  const auto say_not_saved = [&](std::string_view why) {
    if (request.save_baseline.empty()) return;
    put_text(out, fmt::format("baseline {}: not saved, because {}\n", request.save_baseline, why));
  };
  int code = kExitOk;
  try {
    if (!request.baseline.empty()) code = compare_with_baseline(request, result, file, out);
  } catch (const Error&) {
    say_not_saved(fmt::format("this run cannot be compared with {}", name_of_base(request)));
    throw;
  }
  if (code != kExitOk) {
    say_not_saved(code == kExitRegression ? fmt::format("this run is a regression against {}", name_of_base(request))
                                          : fmt::format("this run lacks what {} has", name_of_base(request)));
  } else if (!request.save_baseline.empty()) {
    if (const std::string why = why_no_baseline(result); !why.empty()) {
      say_not_saved(why);
      return kExitFailed;
    }
    keep_baseline(new_baseline("--save-baseline", request.save_baseline, request.overwrite),
                  result_json(result, judgement));
  }
  return code;
}

std::string interruption_text(const RunRequest& request, const Result& result, const std::optional<ResultFile>& file,
                              const MeasuringVerb& verb) {
  const bool searched =
      (result.search && !result.search->probes.empty()) || (result.best && !result.best->rungs.empty());
  const bool any = result.has_trials() || searched;
  std::string text = any ? "interrupted" : "interrupted before the first trial ended";
  if (!request.options.find.empty()) {
    if (any && file && file->to_stdout()) text += "; what was measured so far is in the result on stdout";
    if (any && file && file->can_be_read_again())
      text += fmt::format("; what was measured so far is in {}", file->path());
    return text + "; a search cannot be continued: run it again";
  }
  if (!file) return text;
  if (any && file->to_stdout()) return "interrupted; what was measured so far is in the result on stdout";
  if (!file->can_be_read_again()) return text;
  text += any ? fmt::format("; what was measured so far is in {}", file->path()) : "";
  if (!verb.cells || !result.resumable()) return any ? text : fmt::format("{}; {} has no trials", text, file->path());
  return fmt::format("{}; {}", text, continuation_text(request, result, file->path()));
}

std::string lost_text(const std::string& sentence, const RunRequest& request, const Result& result,
                      const std::optional<ResultFile>& file, const MeasuringVerb& verb) {
  if (!file || !file->can_be_read_again() || !result.has_trials()) return sentence;
  const std::string text = fmt::format("{}; what was measured before is in {}", sentence, file->path());
  // The program that started this one says itself how to continue.
  if (!verb.cells || !result.resumable() || is_child_of_loadline()) return text;
  return fmt::format("{}; {}", text, continuation_text(request, result, file->path()));
}

}  // namespace loadline
