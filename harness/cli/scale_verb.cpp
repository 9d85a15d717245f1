#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/cli/child.h"
#include "harness/cli/cli.h"
#include "harness/cli/exclusions.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/cli/result_file.h"
#include "harness/cli/scale_runs.h"
#include "harness/cli/screen.h"
#include "harness/cli/side.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/cli/words.h"
#include "harness/file/result_reader.h"
#include "harness/file/scaling_json.h"
#include "harness/judge/phrase.h"
#include "harness/judge/scaling_study.h"
#include "harness/machine/job.h"
#include "harness/machine/run_id.h"
#include "harness/plan/command.h"
#include "harness/ranks/mpi.h"
#include "harness/show/columns.h"
#include "harness/show/scaling_study_text.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/printable.h"
#include "loaders/storage/file.h"
#include "loaders/system/environment.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

struct ScalingName {
  std::string_view name;
  ScalingKind kind;
};

constexpr std::array kScalings{ScalingName{name(ScalingKind::kWeak), ScalingKind::kWeak},
                               ScalingName{name(ScalingKind::kStrong), ScalingKind::kStrong}};

std::optional<ScalingKind> kind_asked(const ScaleRequest& request) {
  if (request.scaling.empty()) return std::nullopt;
  return row_named(kScalings, "--scaling", request.scaling).kind;
}

// A result read from a file, with its judgement.
struct MeasuredRun {
  std::string file;
  Result result;
  Judgement judgement;
};

std::unique_ptr<MeasuredRun> load_measured(const std::string& file) {
  auto measured = std::make_unique<MeasuredRun>(MeasuredRun{file, load_result(file), {}});
  measured->judgement = judge_run(measured->result);
  return measured;
}

using AllMeasured = std::vector<std::unique_ptr<MeasuredRun>>;

ScalingStudy study_of(const AllMeasured& all, const ScaleRequest& request, std::optional<ScalingKind> kind) {
  std::vector<ScalingPart> parts;
  for (const auto& one : all) parts.push_back({one->file, one->result, one->judgement});
  return scaling_study(parts, kind, request.efficiency);
}

void show_study(const ScalingStudy& study, const ScaleRequest& request) {
  if (request.options.quiet) return;
  put_text(stdout, scaling_study_text(study, width_of(stdout)));
}

OutputRules rules_of_study(const ScaleRequest& request, bool overwrite) {
  return {.kind = OutputRules::Kind::kMerged,
          .overwrite = overwrite,
          .inputs = {request.results.begin(), request.results.end()}};
}

int study_of_results(const ScaleRequest& request) {
  AllMeasured all;
  for (const std::string& file : request.results) all.push_back(load_measured(file));
  const ScalingStudy study = study_of(all, request, kind_asked(request));
  std::optional<ResultFile> file;
  if (!request.output.empty()) file.emplace(request.output, rules_of_study(request, request.overwrite));
  if (!file || !file->to_stdout()) show_study(study, request);
  if (file) file->finish(scaling_json(study));
  if (file && !file->to_stdout() && !request.options.quiet) {
    put(stdout, fmt::format("study: {}\n", printable(file->path())));
  }
  return kExitOk;
}

bool is_study(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && is_scaling_study(read_text(path));
}

bool is_complete(const std::string& file) {
  return is_there("read", file) && load_result(file).status == Status::kComplete;
}

// By a path that other programs can start too.
std::vector<std::string> program_for_others() {
  std::vector<std::string> words = this_program();
  std::error_code failed;
  const fs::path target = fs::read_symlink(words.front(), failed);
  if (!failed && words.front().starts_with("/proc/self/")) words.front() = target.string();
  return words;
}

// Whether the launcher is mpirun, under any of its names, and nothing in its words allows it to run as root.
bool is_mpirun(const std::vector<std::string>& launcher) {
  const std::string program = fs::path(launcher.front()).filename();
  const auto is_named = [&](std::string_view name) { return program.starts_with(name); };
  return std::ranges::any_of(std::array{"mpirun", "mpiexec", "orterun"}, is_named) &&
         std::ranges::find(launcher, "--allow-run-as-root") == launcher.end();
}

// The requested numbers of ranks, measured one after the other.
class StudyRuns {
 public:
  StudyRuns(const ScaleRequest& request, std::string output)
      : request_(request),
        output_(std::move(output)),
        launcher_(request.launcher.empty() ? default_launcher(variable) : request.launcher),
        program_(program_for_others()),
        progress_(request.options.quiet) {
    ranks_ = request.ranks;
    std::ranges::sort(ranks_);
    const auto twice = std::ranges::unique(ranks_);
    ranks_.erase(twice.begin(), twice.end());
    if (ranks_.size() < 2) throw usage_error("--ranks: want at least two numbers of ranks");
    for (const std::size_t ranks : ranks_) command(ranks);  // which are refused before anything is measured
    // A launcher starts this program, so what it lacks the ranks lack too: refuse before a number is measured in vain.
    // A single rank needs no MPI.
    const auto needs_mpi = [&](std::size_t ranks) {
      return ranks > 1 && !is_complete(result_of_ranks(output_, ranks));
    };
    if (!std::ranges::any_of(ranks_, needs_mpi)) return;
    require_mpi();
    if (is_mpirun(split_words("--launcher", launcher_)) && mpirun_refuses_user()) {
      throw Error(fmt::format("scale: mpirun of Open MPI refuses to run as root: {}", kRootRemedy));
    }
  }

