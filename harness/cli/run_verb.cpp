#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>

#include "harness/cli/cli.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/judge/judgement.h"
#include "harness/judge/phrase.h"
#include "harness/measure/run.h"
#include "harness/plan/plan.h"
#include "harness/result/result_json.h"
#include "harness/result/run_id.h"
#include "harness/result/threads.h"
#include "harness/show/table.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/transforms/kernels.h"

namespace loadline {
namespace {

// Writes the result file again and again while the run goes on, each time whole. What is no regular file (stdout, a
// pipe, /dev/null) is written once, at the end.
class ResultFile {
 public:
  // Fails at once, before anything is measured, where nothing could be written at the end.
  explicit ResultFile(const std::string& path) : path_(path), to_stdout_(path == "-") {
    if (to_stdout_) return;
    std::error_code code;
    const auto status = std::filesystem::status(path, code);
    if (std::filesystem::is_directory(status)) throw Error(fmt::format("cannot write {}: it is a directory", path));
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      stream_.reset(std::fopen(path.c_str(), "we"));
      if (!stream_) throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
      return;
    }
    // The file that a link leads to is replaced, not the link.
    if (std::filesystem::is_symlink(path, code)) path_ = std::filesystem::weakly_canonical(path, code);
    const AtomicFile probe(path_);
  }

  bool to_stdout() const { return to_stdout_; }
  const std::string& path() const { return path_; }

  // After a trial: saves unless saving would take more than a twentieth of the run. A disk that is full now leaves the
  // last file that could be written, and may have room again at the end, where finish() says so if it has not.
  void save_in_passing(const Result& result, Clock& clock) {
    if (to_stdout_ || stream_) return;
    const Time begin = clock.now();
    if (begin < next_) return;
    try {
      replace(result_json(result, judge_run(result)));
    } catch (const Error&) {
    }
    const Time end = clock.now();
    next_ = end + 19 * (end - begin);
  }

  void finish(const Result& result, const Judgement& judgement) const {
    const std::string text = result_json(result, judgement);
    if (to_stdout_) return put(stdout, text);
    if (!stream_) return replace(text);
    put(stream_.get(), text);
    if (std::fflush(stream_.get()) == 0 && std::ferror(stream_.get()) == 0) return;
    throw Error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void replace(const std::string& text) const {
    AtomicFile file(path_);
    file.write(text);
    file.commit();
  }

  std::string path_;
  bool to_stdout_;
  std::unique_ptr<std::FILE, Close> stream_;
  Time next_{};
};

class Reporter final : public RunObserver {
 public:
  Reporter(const RunOptions& options, ResultFile& file, Clock& clock)
      : trials_(options.trials), file_(file), clock_(clock), progress_(options.quiet), begin_(clock.now()) {}

  void expect(double seconds) { expected_seconds_ = seconds; }
  Progress& progress() { return progress_; }

  void on_dataset(const DatasetFacts& facts) override {
    progress_.status(fmt::format("read {}: {} samples", facts.path.string(), facts.info.samples));
  }

  void on_first_epoch(const CellResult& cell) override {
    const FirstEpoch& epoch = *cell.first_epoch;
    progress_.status(fmt::format("first epoch of {}: {} samples in {}", cell.cell.name(), epoch.samples,
                                 duration(epoch.wall_seconds)));
  }

  void on_trial(const Result& result, const CellResult& cell) override {
    const std::string name = cell.cell.name();
    if (cell.error) {
      progress_.milestone(fmt::format("{}: failed: {}", name, *cell.error));
    } else {
      const Trial& trial = cell.trials.back();
      const std::string line =
          fmt::format("trial {}/{} {}: {:.5g} samples/s", trial.round + 1, trials_, name, trial.samples_per_second());
      progress_.is_terminal() ? progress_.status(line + remaining()) : progress_.milestone(line);
    }
    file_.save_in_passing(result, clock_);
  }

 private:
  std::string remaining() const {
    const double left = expected_seconds_ - seconds(clock_.now() - begin_);
    return left > 0 ? fmt::format(" (about {} left)", time_text(left)) : "";
  }

  std::size_t trials_;
  ResultFile& file_;
  Clock& clock_;
  Progress progress_;
  Time begin_;
  double expected_seconds_ = 0;
};

Result begin_result(const RunRequest& request) {
  Result result;
  const auto now = std::chrono::system_clock::now();
  result.run_id = make_run_id(now, std::random_device{}());
  result.started = utc_timestamp(now);
  result.arguments = request.arguments;
  result.options = request.options;
  result.kernels = kernels_named(request.options.kernels).name;
  result.environment = this_environment();
  return result;
}

std::string output_path(const RunRequest& request, const Result& result) {
  if (request.dry_run) return "-";  // writes no file, and so needs no place for one
  if (!request.options.output.empty()) return request.options.output;
  return fmt::format("loadline-{}.json", result.run_id);
}

void print_result(const Result& result, const Judgement& judgement, const ResultFile& file) {
  // Data and people's text never share a stream.
  std::FILE* out = file.to_stdout() ? stderr : stdout;
  put(out, fmt::format("{}\n{}\n{}", setting_text(result), table_text(result, judgement), verdict_text(judgement)));
  std::fflush(out);
  put(stderr, warning_text(judgement));
}

int exit_code(const Result& result, const Interrupt& interrupt, const ResultFile& file) {
  if (interrupt.signal() != 0) {
    print_error(fmt::format("interrupted; what was measured so far is in {}",
                            file.to_stdout() ? "the result on stdout" : file.path()));
    return 128 + interrupt.signal();
  }
  for (const CellResult& cell : result.cells) {
    if (cell.error) throw Error(fmt::format("{}: {}", cell.cell.name(), *cell.error));
  }
  return kExitOk;
}

}  // namespace

int run_verb(const RunRequest& request) {
  if (request.dump_config) {
    put(stdout, config_json(request.options));
    return kExitOk;
  }
  const Interrupt interrupt;
  SteadyClock clock;
  const Plan plan =
      make_plan(request.options, {.threads_in_force = threads_in_force(), .data_directory = data_directory()});
  Result result = begin_result(request);
  ResultFile file(output_path(request, result));
  Reporter reporter(request.options, file, clock);
  RunContext context{.clock = clock, .stop = interrupt.token(), .observer = reporter};
  if (!prepare_run(plan, result, context)) {
    print_error("interrupted while reading the data; nothing was measured and no result written");
    return 128 + interrupt.signal();
  }
  if (request.dry_run) {
    put(stdout, fmt::format("{}\n{}", setting_text(result), plan_text(result, request.options)));
    return kExitOk;
  }
  const double expected = estimated_seconds(result, request.options);
  reporter.expect(expected);
  reporter.progress().milestone(scope_text(result, request.options));
  if (run_plan(plan, result, context)) result.status = Status::kComplete;
  result.finished = utc_timestamp(std::chrono::system_clock::now());
  const Judgement judgement = judge_run(result);
  reporter.progress().clear();
  // Printed first: should the file fail, the figures are not lost with it.
  if (!request.options.quiet) print_result(result, judgement, file);
  file.finish(result, judgement);
  if (!request.options.quiet && !file.to_stdout()) put(stdout, fmt::format("\nresult: {}\n", file.path()));
  return exit_code(result, interrupt, file);
}

}  // namespace loadline
