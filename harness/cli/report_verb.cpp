#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/result_file.h"
#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/file/result_reader.h"
#include "harness/file/scaling_json.h"
#include "harness/file/training_json.h"
#include "harness/judge/judgement.h"
#include "harness/judge/recorded.h"
#include "harness/show/recording_text.h"
#include "harness/show/report/report.h"
#include "harness/show/report/scaling_report.h"
#include "harness/show/report/training_report.h"
#include "harness/show/scaling_study_text.h"
#include "harness/show/training_text.h"
#include "harness/show/wrap.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"
#include "synthetic/recording/recording.h"

namespace loadline {
namespace {

// As `loadline train` printed them.
std::string trainings_text(std::span<const TrainingResult> runs, std::string_view, std::size_t width) {
  std::string text;
  for (const TrainingResult& run : runs) {
    if (!text.empty()) text += '\n';
    text += training_text(run, width);
  }
  return text;
}

struct ReportFormat {
  std::string_view name;
  std::vector<std::string_view> endings;  // of file names
  bool needs_output;                      // for browsers, not for terminals
  bool has_title;
  std::string (*make)(std::span<const Result> results, std::span<const Judgement> judgements, std::string_view title,
                      std::size_t width);
  std::string (*of_trainings)(std::span<const TrainingResult> runs, std::string_view title, std::size_t width);
  std::string (*of_study)(const ScalingStudy& study, std::string_view title, std::size_t width);
};

const std::array<ReportFormat, 4>& formats() {
  static const std::array<ReportFormat, 4> kReportFormats{
      ReportFormat{"html",
                   {".html", ".htm"},
                   true,
                   true,
                   [](std::span<const Result> results, std::span<const Judgement> judgements, std::string_view title,
                      std::size_t) { return report_html(results, judgements, embedded_page(), title); },
                   [](std::span<const TrainingResult> runs, std::string_view title, std::size_t) {
                     return training_html(runs, embedded_page(), title);
                   },
                   [](const ScalingStudy& study, std::string_view title, std::size_t) {
                     return scaling_html(study, embedded_page(), title);
                   }},
      ReportFormat{"markdown",
                   {".md", ".markdown"},
                   false,
                   true,
                   [](std::span<const Result> results, std::span<const Judgement> judgements, std::string_view title,
                      std::size_t) { return report_markdown(results, judgements, title); },
                   [](std::span<const TrainingResult> runs, std::string_view title, std::size_t) {
                     return training_markdown(runs, title);
                   },
                   [](const ScalingStudy& study, std::string_view title, std::size_t) {
                     return scaling_markdown(study, title);
                   }},
      ReportFormat{
          "csv",
          {".csv"},
          false,
          false,
          [](std::span<const Result> results, std::span<const Judgement>, std::string_view, std::size_t) {
            return report_csv(results);
          },
          [](std::span<const TrainingResult> runs, std::string_view, std::size_t) { return training_csv(runs); },
          [](const ScalingStudy& study, std::string_view, std::size_t) { return scaling_csv(study); }},
      ReportFormat{"text",
                   {".txt"},
                   false,
                   false,
                   [](std::span<const Result> results, std::span<const Judgement> judgements, std::string_view,
                      std::size_t width) { return report_text(results, judgements, width); },
                   trainings_text,
                   [](const ScalingStudy& study, std::string_view, std::size_t width) {
                     return scaling_study_text(study, width);
                   }},
  };
  return kReportFormats;
}

// The requested format, or that of the output's ending, or HTML if it has none; text on a terminal.
const ReportFormat& format_of(const ReportRequest& request) {
  if (!request.format.empty()) return row_named(formats(), "--format", request.format);
  if (request.output.empty()) return row_named(formats(), "--format", "text");
  const std::string ending = std::filesystem::path(request.output).extension().string();
  if (ending.empty()) return formats().front();
  std::vector<std::string_view> endings;
  for (const ReportFormat& format : formats()) {
    if (std::ranges::find(format.endings, ending) != format.endings.end()) return format;
    endings.insert(endings.end(), format.endings.begin(), format.endings.end());
  }
  throw usage_error(fmt::format("report: -o {}: its ending stands for no format; want {}, or name a --format",
                                request.output, list_of(endings)));
}

// What the files are, by name.
struct Documents {
  std::vector<std::string> recordings;  // of jobs
  std::vector<std::string> trainings;
  std::vector<std::string> studies;  // of scaling
};

Documents documents_among(const std::vector<std::string>& paths) {
  Documents found;
  for (const std::string& path : paths) {
    const std::string text = read_text(path);
    if (is_recording(text)) found.recordings.push_back(path);
    if (is_training(text)) found.trainings.push_back(path);
    if (is_scaling_study(text)) found.studies.push_back(path);
  }
  return found;
}

// A recorded job has no trials, and so none of the pages and tables of a result.
std::string recordings_report(const ReportRequest& request, const std::vector<std::string>& recordings,
                              std::size_t width) {
  if (recordings.size() < request.results.size()) {
    throw usage_error(fmt::format("report: {} is a recorded job, and cannot be overlaid on results", recordings[0]));
  }
  const bool as_text = request.format.empty() ? request.output.empty() || format_of(request).name == "text"
                                              : format_of(request).name == "text";
  if (!as_text) {
    throw usage_error(
        fmt::format("report: {} is a recorded job, and has only a text report; use --format text", recordings[0]));
  }
  std::string text;
  for (const std::string& path : recordings) {
    const Recording job = load_recording(path);
    if (!text.empty()) text += '\n';
    text += recording_text(job, judge_recording(job), path, width);
  }
  return wrapped(text, width);
}

// What the files hold, in their order. `load` reads one; two of one run are refused.
template <typename Load>
auto load_each(const std::vector<std::string>& paths, const Load& load) {
  std::vector<decltype(load(paths.front()))> runs;
  std::set<std::string> ids;
  for (const std::string& path : paths) {
    runs.push_back(load(path));
    const std::string& id = runs.back().run_id;
    if (!ids.insert(id).second) {
      throw usage_error(fmt::format("report: {} comes from run {}, and so does another of the files", path, id));
    }
  }
  return runs;
}

std::vector<TrainingResult> load_trainings(const ReportRequest& request, const std::vector<std::string>& trainings) {
  if (trainings.size() < request.results.size()) {
    throw usage_error(
        fmt::format("report: {} is a training run, and can only be overlaid on other training runs", trainings[0]));
  }
  return load_each(trainings, load_training);
}

}  // namespace

int report_verb(const ReportRequest& request) {
  const auto [recordings, trainings, studies] = documents_among(request.results);
  const ReportFormat& format = format_of(request);
  if (recordings.empty() && request.output.empty() && format.needs_output) {
    throw usage_error(fmt::format("report: want -o FILE for {}, or another --format", format.name));
  }
  if (!request.title.empty() && (!recordings.empty() || !format.has_title)) {
    throw usage_error("report: --title is for html and markdown; text and csv have no title");
  }
  const ResultFile file(request.output.empty() ? "-" : request.output,
                        {.kind = OutputRules::Kind::kText,
                         .overwrite = request.overwrite,
                         .inputs = {request.results.begin(), request.results.end()}});
  const std::size_t width = file.to_stdout() ? width_of(stdout) : kUnlimited;
  if (!recordings.empty()) {
    file.finish(recordings_report(request, recordings, width));
    return kExitOk;
  }
  std::string report;
  if (!studies.empty()) {
    if (request.results.size() > 1) {
      throw usage_error(
          fmt::format("report: {} is a scaling study, and cannot be combined with other files", studies.front()));
    }
    report = format.of_study(load_scaling_study(studies.front()), request.title, width);
  } else if (!trainings.empty()) {
    report = format.of_trainings(load_trainings(request, trainings), request.title, width);
  } else {
    const std::vector<Result> results = load_each(request.results, load_result);
    std::vector<Judgement> judgements;
    for (const Result& result : results) judgements.push_back(judge_run(result));
    report = format.make(results, judgements, request.title, width);
  }
  file.finish(format.name == "text" ? wrapped(report, width) : report);
  return kExitOk;
}

}  // namespace loadline