  // Returns the exit code: 0, or that of an interrupted run. Throws Error if a number cannot be measured.
  int run(const Interrupt& interrupt) {
    for (const std::size_t ranks : ranks_) {
      const std::string file = result_of_ranks(output_, ranks);
      if (is_there("read", file) && take(file, ranks)) continue;
      progress_.milestone(fmt::format("{}: {}", plural(ranks, "rank"), command_text(ranks)));
      const int code = run_child(command(ranks), interrupt.token());
      if (interrupt.signal() != 0) return kExitSignal + interrupt.signal();
      if (is_interrupted(code)) return code;
      if (code != 0) {
        can_go_on_ = code != kExitUsage;
        throw Error(fmt::format("{} ended with exit code {}", command_text(ranks), code));
      }
      if (!is_there("read", file)) throw Error(fmt::format("{} wrote no result to {}", command_text(ranks), file));
      measured_.push_back(load_measured(file));
      check(*measured_.back(), ranks);
    }
    return kExitOk;
  }

  const AllMeasured& measured() const { return measured_; }
  bool all() const { return measured_.size() == ranks_.size(); }
  // Whether the run failed while it measured, as when a rank is lost, so that the same command may go on.
  bool can_go_on() const { return can_go_on_; }
  std::string progress_text() const {
    return fmt::format("{} of {} numbers of ranks are measured", measured_.size(), ranks_.size());
  }

 private:
  std::vector<std::string> command(std::size_t ranks) const {
    return command_of_ranks(request_, launcher_, program_, ranks, result_of_ranks(output_, ranks));
  }

  std::string command_text(std::size_t ranks) const {
    std::string text;
    for (const std::string& word : command(ranks)) text += (text.empty() ? "" : " ") + shell_quoted(word);
    return text;
  }

  void check(const MeasuredRun& one, std::size_t ranks) const {
    const std::string misfit = misfit_of(one.result, request_, ranks, one.file);
    if (!misfit.empty()) throw Error(misfit);
  }

  // Whether everything was measured before, with the same options.
  bool take(const std::string& file, std::size_t ranks) {
    auto one = load_measured(file);
    check(*one, ranks);
    if (one->result.status != Status::kComplete) return false;
    progress_.milestone(fmt::format("{}: {} is complete", plural(ranks, "rank"), printable(file)));
    measured_.push_back(std::move(one));
    return true;
  }

  const ScaleRequest& request_;
  std::string output_;
  std::string launcher_;
  std::vector<std::string> program_;
  Progress progress_;
  std::vector<std::size_t> ranks_;  // ascending, each once
  AllMeasured measured_;
  bool can_go_on_ = false;
};

// As a run does, but those of the ranks are quiet. What this process cannot plan, such as CPUs that only the ranks
// have, is left to them.
void tell_idle_exclusions_of_ranks(const ScaleRequest& request) {
  if (request.options.exclude.empty()) return;
  try {
    tell_idle_exclusions(plans_of_ranks(request, this_context()));
  } catch (const Error&) {
  }
}

int measure_study(const ScaleRequest& request) {
  if (request.output == "-")
    throw usage_error("--output -: the results of all ranks go next to the study; give it a file");
  if (this_launch()) throw usage_error("scale: it starts ranks itself; run it without a launcher");
  const ScalingKind kind = kind_asked(request).value_or(ScalingKind::kWeak);
  const std::string output = request.output.empty()
                                 ? fmt::format("loadline-scaling-{}.json",
                                               make_run_id(std::chrono::system_clock::now(), std::random_device{}()))
                                 : request.output;
  Interrupt interrupt;
  StudyRuns runs(request, output);
  // A study can be made again from its results.
  const ResultFile file(output, rules_of_study(request, request.overwrite || is_study(output)));
  tell_idle_exclusions_of_ranks(request);
  std::optional<Error> failure;
  int code = kExitOk;
  try {
    code = runs.run(interrupt);
  } catch (const Error& error) {
    failure = error;
  }
  std::string kept = runs.progress_text();
  if (runs.measured().size() > 1) {
    ScalingStudy study = study_of(runs.measured(), request, kind);
    study.complete = runs.all();
    show_study(study, request);
    file.finish(scaling_json(study));
    if (!request.options.quiet) put(stdout, fmt::format("study: {}\n", printable(file.path())));
    kept += fmt::format(", and {} holds these", file.path());
  }
  // Without --output each start would use a new name.
  const std::string again =
      fmt::format("; the same command{} continues",
                  request.output.empty() ? fmt::format(" with -o {}", printable(file.path())) : "");
  if (failure)
    throw Error(fmt::format("{}; {}{}", failure->what(), kept, runs.can_go_on() ? again : ""), failure->kind());
  if (code == kExitOk) return kExitOk;
  print_error(fmt::format("interrupted; {}{}", kept, again));
  return code;
}

}  // namespace

int scale_verb(const ScaleRequest& request) {
  if (request.results.empty() && request.ranks.empty()) {
    throw usage_error("scale: want --ranks to measure, or results of earlier runs");
  }
  if (request.results.empty()) return measure_study(request);
  if (!request.ranks.empty())
    throw usage_error("scale: want either --ranks to measure or results of earlier runs, not both");
  if (!request.launcher.empty() || !request.words.empty()) {
    throw usage_error("scale: given results are not measured again, so they take no options of runs");
  }
  return study_of_results(request);
}

}  // namespace loadline
