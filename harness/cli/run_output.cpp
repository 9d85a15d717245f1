#include "harness/cli/run_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "harness/cli/baselines.h"
#include "harness/cli/cli.h"
#include "harness/cli/judging.h"
#include "harness/cli/screen.h"
#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/plan/command.h"
#include "harness/show/diff_text.h"
#include "harness/show/job_text.h"
#include "harness/show/monitor_text.h"
#include "harness/show/summary_text.h"
#include "harness/show/table.h"
#include "harness/show/wrap.h"

namespace loadline {

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
  std::fflush(out);
}

void print_result(const MeasuringVerb& verb, const Result& result, const Judgement& judgement, std::string_view failure,
                  std::FILE* out) {
  put_text(out, fmt::format("{}\n{}", setting_text(result), verb.figures(result, judgement, width_of(out))));
  if (const std::string job = job_text(result); !job.empty()) put_text(out, '\n' + job);
  for (const std::string& text : {counters_text(result, judgement, width_of(out)), monitor_text(result)}) {
    if (!text.empty()) put_text(out, '\n' + text);
  }
  std::fflush(out);
  put_text(stderr, warnings_beside(failure, result, judgement));
}

int settle_baselines(const RunRequest& request, const Result& result, const Judgement& judgement) {
  if (result.status != Status::kComplete) return kExitOk;
  int code = kExitOk;
  if (!request.baseline.empty()) {
    const Result base = load_result(existing_baseline("--baseline", request.baseline));
    const JudgeRequest judging;
    const std::vector diffs{diff_results({fmt::format("baseline {}", request.baseline), base}, {"this run", result},
                                         diff_options(judging, base))};
    std::FILE* const out = names_stdout(request.options.output) ? stderr : stdout;
    put_text(out, '\n' + diff_text(diffs, std::min(width_of(out), kSummaryColumns)), request.colours);
    code = exit_code(judging, diffs);
    if (const std::string lost = lost_text(diffs); !lost.empty()) print_error(lost);
  }
  if (!request.save_baseline.empty()) {
    keep_baseline(new_baseline("--save-baseline", request.save_baseline, request.overwrite),
                  result_json(result, judgement));
  }
  return code;
}

std::string interruption_text(const Result& result, const std::optional<ResultFile>& file, const MeasuringVerb& verb) {
  const bool any = result.has_trials();
  std::string text = any ? "interrupted" : "interrupted before the first trial ended";
  if (!file) return text;
  if (any && file->to_stdout()) return "interrupted; what was measured so far is in the result on stdout";
  if (!file->can_be_read_again()) return text;
  text += any ? fmt::format("; what was measured so far is in {}", file->path()) : "";
  if (!verb.cells || !result.resumable()) return any ? text : fmt::format("{}; {} has no trials", text, file->path());
  const std::string ranks =
      result.ranks ? fmt::format(" on {} ranks, started as before", result.ranks->places.size()) : "";
  // What a cell with Python functions needs runs all the others too.
  std::string_view program = "loadline";
  for (const CellResult& cell : result.cells) {
    if (program == "loadline") program = program_of(cell.cell);
  }
  return text + fmt::format("; continue with {} run --resume {}{}", program, shell_quoted(file->path()), ranks);
}

std::string lost_text(const std::string& sentence, const Result& result, const std::optional<ResultFile>& file) {
  if (!file || !file->can_be_read_again() || !result.has_trials()) return sentence;
  return fmt::format("{}; what was measured before is in {}", sentence, file->path());
}

}  // namespace loadline
